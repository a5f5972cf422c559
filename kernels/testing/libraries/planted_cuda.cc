// Production with the planted faults of kernels/testing/planted_candidate.h, on the GPU: those that
// a host must read to show them are not there.
#include <cuda_runtime_api.h>

#include "kernels/testing/planted_candidate.h"

namespace {

// Else the next launch would be blamed for it.
void forget_error() {
  static_cast<void>(cudaGetLastError());
}

int32_t open(void** state, char* message, uint64_t message_bytes) {
  const bytegate::PlantedMemory memory = {
      .set =
          [](void* to, size_t bytes, void* stream) {
            cudaMemsetAsync(to, 0x55, bytes, static_cast<cudaStream_t>(stream));
            forget_error();
          },
      .copy =
          [](void* to, const void* from, size_t bytes, void* stream) {
            cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice,
                            static_cast<cudaStream_t>(stream));
            forget_error();
          }};
  return bytegate::open_planted(memory, state, message, message_bytes);
}

}  // namespace

extern "C" BYTEGATE_EXPORT const bytegate_candidate* bytegate_get_candidate(void) {
  static const bytegate_candidate table = bytegate::planted_table(open, BYTEGATE_BACKEND_CUDA);
  return &table;
}
