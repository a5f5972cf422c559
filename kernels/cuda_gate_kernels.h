// The kernel behind kernels/cuda_gate.h.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace bytegate {

struct GateParams {
  const volatile uint32_t* opened = nullptr;  // written by the host, seen by the device
  uint32_t ticket = 0;                        // waits until *opened has come to it
  uint64_t limit_ns = 0;                      // but no longer
};

// Errors are left in the runtime.
void launch_gate_kernel(const GateParams& params, cudaStream_t stream);

}  // namespace bytegate
