// An operation without an oracle, for tests of layouts: two strided matrices and a vector. The last
// `kept` columns of `out` are no output.
#pragma once

#include "oracles/case.h"

namespace bytegate {

const Op& layout_op();

struct LayoutIndex {
  static constexpr int kIn = 0;    // int32 [rows, cols], any strides
  static constexpr int kOut = 1;   // int32 [rows, cols], any strides
  static constexpr int kWide = 2;  // int64 [rows]
};

// Inputs 1, 2, 3, ... in row-major order; nothing is kept.
Case make_layout_case(int64_t rows, int64_t cols);
// The same case with the last `kept` columns of `out` kept.
Case keeping_columns(Case c, int64_t kept);

}  // namespace bytegate
