// The baseline as a library, for programs that load candidates and link nothing of ours.
#include "kernels/builtin_candidate.h"

extern "C" BYTEGATE_EXPORT const bytegate_candidate* bytegate_get_candidate(void) {
  return &bytegate::baseline_candidate();
}
