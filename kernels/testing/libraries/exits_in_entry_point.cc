#include <cstdlib>

#include "kernels/candidate.h"

extern "C" BYTEGATE_EXPORT const bytegate_candidate* bytegate_get_candidate() {
  std::exit(7);
  static const bytegate_candidate table = {
      .interface_version = BYTEGATE_INTERFACE_VERSION,
      .backends = BYTEGATE_BACKEND_HOST,
      .name = "exits in entry point",
      .version = "1",
      .paths = nullptr,
      .open = nullptr,
      .close = nullptr,
      .supports = nullptr,
      .workspace_bytes = nullptr,
      .run = [](void*, bytegate_call*) -> int32_t { return BYTEGATE_OK; }};
  return &table;
}
