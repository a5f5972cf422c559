// Some of a tensor's elements.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

namespace bytegate {

// By row-major index, a bit for each up to the last one: a list would take more memory than the
// elements themselves.
class ElementSet {
 public:
  ElementSet() = default;
  ElementSet(std::initializer_list<int64_t> indices) {
    for (const int64_t idx : indices) add(idx);
  }

  void add(int64_t idx) {
    const size_t word = static_cast<size_t>(idx) / kWordBits;
    if (word >= words_.size()) words_.resize(word + 1);
    words_[word] |= uint64_t{1} << static_cast<size_t>(idx) % kWordBits;
  }
  [[nodiscard]] bool has(int64_t idx) const {
    const size_t word = static_cast<size_t>(idx) / kWordBits;
    if (word >= words_.size()) return false;
    return (words_[word] >> static_cast<size_t>(idx) % kWordBits & 1) != 0;
  }
  [[nodiscard]] bool empty() const {
    return std::all_of(words_.begin(), words_.end(), [](uint64_t word) { return word == 0; });
  }
  void clear() { words_.clear(); }
  // Ascending.
  [[nodiscard]] std::vector<int64_t> indices() const;

  // For those that send it elsewhere.
  [[nodiscard]] const std::vector<uint64_t>& words() const { return words_; }
  std::vector<uint64_t>& words() { return words_; }

  friend bool operator==(const ElementSet&, const ElementSet&) = default;

 private:
  static constexpr size_t kWordBits = 64;

  std::vector<uint64_t> words_;
};

}  // namespace bytegate
