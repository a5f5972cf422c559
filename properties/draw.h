// Random choices that follow from one seed, the same on every machine and with every standard
// library.
#pragma once

#include <cstdint>
#include <random>
#include <span>

namespace bytegate {

class Draw {
 public:
  explicit Draw(uint64_t seed) : engine_(seed) {}

  uint64_t bits() { return engine_(); }
  // low <= result <= high.
  int64_t between(int64_t low, int64_t high) {
    const uint64_t range = static_cast<uint64_t>(high) - static_cast<uint64_t>(low) + 1;
    if (range == 0) return static_cast<int64_t>(bits());
    __extension__ using Wide = unsigned __int128;
    const uint64_t step = static_cast<uint64_t>((static_cast<Wide>(bits()) * range) >> 64);
    return static_cast<int64_t>(static_cast<uint64_t>(low) + step);
  }
  // True once in `n` times on average.
  bool one_in(int64_t n) { return between(1, n) == 1; }
  template <typename T>
  const T& among(std::span<const T> choices) {
    return choices[static_cast<size_t>(between(0, static_cast<int64_t>(choices.size()) - 1))];
  }
  // Uniform in the number of binary digits: 0 .. high.
  int64_t log_uniform(int64_t high) {
    const int digits =
        static_cast<int>(between(0, 64 - __builtin_clzll(static_cast<uint64_t>(high) | 1)));
    const int64_t top = digits >= 63 ? INT64_MAX : (int64_t{1} << digits) - 1;
    return between(0, top < high ? top : high);
  }

 private:
  std::mt19937_64 engine_;
};

// The seed of case `case_idx` of a run: any case can be made again without those before it.
uint64_t case_seed(uint64_t run_seed, uint64_t case_idx);

}  // namespace bytegate
