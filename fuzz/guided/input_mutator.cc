#include "fuzz/guided/input_mutator.h"

#include <algorithm>
#include <vector>

#include "fuzz/guided/mutator.h"

namespace bytegate {
namespace {

MutatedCase read(const OpProperties& properties, std::span<const uint8_t> input) {
  return {.c = case_of_bytes(*properties.op, input),
          .form = input.empty() ? CaseForm() : CaseForm::of_byte(input.front())};
}

// What does not fit is cut off: any bytes are a case.
size_t write(const MutatedCase& mutated, std::span<uint8_t> room) {
  const std::vector<uint8_t> bytes = write_case_bytes(mutated.c, mutated.form);
  const size_t size = std::min(bytes.size(), room.size());
  std::copy_n(bytes.begin(), size, room.begin());
  return size;
}

}  // namespace

size_t mutate_input(const OpProperties& properties, std::span<const uint8_t> input,
                    std::span<uint8_t> room, uint64_t seed, std::span<const int64_t> compared) {
  Draw draw(seed);
  const Hints hints = {.edges = properties.edges, .compared = compared};
  return write(mutated(read(properties, input), hints, draw), room);
}

size_t cross_inputs(const OpProperties& properties, std::span<const uint8_t> first,
                    std::span<const uint8_t> second, std::span<uint8_t> room, uint64_t seed) {
  Draw draw(seed);
  const Case other = case_of_bytes(*properties.op, second);
  return write(spliced(read(properties, first), other, draw), room);
}

}  // namespace bytegate
