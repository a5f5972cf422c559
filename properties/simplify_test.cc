#include "properties/simplify.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "oracles/case_text.h"
#include "properties/testing/ledger_op.h"

namespace bytegate {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Index = LedgerIndex;

Case with_bias_step() {
  Case c = make_ledger_case(2, 3);
  c.later_steps = {
      {.changes = {{.tensor = Index::kBias, .elements = Elements(std::vector<int32_t>{7, 8, 9})},
                   {.tensor = Index::kKeys, .elements = Elements(std::vector<int64_t>{70, 80})}}}};
  return c;
}

// Valid, and the same after it went through its text: what a kept failure must be.
void expect_keepable(const Case& c) {
  EXPECT_EQ(invalid_reason(c), std::nullopt);
  const std::vector<const Op*> ops = {&ledger_op()};
  const ParseResult read = read_case(write_case(c), ops);
  ASSERT_TRUE(read.value.has_value()) << to_string(read.error) << "\n" << write_case(c);
  EXPECT_EQ(*read.value, c) << write_case(c);
}

int64_t to_simplest(int64_t, int64_t simplest, int) {
  return simplest;
}

TEST(Simplify, CuttingRowsCutsThemFromEveryTensorAndStep) {
  const auto cut = cut_dim(with_bias_step(), Index::kCols, 1, 1);
  ASSERT_TRUE(cut.has_value());
  expect_keepable(*cut);
  EXPECT_THAT(cut->tensors[Index::kTable].elements.int32(), ElementsAre(0, 2, 10, 12));
  EXPECT_THAT(cut->tensors[Index::kBias].elements.int32(), ElementsAre(100, 102));
  EXPECT_THAT(cut->later_steps[0].changes[0].elements.int32(), ElementsAre(7, 9));
  EXPECT_THAT(cut->later_steps[0].changes[1].elements.int64(), ElementsAre(70, 80));
}

TEST(Simplify, ACutThatIsNotThereIsNotMade) {
  const Case c = make_ledger_case(2, 3);
  EXPECT_FALSE(cut_dim(c, Index::kRows, 0, 0).has_value());
  EXPECT_FALSE(cut_dim(c, Index::kRows, -1, 1).has_value());
  EXPECT_FALSE(cut_dim(c, Index::kRows, 1, 2).has_value());
}

TEST(Simplify, ExtentsThatAreComputedFollowTheCut) {
  const auto cut = cut_dim(with_gaps(make_ledger_case(4, 3), 2), Index::kRows, 1, 2);
  ASSERT_TRUE(cut.has_value());
  expect_keepable(*cut);
  EXPECT_EQ(cut->tensors[Index::kSums].shape, (Dims{3}));
  EXPECT_EQ(cut->tensors[Index::kScaled].strides, (Dims{5, 1}));
  EXPECT_THAT(cut->tensors[Index::kKeys].elements.int64(), ElementsAre(1, 4));
}

TEST(Simplify, AScalarThatForbidsATensorTakesItOutOfEveryStep) {
  const auto set = set_scalar(with_bias_step(), Index::kSign, 1);
  ASSERT_TRUE(set.has_value());
  expect_keepable(*set);
  EXPECT_FALSE(set->tensors[Index::kBias].present);
  ASSERT_EQ(set->later_steps[0].changes.size(), 1u);
  EXPECT_EQ(set->later_steps[0].changes[0].tensor, Index::kKeys);
}

TEST(Simplify, LeavingATensorOutLeavesNothingOfItBehind) {
  const auto left = leave_out(with_bias_step(), Index::kBias);
  ASSERT_TRUE(left.has_value());
  expect_keepable(*left);
  EXPECT_FALSE(left->tensors[Index::kBias].present);
  EXPECT_EQ(left->tensors[Index::kBias].elements.size(), 0);
  EXPECT_FALSE(leave_out(*left, Index::kBias).has_value());
  EXPECT_FALSE(leave_out(*left, Index::kKeys).has_value());
}

TEST(Simplify, ElementsChangeInEveryStep) {
  const auto changed = change_elements(with_bias_step(), Index::kKeys, 1, 1, to_simplest, 0);
  ASSERT_TRUE(changed.has_value());
  expect_keepable(*changed);
  EXPECT_THAT(changed->tensors[Index::kKeys].elements.int64(), ElementsAre(1, 0));
  EXPECT_THAT(changed->later_steps[0].changes[1].elements.int64(), ElementsAre(70, 0));
  EXPECT_FALSE(change_elements(*changed, Index::kKeys, 1, 1, to_simplest, 0).has_value());
}

TEST(Simplify, ElementsThatShareTheirMemoryChangeTogetherOrNotAtAll) {
  Case c = make_ledger_case(3, 2);
  c.tensors[Index::kKeys].strides = {0};
  c.tensors[Index::kKeys].elements = Elements(std::vector<int64_t>{4, 4, 4});
  EXPECT_FALSE(change_elements(c, Index::kKeys, 0, 1, to_simplest, 0).has_value());
  const auto all = change_elements(c, Index::kKeys, 0, 3, to_simplest, 0);
  ASSERT_TRUE(all.has_value());
  EXPECT_THAT(all->tensors[Index::kKeys].elements.int64(), ElementsAre(0, 0, 0));
  // A transposed matrix shares nothing.
  c.tensors[Index::kTable].strides = {1, 3};
  EXPECT_TRUE(change_elements(c, Index::kTable, 2, 1, to_simplest, 0).has_value());
}

Case wide_parts(std::vector<int64_t> parts) {
  Case c = make_spread_case({.parts = {1, 2}});
  c.tensors[Index::kParts].dtype = DType::kInt64;
  c.tensors[Index::kParts].elements = Elements(std::move(parts));
  c.op->settle(c);
  return c;
}

TEST(Simplify, ADTypeBecomesTheFirstOfItsSpecInEveryStep) {
  Case c = wide_parts({INT32_MAX, 0});
  c.later_steps = {{.changes = {{.tensor = Index::kParts,
                                 .elements = Elements(std::vector<int64_t>{0, INT32_MAX})}}}};
  const auto narrow = narrow_dtype(c, Index::kParts);
  ASSERT_TRUE(narrow.has_value());
  expect_keepable(*narrow);
  EXPECT_EQ(narrow->tensors[Index::kParts].dtype, DType::kInt32);
  EXPECT_THAT(narrow->tensors[Index::kParts].elements.int32(), ElementsAre(INT32_MAX, 0));
  EXPECT_THAT(narrow->later_steps[0].changes[0].elements.int32(), ElementsAre(0, INT32_MAX));
  EXPECT_FALSE(narrow_dtype(*narrow, Index::kParts).has_value());
}

TEST(Simplify, ADTypeStaysWhereAValueOfAnyStepDoesNotFit) {
  EXPECT_FALSE(narrow_dtype(wide_parts({int64_t{INT32_MAX} + 1, 0}), Index::kParts).has_value());
  EXPECT_FALSE(narrow_dtype(wide_parts({0, int64_t{INT32_MIN} - 1}), Index::kParts).has_value());
  Case later = wide_parts({1, 2});
  later.later_steps = {
      {.changes = {{.tensor = Index::kParts,
                    .elements = Elements(std::vector<int64_t>{int64_t{1} << 32, 2})}}}};
  EXPECT_FALSE(narrow_dtype(later, Index::kParts).has_value());
  // Of one dtype, and not there.
  EXPECT_FALSE(narrow_dtype(later, Index::kKeys).has_value());
  const Case without_bias = *leave_out(make_ledger_case(2, 2), Index::kBias);
  EXPECT_FALSE(narrow_dtype(without_bias, Index::kBias).has_value());
}

TEST(Simplify, APatternThatTheNarrowDTypeCannotHoldIsForgotten) {
  Case c = wide_parts({3, 4});
  c.tensors[Index::kParts].pattern = Pattern{.seed = 1, .low = 0, .high = int64_t{1} << 40};
  EXPECT_FALSE(narrow_dtype(c, Index::kParts)->tensors[Index::kParts].pattern.has_value());
  c.tensors[Index::kParts].pattern = Pattern{.seed = 1, .low = 0, .high = 9};
  EXPECT_TRUE(narrow_dtype(c, Index::kParts)->tensors[Index::kParts].pattern.has_value());
}

TEST(Simplify, LaunchesBecomePlain) {
  Case c = with_bias_step();
  c.mode = Mode::kGraph;
  c.seed = 5;
  c.forced_path = "serial";
  EXPECT_EQ(plain_mode(c)->mode, Mode::kPlain);
  EXPECT_EQ(natural_order(c)->seed, 0u);
  EXPECT_EQ(unforced_path(c)->forced_path, "");
  EXPECT_THAT(drop_steps(c, 0, 1)->later_steps, IsEmpty());
  EXPECT_FALSE(drop_steps(c, 1, 1).has_value());
  EXPECT_FALSE(drop_steps(c, 0, 2).has_value());
  const Case plain = make_ledger_case(2, 3);
  EXPECT_FALSE(plain_mode(plain) || natural_order(plain) || unforced_path(plain));
  EXPECT_FALSE(make_compact(plain, Index::kTable).has_value());
  EXPECT_EQ(
      *make_compact(with_gaps(plain, 3), Index::kScaled)->tensors[Index::kScaled].strides.begin(),
      3);
}

}  // namespace
}  // namespace bytegate
