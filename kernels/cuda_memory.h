// Owners of CUDA objects. When the device is lost, destroying does nothing.
#pragma once

#include <cstddef>
#include <utility>

#include "kernels/cuda_check.h"

namespace bytegate {

template <typename Handle, cudaError_t (*Destroy)(Handle)>
class CudaOwner {
 public:
  CudaOwner() = default;
  CudaOwner(const CudaOwner&) = delete;
  CudaOwner& operator=(const CudaOwner&) = delete;
  ~CudaOwner() { reset(); }

  [[nodiscard]] Handle get() const { return handle_; }
  // Where a CUDA function puts the object that it makes.
  Handle* out() {
    reset();
    return &handle_;
  }
  void reset() {
    if (handle_ == nullptr) return;
    static_cast<void>(cuda_call("", Destroy(std::exchange(handle_, nullptr))));
  }

 private:
  Handle handle_ = nullptr;
};

using CudaStream = CudaOwner<cudaStream_t, cudaStreamDestroy>;
using CudaEvent = CudaOwner<cudaEvent_t, cudaEventDestroy>;
using CudaGraph = CudaOwner<cudaGraph_t, cudaGraphDestroy>;
using CudaGraphExec = CudaOwner<cudaGraphExec_t, cudaGraphExecDestroy>;

// Device memory that only grows.
class CudaDeviceBuffer {
 public:
  // What was in it is lost when it grows. Empty after an error.
  CudaStatus ensure(size_t bytes);
  [[nodiscard]] std::byte* data() const { return static_cast<std::byte*>(owner_.get()); }
  [[nodiscard]] size_t capacity() const { return capacity_; }

 private:
  CudaOwner<void*, cudaFree> owner_;
  size_t capacity_ = 0;
};

// Pinned host memory that only grows: copies from and to it run while the host does other things.
class CudaPinnedBuffer {
 public:
  CudaStatus ensure(size_t bytes);
  [[nodiscard]] std::byte* data() const { return static_cast<std::byte*>(owner_.get()); }
  [[nodiscard]] size_t capacity() const { return capacity_; }

 private:
  CudaOwner<void*, cudaFreeHost> owner_;
  size_t capacity_ = 0;
};

// The three copies of one arena, and the event after its download.
class CudaSlot {
 public:
  CudaStatus ensure(size_t bytes);
  [[nodiscard]] size_t capacity() const;

  [[nodiscard]] std::byte* device() const { return device_.data(); }
  [[nodiscard]] std::byte* image() const { return image_.data(); }
  [[nodiscard]] std::byte* actual() const { return actual_.data(); }
  [[nodiscard]] cudaEvent_t done() const { return done_.get(); }

 private:
  CudaDeviceBuffer device_;
  CudaPinnedBuffer image_;
  CudaPinnedBuffer actual_;
  CudaEvent done_;
};

}  // namespace bytegate
