#include "properties/minimize.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "kernels/testing/candidates.h"
#include "kernels/testing/ledger_candidates.h"
#include "kernels/testing/schedule_candidates.h"
#include "oracles/case_text.h"
#include "oracles/paged_mqa_metadata.h"
#include "properties/check.h"
#include "properties/paged_mqa_metadata.h"
#include "properties/testing/ledger_op.h"

namespace bytegate {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::SizeIs;

const MinimizeOptions kPatient = {.time_limit = std::chrono::minutes(2)};

// Judges on the host, with a fresh candidate each time: what one call left behind in a candidate
// must not make the next case fail.
class Minimize : public ::testing::Test {
 protected:
  MinimizeResult shrink(const Case& failing, const bytegate_candidate& table,
                        const OpProperties& properties) {
    const Judge judge = [&](const Case& c) {
      const auto candidate = open_candidate(table);
      return check({&c, 1}, *candidate, *backend_, properties).front();
    };
    return minimize(failing, judge, kPatient);
  }
  MinimizeResult shrink_ledger(const Case& failing, LedgerFlaw flaw) {
    return shrink(failing, ledger_candidate(flaw), ledger_properties());
  }
  MinimizeResult shrink_schedule(const Case& failing, const bytegate_candidate& table) {
    return shrink(failing, table, paged_mqa_metadata_properties());
  }

 private:
  std::unique_ptr<Backend> backend_ = make_host_backend({});
};

std::vector<int32_t> lens_of(const Case& c) {
  const auto lens = c.tensors[PagedMqaMetadataIndex::kContextLens].elements.int32();
  return {lens.begin(), lens.end()};
}

int64_t num_sm_of(const Case& c) {
  return c.scalars[PagedMqaMetadataIndex::kNumSm];
}

TEST_F(Minimize, ACaseWithoutAVerdictStaysAsItIs) {
  const Case failing = make_paged_mqa_metadata_case({300, 5}, 4);
  const MinimizeResult result = minimize(
      failing, [](const Case&) { return Verdict{.origin = "untested"}; }, kPatient);
  EXPECT_EQ(result.smallest, failing);
  EXPECT_EQ(result.num_tried, 0);
  EXPECT_FALSE(result.minimal);
}

TEST_F(Minimize, TheForwardRemainderShrinksToOneTokenOverTwoSms) {
  int num_shrunk = 0;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    Draw draw(case_seed(4, seed));
    const Case drawn = paged_mqa_metadata_properties().generate(draw);
    if (drawn.dims[0] > 5000) continue;
    const MinimizeResult result = shrink_schedule(drawn, forward_remainder_candidate());
    if (result.verdict.passed()) continue;
    ++num_shrunk;
    EXPECT_TRUE(result.minimal);
    EXPECT_EQ(write_case(result.smallest), write_case(make_paged_mqa_metadata_case({1}, 2)));
    EXPECT_EQ(describe(result.verdict),
              "mismatch:schedule_metadata at schedule_metadata[1, 0]: expect 0, actual 1 (1 of 6 "
              "differ)");
  }
  EXPECT_GE(num_shrunk, 5);
}

TEST_F(Minimize, The32BitTotalShrinksToTheFewestRowsThatPass32Bits) {
  // 512 rows of 2^23 splits are 2^32; 2^31 - 255 tokens are the fewest of 2^23 splits.
  std::vector<int32_t> lens(1500, INT32_MAX);
  lens[3] = 0;
  lens[700] = 17;
  const MinimizeResult result =
      shrink_schedule(make_paged_mqa_metadata_case(lens, 132), narrow_total_candidate());
  EXPECT_TRUE(result.minimal);
  EXPECT_EQ(num_sm_of(result.smallest), 1);
  EXPECT_THAT(lens_of(result.smallest), SizeIs(512));
  EXPECT_THAT(lens_of(result.smallest), Each(INT32_MAX - 254));
  EXPECT_EQ(result.verdict.origin, "mismatch:schedule_metadata");
}

