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
bool is_stated(const Case& c, int64_t idx) {
  return c.tensors[Index::kTable].elements.at(idx) >= 0;
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
}

std::optional<std::string> validate(const Case& c) {
  if (c.dims[Index::kRows] * c.dims[Index::kCols] <= (int64_t{1} << 20)) return std::nullopt;
  return "rows times cols must be at most 2^20";
}

Op make_op() {
  Op op;
  op.name = "ledger";
  op.summary = "running sums and a scaled table";
  op.scalars = {{.name = "scale", .min = 1, .max = 100, .simplest = 1},
                {.name = "sign", .min = 0, .max = 1, .symbols = {"plus", "minus"}}};
  op.dims = {{.name = "rows", .max = 1 << 20}, {.name = "cols", .max = 1 << 20}};
  op.tensors = {
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
       .cares = is_stated},
  };
  op.paths = {"serial"};
  op.validate = validate;
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
  c.dims = {rows, cols};
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

Case with_gaps(Case c, int64_t gap) {
  const int64_t width = c.dims[Index::kCols] + gap;
  c.tensors[Index::kKeys].strides = {1 + gap};
  c.tensors[Index::kTable].strides = {width, 1};
  c.tensors[Index::kScaled].strides = {width, 1};
  return c;
}

}  // namespace bytegate
