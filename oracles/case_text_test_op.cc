#include "oracles/case_text_test_op.h"

#include <algorithm>

namespace bytegate {
namespace {

using Index = TextTestIndex;

int64_t num_layers(const Case&) {
  return 3;
}
Presence mask_presence(const Case& c) {
  return c.scalars[Index::kLevel] > 0 ? Presence::kAbsent : Presence::kOptional;
}
std::optional<std::string> validate(const Case& c) {
  if (c.scalars[Index::kOffset] != 13) return std::nullopt;
  return "offset must not be 13";
}

Op make_op() {
  Op op;
  op.name = "text_test";
  op.scalars = {{.name = "level", .min = -2, .max = 3, .symbols = {"low", "lower", "even"}},
                {.name = "offset", .min = INT64_MIN, .max = INT64_MAX}};
  op.dims = {{.name = "rows", .max = 1000}, {.name = "huge"}};
  op.tensors = {
      {.name = "indices", .dtypes = {DType::kInt64, DType::kInt32}, .shape = {{.dim = 0}}},
      {.name = "mask",
       .dtypes = {DType::kInt32},
       .shape = {{.dim = 0}, {.compute = num_layers}, {.dim = 0}},
       .strided = {true, true, true},
       .min_value = -1,
       .max_value = 1000,
       .presence = mask_presence},
      {.name = "weights", .shape = {{.dim = 1}}},
      {.name = "result",
       .role = Role::kOutput,
       .dtypes = {DType::kInt64},
       .shape = {{.dim = 0}, {.dim = 0}},
       .strided = {true, false}},
  };
  op.validate = validate;
  return op;
}

}  // namespace

const Op& text_test_op() {
  static const Op op = make_op();
  return op;
}

Case make_text_test_case() {
  Case c = make_case(text_test_op());
  c.scalars = {-1, INT64_MIN};
  c.dims = {2, 40};
  fit_tensors(c);
  c.tensors[Index::kIndices].elements = Elements(std::vector<int64_t>{INT64_MIN, INT64_MAX});
  c.tensors[Index::kMask].strides = {1, 100, 2};
  c.tensors[Index::kMask].elements =
      Elements(std::vector<int32_t>{1, 1, 1, 1, 9, 7, 5, 3, 1, -1, 1000, 0});
  Tensor& weights = c.tensors[Index::kWeights];
  weights.pattern = Pattern{.seed = UINT64_MAX, .low = -5, .high = INT32_MAX};
  for (int64_t i = 0; i < c.dims[Index::kHuge]; ++i) {
    weights.elements.set(i, pattern_value(*weights.pattern, i));
  }
  weights.elements.set(7, INT32_MIN);
  weights.elements.set(39, 0);
  c.tensors[Index::kResult].strides = {5, 1};
  Step first;
  first.changes.push_back({.tensor = Index::kWeights, .elements = Elements(DType::kInt32, 40)});
  first.changes.push_back(
      {.tensor = Index::kIndices, .elements = Elements(std::vector<int64_t>{3, -4})});
  c.later_steps = {first, Step{}};
  return c;
}

}  // namespace bytegate
