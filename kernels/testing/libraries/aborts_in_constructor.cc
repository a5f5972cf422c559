#include <cstdlib>

#include "kernels/testing/libraries/idle_table.h"

__attribute__((constructor)) static void at_load() {
  std::abort();
}

extern "C" BYTEGATE_EXPORT const bytegate_candidate* bytegate_get_candidate() {
  static const bytegate_candidate table = idle_table("aborts in constructor");
  return &table;
}
