#include <cstdio>

#include "kernels/candidate.h"

__attribute__((constructor)) static void at_load() {
  std::puts("hello from the library");
}

extern "C" BYTEGATE_EXPORT const bytegate_candidate* bytegate_get_candidate() {
  static const bytegate_candidate table = {
      .interface_version = BYTEGATE_INTERFACE_VERSION,
      .backends = BYTEGATE_BACKEND_HOST,
      .name = "writes in constructor",
      .version = "1",
      .paths = nullptr,
      .open = nullptr,
      .close = nullptr,
      .supports = nullptr,
      .workspace_bytes = nullptr,
      .run = [](void*, bytegate_call*) -> int32_t { return BYTEGATE_OK; }};
  return &table;
}
