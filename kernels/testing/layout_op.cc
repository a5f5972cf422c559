#include "kernels/testing/layout_op.h"

namespace bytegate {
namespace {

int64_t columns_left(const Case& c) {
  return c.dims[1] - c.scalars[0];
}

Op make_op() {
  Op op;
  op.name = "layout";
  op.scalars = {{.name = "kept", .max = INT32_MAX}};
  op.dims = {{.name = "rows"}, {.name = "cols"}};
  op.tensors = {
      {.name = "in", .shape = {{.dim = 0}, {.dim = 1}}, .strided = {true, true}},
      {.name = "out",
       .role = Role::kOutput,
       .shape = {{.dim = 0}, {.dim = 1}},
       .strided = {true, true},
       .columns_written = columns_left},
      {.name = "wide", .role = Role::kOutput, .dtypes = {DType::kInt64}, .shape = {{.dim = 0}}},
  };
  return op;
}

}  // namespace

const Op& layout_op() {
  static const Op op = make_op();
  return op;
}

Case make_layout_case(int64_t rows, int64_t cols) {
  Case c = make_case(layout_op());
  c.dims = {rows, cols};
  fit_tensors(c);
  for (int64_t i = 0; i < rows * cols; ++i) c.tensors[LayoutIndex::kIn].elements.set(i, i + 1);
  return c;
}

Case keeping_columns(Case c, int64_t kept) {
  c.scalars[0] = kept;
  return c;
}

}  // namespace bytegate
