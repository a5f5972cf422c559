#include "oracles/case.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "oracles/paged_mqa_metadata.h"

namespace bytegate {
namespace {

using ::testing::HasSubstr;
using ::testing::Optional;
using Index = PagedMqaMetadataIndex;

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

TEST(Case, ALaterStepReplacesOnlyWhatItNames) {
  Case c = make_paged_mqa_metadata_case({1, 2}, 2);
  c.later_steps = {{.changes = {{.tensor = Index::kContextLens,
                                 .elements = Elements(std::vector<int32_t>{5, 6})}}}};
  EXPECT_EQ(at_step(c, 0).tensors[0].elements.at(0), 1);
  EXPECT_EQ(at_step(c, 1).tensors[0].elements.at(0), 5);
  EXPECT_EQ(at_step(c, 1).scalars, c.scalars);
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
