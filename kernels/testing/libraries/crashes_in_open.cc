#include <csignal>

#include "kernels/candidate.h"

static int32_t crash(void**, char*, uint64_t) {
  std::raise(SIGSEGV);
  return BYTEGATE_OK;
}

extern "C" BYTEGATE_EXPORT const bytegate_candidate* bytegate_get_candidate() {
  static const bytegate_candidate table = {
      .interface_version = BYTEGATE_INTERFACE_VERSION,
      .backends = BYTEGATE_BACKEND_HOST,
      .name = "crashes in open",
      .version = "1",
      .paths = nullptr,
      .open = crash,
      .close = nullptr,
      .supports = nullptr,
      .workspace_bytes = nullptr,
      .run = [](void*, bytegate_call*) -> int32_t { return BYTEGATE_OK; }};
  return &table;
}
