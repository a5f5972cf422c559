// Changes of the elements of one input.
#pragma once

#include <cstdint>

#include "fuzz/guided/interesting.h"
#include "oracles/op.h"
#include "oracles/tensor.h"
#include "properties/draw.h"

namespace bytegate {

class ElementChanges {
 public:
  enum class Values : uint8_t { kOfContract, kOfDType };
  ElementChanges(const TensorSpec& spec, const Dims& shape, Values values, Interesting& interesting,
                 Draw& draw)
      : spec_(spec), shape_(shape), values_(values), interesting_(interesting), draw_(draw) {}

  // One of them; there is at least one element.
  void change(Elements& values, int64_t modulus);

 private:
  struct Range {
    int64_t first = 0;
    int64_t end = 0;
  };
  // For an element that now is `now`; outside its range, where that is asked for, every other time.
  int64_t some_value(int64_t now);
  Range some_range(const Elements& values);
  void put(Elements& values, int64_t idx, int64_t value) const;
  void fill(Elements& values, Range range);
  void copy_block(Elements& values, Range range);
  // So that the units of all elements, each rounded up, add up to a multiple, or one beside it.
  void aim_total(Elements& values, int64_t unit, int64_t modulus);
  // So that they add up to where sums wrap, or to what something was compared with.
  void aim_wrap(Elements& values, int64_t unit);

  const TensorSpec& spec_;
  const Dims& shape_;
  Values values_;
  Interesting& interesting_;
  Draw& draw_;
};

}  // namespace bytegate
