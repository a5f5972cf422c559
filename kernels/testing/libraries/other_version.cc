#include "kernels/candidate.h"

// Nothing past the version may be looked at.
extern "C" BYTEGATE_EXPORT const bytegate_candidate* bytegate_get_candidate() {
  static const uint32_t version = BYTEGATE_INTERFACE_VERSION + 1;
  return reinterpret_cast<const bytegate_candidate*>(&version);
}
