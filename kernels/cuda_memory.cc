#include "kernels/cuda_memory.h"

#include <algorithm>

namespace bytegate {
namespace {

constexpr size_t kMinBytes = size_t{1} << 20;
constexpr size_t kSpareMaxBytes = size_t{256} << 20;

// With spare room, unless that would be much.
size_t grown(size_t bytes) {
  return std::max(kMinBytes, bytes < kSpareMaxBytes ? bytes + bytes / 2 : bytes);
}

}  // namespace

CudaStatus CudaDeviceBuffer::ensure(size_t bytes) {
  if (bytes <= capacity_) return {};
  capacity_ = 0;
  void** memory = owner_.out();
  const CudaStatus status = cuda_call("cudaMalloc", cudaMalloc(memory, grown(bytes)));
  if (status.ok()) capacity_ = grown(bytes);
  return status;
}

CudaStatus CudaPinnedBuffer::ensure(size_t bytes) {
  if (bytes <= capacity_) return {};
  capacity_ = 0;
  void** memory = owner_.out();
  const CudaStatus status =
      cuda_call("cudaHostAlloc", cudaHostAlloc(memory, grown(bytes), cudaHostAllocDefault));
  if (status.ok()) capacity_ = grown(bytes);
  return status;
}

CudaStatus CudaSlot::ensure(size_t bytes) {
  if (done_.get() == nullptr) {
    // Blocking: the host compares and generates in the time that a spinning wait would take.
    const CudaStatus made = cuda_call(
        "cudaEventCreateWithFlags",
        cudaEventCreateWithFlags(done_.out(), cudaEventDisableTiming | cudaEventBlockingSync));
    if (!made.ok()) return made;
  }
  // The device first: it says no at once, where a host may start to swap.
  CudaStatus status = device_.ensure(bytes);
  if (status.ok()) status = image_.ensure(bytes);
  if (status.ok()) status = actual_.ensure(bytes);
  return status;
}

size_t CudaSlot::capacity() const {
  return std::min({device_.capacity(), image_.capacity(), actual_.capacity()});
}

}  // namespace bytegate