TEST_F(Minimize, ALedgerShrinksToTheOneCellThatFails) {
  Case c = with_gaps(make_ledger_case(5, 7), 3);
  c.seed = 99;
  c.forced_path = "serial";
  c.later_steps.resize(2);
  const MinimizeResult result = shrink_ledger(c, LedgerFlaw::kOneTooLarge);
  EXPECT_TRUE(result.minimal);
  Case expect = make_case(ledger_op());
  expect.dims = {1, 1, 0};
  fit_tensors(expect);
  expect.tensors[LedgerIndex::kTable].elements.set(0, 6);
  expect.tensors[LedgerIndex::kBias].present = false;
  fit_tensors(expect);
  EXPECT_EQ(write_case(result.smallest), write_case(expect));
}

TEST_F(Minimize, WhatNeedsARefusedSizeKeepsExactlyThatSize) {
  const MinimizeResult result =
      shrink_ledger(make_ledger_case(40, 9), LedgerFlaw::kRefusesThreeRows);
  EXPECT_TRUE(result.minimal);
  EXPECT_THAT(result.smallest.dims, ElementsAre(3, 0, 0));
  EXPECT_EQ(result.verdict.origin, "refused");
}

TEST_F(Minimize, WhatNeedsAGapKeepsTheGap) {
  const MinimizeResult result =
      shrink_ledger(with_gaps(make_ledger_case(6, 6), 4), LedgerFlaw::kWritesIntoGaps);
  EXPECT_TRUE(result.minimal);
  EXPECT_THAT(result.smallest.dims, ElementsAre(2, 1, 0));
  EXPECT_FALSE(is_compact(result.smallest.tensors[LedgerIndex::kScaled]));
  EXPECT_TRUE(is_compact(result.smallest.tensors[LedgerIndex::kTable]));
}

TEST_F(Minimize, WhatNeedsASecondStepKeepsOneWithOneChange) {
  Case c = make_ledger_case(4, 3);
  for (const int64_t key : {7, 8, 9}) {
    c.later_steps.push_back({.changes = {{.tensor = LedgerIndex::kKeys,
                                          .elements = Elements(std::vector<int64_t>(4, key))}}});
  }
  const MinimizeResult result = shrink_ledger(c, LedgerFlaw::kRemembersKeys);
  EXPECT_TRUE(result.minimal);
  EXPECT_THAT(result.smallest.later_steps, SizeIs(1));
  EXPECT_THAT(result.smallest.dims, ElementsAre(1, 0, 0));
}

TEST_F(Minimize, AnAcceptedCallKeepsItsFault) {
  Case c = make_ledger_case(8, 8);
  c.expect = Expect::kRefused;
  c.scalars[LedgerIndex::kScale] = 100000;
  const MinimizeResult result = shrink_ledger(c, LedgerFlaw::kTakesAnyScale);
  EXPECT_TRUE(result.minimal);
  EXPECT_EQ(result.verdict.origin, "accepted");
  EXPECT_EQ(result.smallest.scalars[LedgerIndex::kScale], 101);
  EXPECT_THAT(result.smallest.dims, ElementsAre(0, 0, 0));
}

TEST_F(Minimize, WhatFillsColumnsThatAreKeptShrinksToOneOfThem) {
  Case c = with_gaps(make_spread_case({.parts = {3, 900, 70}, .width = 8, .shown = 3}), 2);
  c.later_steps = {{.changes = {{.tensor = LedgerIndex::kParts,
                                 .elements = Elements(std::vector<int32_t>{973, 0, 0})}}}};
  const Case expect = make_spread_case({.parts = {0}, .width = 1, .shown = 0});
  for (const LedgerFlaw flaw : {LedgerFlaw::kFillsWholeWidth, LedgerFlaw::kWritesColumnTooMany}) {
    const MinimizeResult result = shrink_ledger(c, flaw);
    EXPECT_TRUE(result.minimal);
    EXPECT_EQ(result.verdict.origin, "overrun:spread");
    EXPECT_EQ(result.smallest.dims, expect.dims);
    EXPECT_EQ(result.smallest.scalars, std::vector<int64_t>({1, 0, 0, 0}));
    EXPECT_EQ(result.smallest.tensors[LedgerIndex::kParts], expect.tensors[LedgerIndex::kParts]);
    EXPECT_TRUE(is_compact(result.smallest.tensors[LedgerIndex::kSpread]));
    EXPECT_THAT(result.smallest.later_steps, SizeIs(0));
  }
}

