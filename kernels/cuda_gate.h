// Holds streams up: what is enqueued behind a gate starts when the gate is opened.
//
// A gate opens by itself after a while, because a candidate may wait for its own stream. Nothing is
// then held up any more, which proves less and blames nobody.
#pragma once

#include <chrono>
#include <cstdint>

#include "kernels/cuda_check.h"
#include "kernels/cuda_memory.h"

namespace bytegate {

constexpr std::chrono::milliseconds kGateLimit{50};

class CudaGate {
 public:
  // Several streams may be held by one gate.
  CudaStatus hold(cudaStream_t stream);
  // Lets go of all streams that are held.
  void open();

 private:
  CudaStatus make();

  CudaOwner<void*, cudaFreeHost> word_;
  const uint32_t* device_word_ = nullptr;
  uint32_t ticket_ = 1;
};

// Work that has nothing to do with the case, and runs for a while.
class CudaUnrelatedWork {
 public:
  CudaStatus enqueue(cudaStream_t stream);

 private:
  CudaDeviceBuffer buffer_;
};

}  // namespace bytegate
