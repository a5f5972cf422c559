// An operation that exists in tests only. It uses all that a description offers, so that what is
// generic is proved to be so:
//
//   keys   int64 [rows], any stride     sums   int64 [rows + 1]
//   table  int32 [rows, cols], strided  scaled int32 [rows, cols], row stride
//   bias   int32 [cols], optional       spread int32 [rows, width], row stride
//   parts  int32 or int64 [rows]        scale 1 .. 100, sign plus or minus, total, shown
//
//   sums[0] = 0, sums[r + 1] = sums[r] +/- keys[r] * scale
//   scaled[r, c] = +/- table[r, c] * scale + bias[c]   where table[r, c] >= 0; else anything
//   spread[r, c] = r + c               where c < shown and c < parts[r]
//
// The columns of `spread` from `shown` on are kept; below it, what is not stated may be anything.
// The caller promises that `total` is the sum of the parts, and width >= shown. With minus there is
// no bias.
#pragma once

#include "oracles/case.h"
#include "properties/op_properties.h"

namespace bytegate {

const Op& ledger_op();
OpProperties ledger_properties();

struct LedgerIndex {
  static constexpr int kScale = 0;  // scalars
  static constexpr int kSign = 1;
  static constexpr int kTotal = 2;
  static constexpr int kShown = 3;
  static constexpr int kRows = 0;  // dims
  static constexpr int kCols = 1;
  static constexpr int kWidth = 2;
  static constexpr int kKeys = 0;  // tensors
  static constexpr int kTable = 1;
  static constexpr int kBias = 2;
  static constexpr int kSums = 3;
  static constexpr int kScaled = 4;
  static constexpr int kParts = 5;
  static constexpr int kSpread = 6;
};

// Valid, compact, plus, scale 3, with a bias: keys r + 1, table 10 r + c, bias 100 + c; parts of 0
// and no width.
Case make_ledger_case(int64_t rows, int64_t cols);

// The same without columns, and with these parts in int32.
struct Spread {
  std::vector<int32_t> parts;
  int64_t width = 0;
  int64_t shown = 0;
};
Case make_spread_case(const Spread& spread);

// The same case with a gap of `gap` elements after each row of all matrices and each key.
Case with_gaps(Case c, int64_t gap);

}  // namespace bytegate
