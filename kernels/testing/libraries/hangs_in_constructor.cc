#include <unistd.h>

#include "kernels/testing/libraries/idle_table.h"

__attribute__((constructor)) static void at_load() {
  for (;;) pause();
}

extern "C" BYTEGATE_EXPORT const bytegate_candidate* bytegate_get_candidate() {
  static const bytegate_candidate table = idle_table("hangs in constructor");
  return &table;
}
