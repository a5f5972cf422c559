// The table of a candidate that would do nothing, had its library been loadable.
#pragma once

#include "kernels/candidate.h"

inline bytegate_candidate idle_table(const char* name) {
  return {.interface_version = BYTEGATE_INTERFACE_VERSION,
          .backends = BYTEGATE_BACKEND_HOST,
          .name = name,
          .version = "1",
          .paths = nullptr,
          .open = nullptr,
          .close = nullptr,
          .supports = nullptr,
          .workspace_bytes = nullptr,
          .run = [](void*, bytegate_call*) -> int32_t { return BYTEGATE_OK; }};
}