// ---- with predicates alone

Verdict failed(const std::string& origin) {
  return {.kind = VerdictKind::kMismatch, .origin = origin};
}

TEST(MinimizePredicate, ASumOfElementsShrinksToOneElement) {
  const Judge judge = [](const Case& c) -> Verdict {
    const Elements& keys = c.tensors[LedgerIndex::kKeys].elements;
    int64_t sum = 0;
    for (int64_t i = 0; i < keys.size(); ++i) sum += keys.at(i);
    return sum >= 10 ? failed("sum") : Verdict{.kind = VerdictKind::kPass};
  };
  const MinimizeResult result = minimize(make_ledger_case(30, 4), judge, kPatient);
  EXPECT_TRUE(result.minimal);
  EXPECT_THAT(result.smallest.dims, ElementsAre(1, 0, 0));
  EXPECT_THAT(result.smallest.tensors[LedgerIndex::kKeys].elements.int64(), ElementsAre(10));
  EXPECT_EQ(result.smallest.scalars[LedgerIndex::kScale], 1);
  EXPECT_GT(result.num_accepted, 0);
  EXPECT_GE(result.num_tried, result.num_accepted);
}

TEST(MinimizePredicate, AScalarThatIsASumFollowsItsElements) {
  const Judge judge = [](const Case& c) -> Verdict {
    EXPECT_EQ(invalid_reason(c), std::nullopt);
    return c.scalars[LedgerIndex::kTotal] >= 10 ? failed("total")
                                                : Verdict{.kind = VerdictKind::kPass};
  };
  const Case c = make_spread_case({.parts = {5, 0, 7, 1000, 40}, .width = 9, .shown = 4});
  const MinimizeResult result = minimize(c, judge, kPatient);
  EXPECT_TRUE(result.minimal);
  EXPECT_THAT(result.smallest.tensors[LedgerIndex::kParts].elements.int32(), ElementsAre(10));
  EXPECT_THAT(result.smallest.scalars, ElementsAre(1, 0, 10, 0));
  EXPECT_THAT(result.smallest.dims, ElementsAre(1, 0, 0));
}

TEST(MinimizePredicate, AWidthThatHoldsAScalarShrinksWithIt) {
  // shown <= width: neither can go first all the way.
  const Judge judge = [](const Case& c) -> Verdict {
    return c.scalars[LedgerIndex::kShown] >= 2 ? failed("shown")
                                               : Verdict{.kind = VerdictKind::kPass};
  };
  const Case c = make_spread_case({.parts = {5, 6}, .width = 40, .shown = 40});
  const MinimizeResult result = minimize(c, judge, kPatient);
  EXPECT_TRUE(result.minimal);
  EXPECT_THAT(result.smallest.scalars, ElementsAre(1, 0, 0, 2));
  EXPECT_THAT(result.smallest.dims, ElementsAre(0, 0, 2));
}

Case wide_parts() {
  Case c = make_spread_case({.parts = {5, 6}});
  c.tensors[LedgerIndex::kParts].dtype = DType::kInt64;
  c.tensors[LedgerIndex::kParts].elements =
      Elements(std::vector<int64_t>{int64_t{1} << 40, int64_t{1} << 33});
  c.op->settle(c);
  return c;
}

