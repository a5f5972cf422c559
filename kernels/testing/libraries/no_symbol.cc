// A library, but no candidate.
#include "kernels/candidate.h"

extern "C" BYTEGATE_EXPORT int32_t bytegate_test_not_the_entry_point() {
  return 0;
}
