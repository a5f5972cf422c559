// Numbers that the code under guidance compares something with, as they come by: what a branch
// waits for is often one of them, and no change of bits would lead there.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace bytegate {

// Which it holds follows from what was noted, and in which order.
class ComparedNumbers {
 public:
  void note(int64_t number) {
    // Powers of two and those near 0 are tried anyhow.
    if (number > -kTriedAnyhow && number < kTriedAnyhow) return;
    if ((static_cast<uint64_t>(number) & (static_cast<uint64_t>(number) - 1)) == 0) return;
    int64_t& held = held_[static_cast<uint64_t>(number) * kSpread >> kShift];
    if (held == number) return;
    held = number;
    is_stale_ = true;
  }
  // In ascending order of the places that they hash to.
  std::span<const int64_t> numbers();

 private:
  static constexpr int64_t kTriedAnyhow = 4;
  static constexpr int kShift = 56;
  static constexpr uint64_t kSpread = 0x9e3779b97f4a7c15;  // 2^64 over the golden ratio

  std::array<int64_t, size_t{1} << (64 - kShift)> held_{};  // 0: none
  std::array<int64_t, size_t{1} << (64 - kShift)> listed_{};
  size_t num_listed_ = 0;
  bool is_stale_ = false;
};

// What the hooks of the engine noted in this process; none where the engine has none.
ComparedNumbers& compared_numbers();

}  // namespace bytegate
