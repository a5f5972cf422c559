// What reading and writing the bytes of a case share: the numbers of the format, and no code of
// either side.
//
//   form, path, mode, seed, [faults], scalars, flags of each tensor, dimensions, strides, number of
//   steps, elements of each input, steps
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "oracles/op.h"

namespace bytegate {

// A path by its place in Op::paths, from 1; 0: none.
// A name that is none of them is spelled out.
inline constexpr uint8_t kOtherPathByte = 0xff;
inline constexpr std::string_view kPathLetters = "abcdefghijklmnopqrstuvwxyz_";
inline constexpr size_t kMaxPathLetters = 16;

// The flags of a tensor: strides follow where both of two bits are set, as they seldom are.
inline constexpr uint8_t kAbsentFlag = 1;
inline constexpr uint8_t kDTypeUnit = 2;
inline constexpr uint8_t kStridedFlags = 24;

// Elements come in items: a head byte of a kind and a count, then what the kind needs.
enum class ItemKind : uint8_t {
  kLiteral,      // that many values
  kRepeat,       // one value
  kProgression,  // the first value and the step
  kEarlier,      // a distance: as the values that lie so far back
};
inline constexpr int64_t kNumItemKinds = 4;
inline constexpr int64_t kLongItem = 63;  // the rest of the count follows

constexpr int64_t wrapping_difference(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
}
constexpr int64_t wrapping_sum(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}

// What the number 0 means for a scalar.
constexpr int64_t scalar_origin(const ScalarSpec& spec) {
  return spec.symbols.empty() ? spec.simplest : spec.min;
}

// Of random numbers three in four are no steps.
inline constexpr uint64_t kStepsUnit = 4;
constexpr uint64_t steps_code(uint64_t num_steps) {
  return num_steps == 0 ? 0 : num_steps * kStepsUnit - 1;
}
constexpr uint64_t num_steps_of(uint64_t code) {
  return code % kStepsUnit == kStepsUnit - 1 ? code / kStepsUnit + 1 : 0;
}

}  // namespace bytegate
