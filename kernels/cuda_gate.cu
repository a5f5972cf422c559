#include "kernels/cuda_gate_kernels.h"

namespace bytegate {
namespace {

__device__ uint64_t gate_now_ns() {
  uint64_t now = 0;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

__global__ void gate_kernel(GateParams params) {
  const uint64_t end_ns = gate_now_ns() + params.limit_ns;
  while (static_cast<int32_t>(*params.opened - params.ticket) < 0 && gate_now_ns() < end_ns) {
    __nanosleep(500);
  }
}

}  // namespace

void launch_gate_kernel(const GateParams& params, cudaStream_t stream) {
  gate_kernel<<<1, 1, 0, stream>>>(params);
}

}  // namespace bytegate
