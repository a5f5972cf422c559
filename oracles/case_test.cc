#include "oracles/case.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "oracles/paged_mqa_metadata.h"

namespace bytegate {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Optional;
using Index = PagedMqaMetadataIndex;

// Shares: `total` is the sum of the parts, and of `out` [rows, width] `shown` columns are written,
// each with the row's part.
const Op& shares_op() {
  static const Op op = [] {
    Op made;
    made.name = "shares";
    made.scalars = {{.name = "total", .max = 1000},
                    {.name = "shown", .min = INT64_MIN, .max = INT64_MAX}};
    made.dims = {{.name = "rows"}, {.name = "width"}};
    made.tensors = {{.name = "parts", .shape = {{.dim = 0}}, .min_value = 0, .max_value = 100},
                    {.name = "out",
                     .role = Role::kOutput,
                     .shape = {{.dim = 0}, {.dim = 1}},
                     .columns_written = [](const Case& c) { return c.scalars[1]; }},
                    {.name = "all", .role = Role::kOutput, .shape = {{.dim = 0}}}};
    made.validate_data = [](const Case& c) -> std::optional<std::string> {
      int64_t sum = 0;
      for (const int32_t part : c.tensors[0].elements.int32()) sum += part;
      if (sum == c.scalars[0]) return std::nullopt;
      return "the parts are " + std::to_string(sum);
    };
    made.oracle = [](const Case& c, Outputs& outputs) {
      const int64_t columns = written_shape(c, 1)[1];
      for (int64_t i = 0; i < outputs[1].size(); ++i) {
        outputs[1].set(i, c.tensors[0].elements.at(i / columns));
      }
    };
    return made;
  }();
  return op;
}

// Parts 3 and 4 in 2 of 5 columns.
Case make_shares() {
  Case c = make_case(shares_op());
  c.scalars = {7, 2};
  c.dims = {2, 5};
  fit_tensors(c);
  c.tensors[0].elements = Elements(std::vector<int32_t>{3, 4});
  return c;
}

TEST(Case, AScalarOutOfRangeIsNamedWithItsRange) {
  Case c = make_paged_mqa_metadata_case({1}, 2);
  EXPECT_EQ(invalid_reason(c), std::nullopt);
  c.scalars[Index::kPageSize] = 32;
  EXPECT_THAT(invalid_reason(c), Optional(HasSubstr("page_size is 32, outside 64 .. 64")));
}

TEST(Case, AnElementOutOfRangeIsNamedWithItsIndex) {
  const Case c = make_paged_mqa_metadata_case({1, -7}, 2);
  EXPECT_THAT(invalid_reason(c), Optional(HasSubstr("context_lens[1] is -7")));
}

TEST(Case, AShapeThatDisagreesWithTheScalarsIsMalformed) {
  Case c = make_paged_mqa_metadata_case({1}, 2);
  c.scalars[Index::kNumSm] = 3;
  EXPECT_THAT(malformed_reason(c), Optional(HasSubstr("schedule_metadata has shape [3, 2]")));
}

TEST(Case, ContiguousAxesRefuseStrides) {
  Case c = make_paged_mqa_metadata_case({1, 2}, 2);
  c.tensors[Index::kContextLens].strides[0] = 2;
  EXPECT_THAT(invalid_reason(c), Optional(HasSubstr("must be contiguous")));
}

TEST(Case, TheStrideOfAtMostOneElementMeansNothing) {
  for (const std::vector<int32_t>& lens : {std::vector<int32_t>{}, std::vector<int32_t>{7}}) {
    Case c = make_paged_mqa_metadata_case(lens, 2);
    c.tensors[Index::kContextLens].strides[0] = 2;
    EXPECT_EQ(invalid_reason(c), std::nullopt) << lens.size();
  }
}

TEST(Case, ALaterStepReplacesOnlyWhatItNames) {
  Case c = make_paged_mqa_metadata_case({1, 2}, 2);
  c.later_steps = {{.changes = {{.tensor = Index::kContextLens,
                                 .elements = Elements(std::vector<int32_t>{5, 6})}}}};
  EXPECT_EQ(at_step(c, 0).tensors[0].elements.at(0), 1);
  EXPECT_EQ(at_step(c, 1).tensors[0].elements.at(0), 5);
  EXPECT_EQ(at_step(c, 1).scalars, c.scalars);
}

TEST(Case, TheWrittenShapeHasTheColumnsThatAreWritten) {
  Case c = make_shares();
  EXPECT_EQ(written_shape(c, 1), (Dims{2, 2}));
  EXPECT_EQ(written_shape(c, 2), (Dims{2}));
  c.scalars[1] = 0;
  EXPECT_EQ(written_shape(c, 1), (Dims{2, 0}));
  c.scalars[1] = 5;
  EXPECT_EQ(written_shape(c, 1), (Dims{2, 5}));
}

TEST(Case, NoMoreColumnsAreWrittenThanThereAreAndNoneBelowZero) {
  Case c = make_shares();
  c.scalars[1] = 6;
  EXPECT_EQ(written_shape(c, 1), (Dims{2, 5}));
  c.scalars[1] = INT64_MAX;
  EXPECT_EQ(written_shape(c, 1), (Dims{2, 5}));
  c.scalars[1] = -1;
  EXPECT_EQ(written_shape(c, 1), (Dims{2, 0}));
}

TEST(Case, ExpectedOutputsHaveTheSizeOfWhatIsWritten) {
  const Outputs outputs = expected_outputs(make_shares());
  EXPECT_THAT(outputs[1].int32(), ElementsAre(3, 3, 4, 4));
  EXPECT_THAT(outputs[2].int32(), ElementsAre(0, 0));
}

TEST(Case, ARelationOfElementsIsNoFaultOfTheCall) {
  Case c = make_shares();
  EXPECT_EQ(invalid_reason(c), std::nullopt);
  c.scalars[0] = 8;
  EXPECT_THAT(invalid_reason(c), Optional(HasSubstr("the parts are 7")));
  EXPECT_EQ(invalid_call_reason(c), std::nullopt);
}

TEST(Case, AnElementOutOfRangeIsNoFaultOfTheCallAndComesBeforeTheRelations) {
  Case c = make_shares();
  c.tensors[0].elements.set(1, 101);
  EXPECT_THAT(invalid_reason(c), Optional(HasSubstr("parts[1] is 101")));
  EXPECT_EQ(invalid_call_reason(c), std::nullopt);
}

TEST(Case, WhatTheHostSeesIsAFaultOfTheCall) {
  Case c = make_shares();
  c.scalars[0] = -1;
  EXPECT_THAT(invalid_call_reason(c), Optional(HasSubstr("total is -1")));
  c = make_shares();
  c.tensors[0].present = false;
  EXPECT_THAT(invalid_call_reason(c), Optional(HasSubstr("parts is required")));
  c = make_shares();
  c.call_faults = {{.kind = CallFaultKind::kShortWorkspace}};
  EXPECT_THAT(invalid_call_reason(c), Optional(HasSubstr("the call itself")));
}

TEST(Case, RelationsOfElementsHoldInEveryStep) {
  const auto step = [](std::vector<int32_t> parts) {
    return Step{.changes = {{.tensor = 0, .elements = Elements(std::move(parts))}}};
  };
  Case c = make_shares();
  c.later_steps = {step({7, 0}), step({0, 7})};
  EXPECT_EQ(invalid_reason(c), std::nullopt);
  c.later_steps[1] = step({1, 7});
  EXPECT_THAT(invalid_reason(c), Optional(HasSubstr("step 2: the parts are 8")));
  c.later_steps[0] = step({0, 107});
  EXPECT_THAT(invalid_reason(c), Optional(HasSubstr("step 1: element parts[1] is 107")));
}

TEST(Tensor, ExtentIsOnePastTheLastElement) {
  EXPECT_EQ(extent_elements({2, 3}, {10, 1}), 13);
  EXPECT_EQ(extent_elements({2, 0}, {10, 1}), 0);
  EXPECT_EQ(extent_elements({3, 1}, {int64_t{1} << 31, 1}), (int64_t{1} << 32) + 1);
  EXPECT_EQ(extent_elements({3, 1}, {INT64_MAX, 1}), std::nullopt);
}

TEST(Tensor, OffsetsFollowTheStrides) {
  EXPECT_EQ(element_offset({2, 3}, {10, 2}, 4), 12);
  EXPECT_EQ(element_offset({2, 3}, {0, 1}, 5), 2);
}

TEST(Tensor, ElementsThatShareAnAddressMustAgree) {
  Tensor tensor;
  tensor.shape = {2, 3};
  tensor.strides = {0, 1};
  tensor.elements = Elements(std::vector<int32_t>{1, 2, 3, 1, 2, 3});
  EXPECT_FALSE(aliases_disagree(tensor));
  tensor.elements.set(4, 9);
  EXPECT_TRUE(aliases_disagree(tensor));
  tensor.strides = {1, 1};  // windows: (0, 1) is (1, 0), (0, 2) is (1, 1)
  tensor.elements = Elements(std::vector<int32_t>{1, 2, 3, 2, 3, 4});
  EXPECT_FALSE(aliases_disagree(tensor));
  tensor.strides = {1, 2};  // transposed and distinct: 0 2 4 and 1 3 5
  tensor.elements = Elements(std::vector<int32_t>{1, 2, 3, 4, 5, 6});
  EXPECT_FALSE(aliases_disagree(tensor));
}

TEST(Tensor, PatternValuesAreTheFrozenOnes) {
  // splitmix64 of seed 0: its first outputs are published test vectors.
  const Pattern full{.seed = 0, .low = INT64_MIN, .high = INT64_MAX};
  EXPECT_EQ(static_cast<uint64_t>(pattern_value(full, 0)) - static_cast<uint64_t>(INT64_MIN),
            0xe220a8397b1dcdafULL);
  EXPECT_EQ(pattern_value({.seed = 0, .low = 10, .high = 10}, 3), 10);
  EXPECT_EQ(pattern_value({.seed = 0, .low = 0, .high = 255}, 0), 0xaf);
}

}  // namespace
}  // namespace bytegate
