// Production with the planted faults of kernels/testing/planted_candidate.h, on the host.
#include <cstring>

#include "kernels/testing/planted_candidate.h"

namespace {

int32_t open(void** state, char* message, uint64_t message_bytes) {
  const bytegate::PlantedMemory memory = {
      .set = [](void* to, size_t bytes, void*) { std::memset(to, 0x55, bytes); },
      .copy = [](void* to, const void* from, size_t bytes,
                 void*) { std::memcpy(to, from, bytes); }};
  return bytegate::open_planted(memory, state, message, message_bytes);
}

}  // namespace

extern "C" BYTEGATE_EXPORT const bytegate_candidate* bytegate_get_candidate(void) {
  static const bytegate_candidate table = bytegate::planted_table(open, BYTEGATE_BACKEND_HOST);
  return &table;
}
