#include "properties/testing/ledger_op.h"

namespace bytegate {
namespace {

using Index = LedgerIndex;

constexpr int64_t kMaxKey = int64_t{1} << 40;
constexpr int64_t kMaxValue = 1 << 20;

int64_t num_sums(const Case& c) {
  return c.dims[Index::kRows] + 1;
}
Presence bias_presence(const Case& c) {
  return c.scalars[Index::kSign] == 0 ? Presence::kOptional : Presence::kAbsent;
}
void mask_scaled(const Case& c, std::span<uint8_t> stated) {
  for (size_t i = 0; i < stated.size(); ++i) {
    if (c.tensors[Index::kTable].elements.at(static_cast<int64_t>(i)) < 0) stated[i] = 0;
  }
}

int64_t columns_shown(const Case& c) {
  return c.scalars[Index::kShown];
}
void mask_spread(const Case& c, std::span<uint8_t> stated) {
  const int64_t columns = written_shape(c, Index::kSpread)[1];
  for (size_t i = 0; i < stated.size(); ++i) {
    const int64_t idx = static_cast<int64_t>(i);
    if (idx % columns >= c.tensors[Index::kParts].elements.at(idx / columns)) stated[i] = 0;
  }
}

int64_t sum_of_parts(const Case& c) {
  const Elements& parts = c.tensors[Index::kParts].elements;
  uint64_t sum = 0;
  for (int64_t row = 0; row < parts.size(); ++row) sum += static_cast<uint64_t>(parts.at(row));
  return static_cast<int64_t>(sum);
}

void run_oracle(const Case& c, Outputs& outputs) {
  const int64_t factor = (c.scalars[Index::kSign] == 0 ? 1 : -1) * c.scalars[Index::kScale];
  const Tensor& bias = c.tensors[Index::kBias];
  const Elements& keys = c.tensors[Index::kKeys].elements;
  const Elements& table = c.tensors[Index::kTable].elements;
  for (int64_t row = 0; row < keys.size(); ++row) {
    outputs[Index::kSums].set(row + 1, outputs[Index::kSums].at(row) + factor * keys.at(row));
  }
  for (int64_t i = 0; i < table.size(); ++i) {
    const int64_t col = i % c.dims[Index::kCols];
    outputs[Index::kScaled].set(i,
                                factor * table.at(i) + (bias.present ? bias.elements.at(col) : 0));
  }
  const Dims spread = written_shape(c, Index::kSpread);
  for (int64_t i = 0; i < outputs[Index::kSpread].size(); ++i) {
    const int64_t row = i / spread[1];
    const int64_t col = i % spread[1];
    if (col < c.tensors[Index::kParts].elements.at(row)) outputs[Index::kSpread].set(i, row + col);
  }
}

std::optional<std::string> validate(const Case& c) {
  constexpr int64_t kMaxCells = int64_t{1} << 20;
  if (c.dims[Index::kRows] * c.dims[Index::kCols] > kMaxCells) {
    return "rows times cols must be at most 2^20";
  }
  if (c.dims[Index::kRows] * c.dims[Index::kWidth] > kMaxCells) {
    return "rows times width must be at most 2^20";
  }
  if (c.scalars[Index::kShown] > c.dims[Index::kWidth]) return "shown must be at most width";
  return std::nullopt;
}

std::optional<std::string> validate_data(const Case& c) {
  if (c.scalars[Index::kTotal] == sum_of_parts(c)) return std::nullopt;
  return "total must be the sum of parts";
}

void settle(Case& c) {
  c.scalars[Index::kTotal] = sum_of_parts(c);
}

std::vector<TensorSpec> make_tensors() {
  return {
      {.name = "keys",
       .dtypes = {DType::kInt64},
       .shape = {{.dim = Index::kRows}},
       .strided = {true},
       .min_value = -kMaxKey,
       .max_value = kMaxKey},
      {.name = "table",
       .shape = {{.dim = Index::kRows}, {.dim = Index::kCols}},
       .strided = {true, true},
       .min_value = -kMaxValue,
       .max_value = kMaxValue},
      {.name = "bias",
       .shape = {{.dim = Index::kCols}},
       .min_value = -kMaxValue,
       .max_value = kMaxValue,
       .presence = bias_presence},
      {.name = "sums",
       .role = Role::kOutput,
       .dtypes = {DType::kInt64},
       .shape = {{.compute = num_sums}}},
      {.name = "scaled",
       .role = Role::kOutput,
       .shape = {{.dim = Index::kRows}, {.dim = Index::kCols}},
       .strided = {true, false},
       .mask = mask_scaled},
      {.name = "parts",
       .dtypes = {DType::kInt32, DType::kInt64},
       .shape = {{.dim = Index::kRows}},
       .min_value = 0,
       .max_value = kMaxKey},
      {.name = "spread",
       .role = Role::kOutput,
       .shape = {{.dim = Index::kRows}, {.dim = Index::kWidth}},
       .strided = {true, false},
       .columns_written = columns_shown,
       .mask = mask_spread},
  };
}

Op make_op() {
  Op op;
  op.name = "ledger";
  op.summary = "running sums and a scaled table";
  op.scalars = {{.name = "scale", .min = 1, .max = 100, .simplest = 1},
                {.name = "sign", .min = 0, .max = 1, .symbols = {"plus", "minus"}},
                {.name = "total", .max = int64_t{1} << 60},
                {.name = "shown", .max = 1 << 20}};
  op.dims = {{.name = "rows", .max = 1 << 20},
             {.name = "cols", .max = 1 << 20},
             {.name = "width", .max = 1 << 20}};
  op.tensors = make_tensors();
  op.paths = {"serial"};
  op.validate = validate;
  op.validate_data = validate_data;
  op.settle = settle;
  op.oracle = run_oracle;
  return op;
}

std::optional<std::string> broken_invariant(const Case&, const Outputs& outputs) {
  if (outputs[Index::kSums].at(0) == 0) return std::nullopt;
  return "sums must start at 0";
}

}  // namespace

const Op& ledger_op() {
  static const Op op = make_op();
  return op;
}

OpProperties ledger_properties() {
  OpProperties properties;
  properties.op = &ledger_op();
  properties.broken_invariant = broken_invariant;
  return properties;
}

Case make_ledger_case(int64_t rows, int64_t cols) {
  Case c = make_case(ledger_op());
  c.scalars[Index::kScale] = 3;
  c.dims = {rows, cols, 0};
  fit_tensors(c);
  for (int64_t row = 0; row < rows; ++row) {
    c.tensors[Index::kKeys].elements.set(row, row + 1);
    for (int64_t col = 0; col < cols; ++col) {
      c.tensors[Index::kTable].elements.set(row * cols + col, 10 * row + col);
    }
  }
  for (int64_t col = 0; col < cols; ++col) c.tensors[Index::kBias].elements.set(col, 100 + col);
  return c;
}

Case make_spread_case(const Spread& spread) {
  Case c = make_ledger_case(static_cast<int64_t>(spread.parts.size()), 0);
  c.dims[Index::kWidth] = spread.width;
  c.scalars[Index::kShown] = spread.shown;
  fit_tensors(c);
  c.tensors[Index::kParts].elements = Elements(spread.parts);
  settle(c);
  return c;
}

Case with_gaps(Case c, int64_t gap) {
  const int64_t width = c.dims[Index::kCols] + gap;
  c.tensors[Index::kKeys].strides = {1 + gap};
  c.tensors[Index::kTable].strides = {width, 1};
  c.tensors[Index::kScaled].strides = {width, 1};
  c.tensors[Index::kSpread].strides = {c.dims[Index::kWidth] + gap, 1};
  return c;
}

}  // namespace bytegate
