// A tensor of a case: its layout, and for inputs its values.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "oracles/elements.h"

namespace bytegate {

constexpr int kMaxRank = 8;

// Up to kMaxRank extents or strides, held inline.
class Dims {
 public:
  Dims() = default;
  Dims(std::initializer_list<int64_t> values);

  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int64_t operator[](int axis) const { return values_[static_cast<size_t>(axis)]; }
  [[nodiscard]] int64_t& operator[](int axis) { return values_[static_cast<size_t>(axis)]; }
  // Rank must be below kMaxRank.
  void push_back(int64_t value) { values_[static_cast<size_t>(rank_++)] = value; }
  [[nodiscard]] const int64_t* begin() const { return values_.data(); }
  [[nodiscard]] const int64_t* end() const { return values_.data() + rank_; }

  friend bool operator==(const Dims& a, const Dims& b);

 private:
  std::array<int64_t, kMaxRank> values_{};
  int rank_ = 0;
};

std::string to_string(const Dims& dims);

// Number of elements of a shape, or nothing when it does not fit int64.
std::optional<int64_t> num_elements(const Dims& shape);
// Row-major strides without gaps.
Dims compact_strides(const Dims& shape);

// How a huge tensor's values were made: a formula frozen in corpus/FORMAT.md. It is provenance: the
// values stay the truth, and what differs from the formula is written out as overrides.
struct Pattern {
  int version = 1;
  uint64_t seed = 0;
  int64_t low = 0;
  int64_t high = 0;

  friend bool operator==(const Pattern&, const Pattern&) = default;
};

// Value of element `idx` under the pattern; low <= value <= high.
int64_t pattern_value(const Pattern& pattern, int64_t idx);

struct Tensor {
  bool present = true;
  DType dtype = DType::kInt32;
  Dims shape;
  Dims strides;       // in elements, one per axis, each >= 0
  Elements elements;  // inputs: every element in row-major order; outputs: empty
  std::optional<Pattern> pattern;

  friend bool operator==(const Tensor&, const Tensor&) = default;
};

// One past the largest element offset that the layout reaches: 0 for an empty shape, nothing when
// it does not fit int64.
std::optional<int64_t> extent_elements(const Dims& shape, const Dims& strides);

// Offset of the row-major element `idx`.
int64_t element_offset(const Dims& shape, const Dims& strides, int64_t idx);

bool is_compact(const Tensor& tensor);

// Whether two elements that share an address (stride 0, overlapping rows) hold different values,
// which no memory can.
bool aliases_disagree(const Tensor& tensor);

}  // namespace bytegate
