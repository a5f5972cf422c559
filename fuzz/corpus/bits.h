// A set of small numbers.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace bytegate {

class Bits {
 public:
  explicit Bits(size_t size = 0) : words_((size + 63) / 64) {}

  [[nodiscard]] bool has(size_t idx) const { return (words_[idx / 64] >> (idx % 64) & 1) != 0; }
  [[nodiscard]] bool empty() const {
    for (const uint64_t word : words_) {
      if (word != 0) return false;
    }
    return true;
  }
  void add(size_t idx) { words_[idx / 64] |= uint64_t{1} << (idx % 64); }
  void remove(size_t idx) { words_[idx / 64] &= ~(uint64_t{1} << (idx % 64)); }
  void add_all(const Bits& other) {
    for (size_t i = 0; i < words_.size(); ++i) words_[i] |= other.words_[i];
  }
  void remove_all(const Bits& other) {
    for (size_t i = 0; i < words_.size(); ++i) words_[i] &= ~other.words_[i];
  }
  [[nodiscard]] size_t count_common(const Bits& other) const {
    size_t count = 0;
    for (size_t i = 0; i < words_.size(); ++i) {
      count += static_cast<size_t>(std::popcount(words_[i] & other.words_[i]));
    }
    return count;
  }
  [[nodiscard]] bool meets(const Bits& other) const {
    for (size_t i = 0; i < words_.size(); ++i) {
      if ((words_[i] & other.words_[i]) != 0) return true;
    }
    return false;
  }
  [[nodiscard]] Bits common(const Bits& other) const {
    Bits both = *this;
    for (size_t i = 0; i < words_.size(); ++i) both.words_[i] &= other.words_[i];
    return both;
  }
  // Whether what this has of `among` is in `other`.
  [[nodiscard]] bool is_within(const Bits& other, const Bits& among) const {
    for (size_t i = 0; i < words_.size(); ++i) {
      if ((words_[i] & among.words_[i] & ~other.words_[i]) != 0) return false;
    }
    return true;
  }
  [[nodiscard]] std::vector<size_t> list() const {
    std::vector<size_t> indices;
    for (size_t i = 0; i < words_.size(); ++i) {
      for (uint64_t word = words_[i]; word != 0; word &= word - 1) {
        indices.push_back(i * 64 + static_cast<size_t>(std::countr_zero(word)));
      }
    }
    return indices;
  }
  friend bool operator==(const Bits&, const Bits&) = default;
  // NOLINTNEXTLINE(modernize-use-nullptr): it takes the 0 that an order is compared with for one.
  friend auto operator<=>(const Bits&, const Bits&) = default;

 private:
  std::vector<uint64_t> words_;
};

}  // namespace bytegate
