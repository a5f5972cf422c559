// A candidate that takes its process with it.
#include <csignal>

#include "kernels/candidate.h"

extern "C" BYTEGATE_EXPORT const bytegate_candidate* bytegate_get_candidate(void) {
  static const bytegate_candidate table = {.interface_version = BYTEGATE_INTERFACE_VERSION,
                                           .backends = BYTEGATE_BACKEND_HOST,
                                           .name = "crashes",
                                           .version = "1",
                                           .paths = nullptr,
                                           .open = nullptr,
                                           .close = nullptr,
                                           .supports = nullptr,
                                           .workspace_bytes = nullptr,
                                           .run = [](void*, bytegate_call*) -> int32_t {
                                             std::raise(SIGSEGV);
                                             return BYTEGATE_OK;
                                           }};
  return &table;
}
