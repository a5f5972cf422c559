// An operation that uses everything a description offers, for the tests of the case text.
#pragma once

#include "oracles/case.h"

namespace bytegate {

const Op& text_test_op();

struct TextTestIndex {
  static constexpr int kLevel = 0;  // scalars
  static constexpr int kOffset = 1;
  static constexpr int kRows = 0;  // dims
  static constexpr int kHuge = 1;
  static constexpr int kIndices = 0;  // tensors
  static constexpr int kMask = 1;
  static constexpr int kWeights = 2;
  static constexpr int kResult = 3;
};

// A valid case with 2 rows, a 3-D strided mask, huge weights made by a pattern with two overrides,
// and two later steps.
Case make_text_test_case();

}  // namespace bytegate