TEST(MinimizePredicate, ADTypeIsNarrowedOnceTheValuesFit) {
  const Judge some_part = [](const Case& c) -> Verdict {
    return c.scalars[LedgerIndex::kTotal] > 0 ? failed("part")
                                              : Verdict{.kind = VerdictKind::kPass};
  };
  const MinimizeResult narrow = minimize(wide_parts(), some_part, kPatient);
  EXPECT_TRUE(narrow.minimal);
  ASSERT_EQ(narrow.smallest.tensors[LedgerIndex::kParts].dtype, DType::kInt32);
  EXPECT_THAT(narrow.smallest.tensors[LedgerIndex::kParts].elements.int32(), ElementsAre(1));
  const Judge wide_part = [](const Case& c) -> Verdict {
    return c.scalars[LedgerIndex::kTotal] > INT32_MAX ? failed("part")
                                                      : Verdict{.kind = VerdictKind::kPass};
  };
  const MinimizeResult wide = minimize(wide_parts(), wide_part, kPatient);
  EXPECT_TRUE(wide.minimal);
  // Two rows of int32, or one of int64: a row less comes first.
  EXPECT_THAT(wide.smallest.tensors[LedgerIndex::kParts].elements.int64(),
              ElementsAre(int64_t{INT32_MAX} + 1));
}

TEST(Moves, EachLeavesTheCaseSettledUnlessItIsToBeRefused) {
  Case c = make_spread_case({.parts = {5, 0, 7}, .width = 2, .shown = 1});
  int num_changed = 0;
  for (const Move& move : moves_of(c)) {
    const std::optional<Case> simpler = move(c);
    if (!simpler) continue;
    EXPECT_EQ(c.op->validate_data(*simpler), std::nullopt);
    num_changed += simpler->scalars[LedgerIndex::kTotal] != 12 ? 1 : 0;
  }
  EXPECT_GT(num_changed, 3);
  c.expect = Expect::kRefused;
  c.scalars[LedgerIndex::kScale] = 0;
  bool any_unsettled = false;
  for (const Move& move : moves_of(c)) {
    const std::optional<Case> simpler = move(c);
    any_unsettled = any_unsettled || (simpler && c.op->validate_data(*simpler));
  }
  EXPECT_TRUE(any_unsettled);
}

TEST(MinimizePredicate, EveryCaseTriedIsValid) {
  const Judge judge = [](const Case& c) -> Verdict {
    EXPECT_EQ(invalid_reason(c), std::nullopt);
    return c.dims[LedgerIndex::kCols] > 2 ? failed("cols") : Verdict{.kind = VerdictKind::kPass};
  };
  Case c = with_gaps(make_ledger_case(6, 5), 2);
  c.later_steps = {{.changes = {{.tensor = LedgerIndex::kBias,
                                 .elements = Elements(std::vector<int32_t>(5, 8))}}}};
  const MinimizeResult result = minimize(c, judge, kPatient);
  EXPECT_TRUE(result.minimal);
  EXPECT_THAT(result.smallest.dims, ElementsAre(0, 3, 0));
}

TEST(MinimizePredicate, RepeatedInputsKeepRepeating) {
  Case c = make_ledger_case(4, 3);
  c.tensors[LedgerIndex::kKeys].strides = {0};
  c.tensors[LedgerIndex::kKeys].elements = Elements(std::vector<int64_t>(4, 1000));
  c.tensors[LedgerIndex::kTable].strides = {0, 1};
  c.tensors[LedgerIndex::kTable].elements =
      Elements(std::vector<int32_t>{5, 6, 7, 5, 6, 7, 5, 6, 7, 5, 6, 7});
  const Judge judge = [](const Case& tried) -> Verdict {
    const Tensor& keys = tried.tensors[LedgerIndex::kKeys];
    for (int64_t i = 1; i < keys.elements.size() && keys.strides[0] == 0; ++i) {
      EXPECT_EQ(keys.elements.at(i), keys.elements.at(0));
    }
    const Tensor& table = tried.tensors[LedgerIndex::kTable];
    const int64_t cols = tried.dims[LedgerIndex::kCols];
    for (int64_t i = cols; i < table.elements.size() && table.strides[0] == 0; ++i) {
      EXPECT_EQ(table.elements.at(i), table.elements.at(i - cols));
    }
    const bool still = keys.strides[0] == 0 && table.strides[0] == 0 && keys.elements.size() > 1 &&
                       keys.elements.at(0) > 3 && cols > 0;
    return still ? failed("repeats") : Verdict{.kind = VerdictKind::kPass};
  };
  const MinimizeResult result = minimize(c, judge, kPatient);
  EXPECT_TRUE(result.minimal);
  EXPECT_THAT(result.smallest.tensors[LedgerIndex::kKeys].elements.int64(), ElementsAre(4, 4));
}

