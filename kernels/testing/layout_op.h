// An operation without an oracle, for tests of layouts: two strided matrices and a vector.
#pragma once

#include "oracles/case.h"

namespace bytegate {

const Op& layout_op();

struct LayoutIndex {
  static constexpr int kIn = 0;    // int32 [rows, cols], any strides
  static constexpr int kOut = 1;   // int32 [rows, cols], any strides
  static constexpr int kWide = 2;  // int64 [rows]
};

// Inputs 1, 2, 3, ... in row-major order.
Case make_layout_case(int64_t rows, int64_t cols);

}  // namespace bytegate
