// What it does is in its name: `trap.so`, a link to this library, traps in a kernel. See
// kernels/testing/cuda_hostility.h.
#include "kernels/testing/cuda_hostility.h"

extern "C" BYTEGATE_EXPORT const bytegate_candidate* bytegate_get_candidate(void) {
  return &bytegate::hostile_cuda_library_candidate();
}