TEST(MinimizePredicate, TheOriginIsKept) {
  // Below 20 rows there is another failure, which must not be taken for this one.
  const Judge judge = [](const Case& c) {
    return failed(c.dims[LedgerIndex::kRows] >= 20 ? "many" : "few");
  };
  const MinimizeResult result = minimize(make_ledger_case(33, 1), judge, kPatient);
  EXPECT_EQ(result.smallest.dims[LedgerIndex::kRows], 20);
  EXPECT_EQ(result.verdict.origin, "many");
}

TEST(MinimizePredicate, APassingCaseIsGivenBack) {
  const Judge judge = [](const Case&) { return Verdict{.kind = VerdictKind::kPass}; };
  const MinimizeResult result = minimize(make_ledger_case(3, 3), judge, kPatient);
  EXPECT_TRUE(result.verdict.passed());
  EXPECT_EQ(result.smallest, make_ledger_case(3, 3));
  EXPECT_FALSE(result.minimal);
  EXPECT_EQ(result.num_tried, 0);
}

TEST(MinimizePredicate, TheTimeLimitIsKeptAndSaid) {
  const Judge judge = [](const Case& c) -> Verdict {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    return c.dims[LedgerIndex::kRows] > 300 ? failed("slow") : Verdict{.kind = VerdictKind::kPass};
  };
  const auto start = std::chrono::steady_clock::now();
  const MinimizeResult result =
      minimize(make_ledger_case(700, 30), judge, {.time_limit = std::chrono::milliseconds(150)});
  const auto took = std::chrono::steady_clock::now() - start;
  EXPECT_FALSE(result.minimal);
  EXPECT_EQ(result.verdict.origin, "slow");
  EXPECT_LT(result.smallest.dims[LedgerIndex::kRows], 700);
  EXPECT_LT(took, std::chrono::seconds(5));
}

TEST(MinimizePredicate, TheWholeOfInt64CanBeShrunk) {
  static const Op op = [] {
    Op made;
    made.name = "wide";
    made.scalars = {{.name = "any", .min = INT64_MIN, .max = INT64_MAX, .simplest = 5}};
    made.dims = {{.name = "n"}};
    made.tensors = {{.name = "x", .dtypes = {DType::kInt64}, .shape = {{.dim = 0}}}};
    return made;
  }();
  Case c = make_case(op);
  c.scalars[0] = INT64_MIN;
  c.dims[0] = 2;
  c.tensors[0].elements = Elements(std::vector<int64_t>{INT64_MAX, INT64_MIN});
  fit_tensors(c);
  const Judge judge = [](const Case& tried) -> Verdict {
    const Elements& x = tried.tensors[0].elements;
    const bool still = tried.scalars[0] < -3 && x.size() == 2 && x.at(0) > 7 && x.at(1) < -7;
    return still ? failed("wide") : Verdict{.kind = VerdictKind::kPass};
  };
  const MinimizeResult result = minimize(c, judge, kPatient);
  EXPECT_TRUE(result.minimal);
  EXPECT_EQ(result.smallest.scalars[0], -4);
  EXPECT_THAT(result.smallest.tensors[0].elements.int64(), ElementsAre(8, -8));
}

}  // namespace
}  // namespace bytegate
