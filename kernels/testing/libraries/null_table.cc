#include "kernels/candidate.h"

extern "C" BYTEGATE_EXPORT const bytegate_candidate* bytegate_get_candidate() {
  return nullptr;
}
