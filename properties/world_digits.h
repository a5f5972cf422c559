// How a small world numbers its cases: the index, digit by digit in a mixed radix. No radix may
// depend on an earlier digit, so that the number of cases is the product of all radices, and each
// index below it has digits of its own.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "properties/world.h"

namespace bytegate {

class WorldDigits {
 public:
  explicit WorldDigits(int64_t idx) : left_(idx) {}

  // The next digit, 0 .. radix - 1; the first one turns fastest.
  int64_t next(int64_t radix) {
    num_numbers_ *= radix;
    const int64_t digit = left_ % radix;
    left_ /= radix;
    return digit;
  }
  // The value that the next digit chooses.
  template <typename T, size_t kCount>
  const T& among(const std::array<T, kCount>& values) {
    return values[static_cast<size_t>(next(static_cast<int64_t>(kCount)))];
  }
  // A list of least .. most numbers below `alphabet`: the next digit is its place among all of
  // them, shorter ones first.
  std::vector<int64_t> list(int64_t alphabet, int64_t least, int64_t most);

  // How many indices these digits tell apart, and whether the index was one of them.
  [[nodiscard]] int64_t num_numbers() const { return num_numbers_; }
  [[nodiscard]] bool used_up() const { return left_ == 0; }

 private:
  int64_t left_;
  int64_t num_numbers_ = 1;
};

// The world of the cases that kDecode makes of digits.
template <Case (*kDecode)(WorldDigits&)>
World world_of(std::string_view name, std::string_view holds, bool large = false) {
  World world;
  world.name = name;
  world.holds = holds;
  world.case_at = [](int64_t idx) {
    WorldDigits digits(idx);
    return kDecode(digits);
  };
  WorldDigits first(0);
  static_cast<void>(kDecode(first));
  world.num_cases = first.num_numbers();
  world.large = large;
  return world;
}

}  // namespace bytegate
