#include "properties/world_digits.h"

namespace bytegate {

std::vector<int64_t> WorldDigits::list(int64_t alphabet, int64_t least, int64_t most) {
  // As many lists as there are of each length: alphabet to the power of it.
  std::vector<int64_t> num_lists = {1};
  for (int64_t length = 1; length <= most; ++length) {
    num_lists.push_back(num_lists.back() * alphabet);
  }
  int64_t num_all = 0;
  for (int64_t length = least; length <= most; ++length) {
    num_all += num_lists[static_cast<size_t>(length)];
  }
  int64_t place = next(num_all);
  int64_t length = least;
  while (place >= num_lists[static_cast<size_t>(length)]) {
    place -= num_lists[static_cast<size_t>(length)];
    ++length;
  }
  std::vector<int64_t> numbers(static_cast<size_t>(length));
  for (auto number = numbers.rbegin(); number != numbers.rend(); ++number) {
    *number = place % alphabet;
    place /= alphabet;
  }
  return numbers;
}

}  // namespace bytegate
