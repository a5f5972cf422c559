// An operation that exists in tests only. It uses all that a description offers, so that what is
// generic is proved to be so:
//
//   keys   int64 [rows], any stride     sums   int64 [rows + 1]
//   table  int32 [rows, cols], strided  scaled int32 [rows, cols], row stride
//   bias   int32 [cols], optional       scale 1 .. 100, sign plus or minus
//
//   sums[0] = 0, sums[r + 1] = sums[r] +/- keys[r] * scale
//   scaled[r, c] = +/- table[r, c] * scale + bias[c]   where table[r, c] >= 0; else anything
//
// With minus there is no bias.
#pragma once

#include "oracles/case.h"
#include "properties/op_properties.h"

namespace bytegate {

const Op& ledger_op();
OpProperties ledger_properties();

struct LedgerIndex {
  static constexpr int kScale = 0;  // scalars
  static constexpr int kSign = 1;
  static constexpr int kRows = 0;  // dims
  static constexpr int kCols = 1;
  static constexpr int kKeys = 0;  // tensors
  static constexpr int kTable = 1;
  static constexpr int kBias = 2;
  static constexpr int kSums = 3;
  static constexpr int kScaled = 4;
};

// Valid, compact, plus, scale 3, with a bias: keys r + 1, table 10 r + c, bias 100 + c.
Case make_ledger_case(int64_t rows, int64_t cols);

// The same case with a gap of `gap` elements after each row of both matrices and each key.
Case with_gaps(Case c, int64_t gap);

}  // namespace bytegate
