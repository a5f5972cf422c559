#include "kernels/candidate.h"

extern "C" BYTEGATE_EXPORT const bytegate_candidate* bytegate_get_candidate() {
  static const bytegate_candidate table = {.interface_version = BYTEGATE_INTERFACE_VERSION,
                                           .backends = BYTEGATE_BACKEND_HOST,
                                           .name = "no run function",
                                           .version = "1",
                                           .paths = nullptr,
                                           .open = nullptr,
                                           .close = nullptr,
                                           .supports = nullptr,
                                           .workspace_bytes = nullptr,
                                           .run = nullptr};
  return &table;
}
