#include "fuzz/guided/compared_numbers.h"

namespace bytegate {

std::span<const int64_t> ComparedNumbers::numbers() {
  if (is_stale_) {
    num_listed_ = 0;
    for (const int64_t number : held_) {
      if (number != 0) listed_[num_listed_++] = number;
    }
    is_stale_ = false;
  }
  return std::span<const int64_t>(listed_).first(num_listed_);
}

// The compiler's hooks are functions without a context, so there is one for the process.
ComparedNumbers& compared_numbers() {
  static ComparedNumbers numbers;
  return numbers;
}

}  // namespace bytegate
