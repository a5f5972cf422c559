// What it does is in its name: `abort.so`, a link to this library, aborts. See
// kernels/testing/hostile_candidate.h.
#include "kernels/testing/hostile_candidate.h"

extern "C" BYTEGATE_EXPORT const bytegate_candidate* bytegate_get_candidate(void) {
  return &bytegate::hostile_library_candidate();
}
