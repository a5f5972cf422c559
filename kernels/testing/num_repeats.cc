#include "kernels/testing/num_repeats.h"

#include <charconv>
#include <cstdlib>
#include <stdexcept>
#include <string>

namespace bytegate {

int num_repeats() {
  constexpr int kUsual = 3;
  constexpr int kMost = 1000;
  const char* asked = std::getenv("BYTEGATE_REPEATS");
  if (asked == nullptr) return kUsual;
  const std::string text = asked;
  int repeats = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), repeats);
  if (error != std::errc() || end != text.data() + text.size() || repeats < 1 || repeats > kMost) {
    throw std::invalid_argument("BYTEGATE_REPEATS=" + text + ": must be 1 .. " +
                                std::to_string(kMost));
  }
  return repeats;
}

}  // namespace bytegate
