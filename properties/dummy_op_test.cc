// An operation that only these tests know goes through everything that is generic, unchanged. Each
// wrong candidate must be caught for what is wrong with it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/testing/candidates.h"
#include "kernels/testing/ledger_candidates.h"
#include "oracles/case_text.h"
#include "properties/check.h"
#include "properties/testing/ledger_op.h"

namespace bytegate {
namespace {

using ::testing::HasSubstr;
using Index = LedgerIndex;

Verdict verdict_of(LedgerFlaw flaw, const Case& c) {
  const auto candidate = open_candidate(ledger_candidate(flaw));
  const auto backend = make_host_backend({});
  return check({&c, 1}, *candidate, *backend, ledger_properties()).front();
}

Case refused(Case c, CallFault fault) {
  c.expect = Expect::kRefused;
  c.call_faults = {fault};
  return c;
}
Case refused_scale(int64_t scale) {
  Case c = make_ledger_case(2, 2);
  c.expect = Expect::kRefused;
  c.scalars[Index::kScale] = scale;
  return c;
}
// shown 3 of a width of 5: row 0 states two cells of `spread`, row 1 three.
Case spread_case() {
  return make_spread_case({.parts = {2, 9}, .width = 5, .shown = 3});
}
Case refused_shown(int64_t shown) {
  Case c = spread_case();
  c.expect = Expect::kRefused;
  c.scalars[Index::kShown] = shown;
  return c;
}
Case null_of(int tensor) {
  return refused(make_ledger_case(2, 2), {.kind = CallFaultKind::kNull, .tensor = tensor});
}
Case overlap_of(int tensor, int other) {
  return refused(make_ledger_case(2, 2),
                 {.kind = CallFaultKind::kOverlap, .tensor = tensor, .other = other});
}
Case short_workspace() {
  return refused(make_ledger_case(2, 2), {.kind = CallFaultKind::kShortWorkspace});
}

// Steps with keys 1, 2 then 5, 6.
Case two_steps() {
  Case c = make_ledger_case(2, 2);
  c.later_steps = {
      {.changes = {{.tensor = Index::kKeys, .elements = Elements(std::vector<int64_t>{5, 6})}}}};
  return c;
}

Case repeated_inputs() {
  Case c = make_ledger_case(3, 2);
  c.tensors[Index::kKeys].strides = {0};
  c.tensors[Index::kKeys].elements = Elements(std::vector<int64_t>{4, 4, 4});
  c.tensors[Index::kTable].strides = {0, 1};
  c.tensors[Index::kTable].elements = Elements(std::vector<int32_t>{1, 2, 1, 2, 1, 2});
  return c;
}

Case unstated_cells() {
  Case c = make_ledger_case(2, 2);
  c.tensors[Index::kTable].elements = Elements(std::vector<int32_t>{1, -5, -7, 3});
  return c;
}

Case without_bias() {
  Case c = make_ledger_case(2, 2);
  c.tensors[Index::kBias].present = false;
  fit_tensors(c);
  return c;
}

Case minus() {
  Case c = make_ledger_case(2, 3);
  c.scalars[Index::kSign] = 1;
  fit_tensors(c);
  return c;
}

Case wide_parts() {
  Case c = spread_case();
  c.tensors[Index::kParts].dtype = DType::kInt64;
  c.tensors[Index::kParts].elements = Elements(std::vector<int64_t>{1, int64_t{1} << 40});
  c.scalars[Index::kTotal] = (int64_t{1} << 40) + 1;
  return c;
}

Case other_parts() {
  Case c = spread_case();
  c.later_steps = {
      {.changes = {{.tensor = Index::kParts, .elements = Elements(std::vector<int32_t>{11, 0})}}}};
  return c;
}

std::vector<Case> valid_cases() {
  return {make_ledger_case(2, 3),
          make_ledger_case(0, 0),
          make_ledger_case(0, 4),
          make_ledger_case(4, 0),
          make_ledger_case(1, 1),
          make_ledger_case(300, 70),
          with_gaps(make_ledger_case(3, 2), 5),
          with_gaps(make_ledger_case(3, 2), int64_t{1} << 31),
          repeated_inputs(),
          unstated_cells(),
          without_bias(),
          minus(),
          two_steps(),
          spread_case(),
          with_gaps(spread_case(), 2),
          with_gaps(spread_case(), int64_t{1} << 31),
          make_spread_case({.parts = {2, 9}, .width = 5, .shown = 5}),
          make_spread_case({.parts = {2, 9}, .width = 5, .shown = 0}),
          make_spread_case({.parts = {}, .width = 5, .shown = 2}),
          wide_parts(),
          other_parts()};
}

TEST(DummyOp, TheRightCandidatePassesEveryValidCase) {
  for (const Case& c : valid_cases()) {
    ASSERT_EQ(invalid_reason(c), std::nullopt);
    const Verdict verdict = verdict_of(LedgerFlaw::kNone, c);
    EXPECT_TRUE(verdict.passed()) << describe(verdict) << "\n" << write_case(c).substr(0, 2000);
    EXPECT_EQ(verdict.path, "serial");
  }
}

TEST(DummyOp, TheRightCandidateRefusesEveryInvalidCall) {
  const CallFault null_spread = {.kind = CallFaultKind::kNull, .tensor = Index::kSpread};
  const CallFault spread_on_parts = {
      .kind = CallFaultKind::kOverlap, .tensor = Index::kSpread, .other = Index::kParts};
  const CallFault sums_on_spread = {
      .kind = CallFaultKind::kOverlap, .tensor = Index::kSums, .other = Index::kSpread};
  const Case none_shown = make_spread_case({.parts = {2, 9}, .width = 5, .shown = 0});
  const std::vector<Case> invalid = {null_of(Index::kKeys),
                                     null_of(Index::kTable),
                                     null_of(Index::kBias),
                                     null_of(Index::kSums),
                                     null_of(Index::kScaled),
                                     overlap_of(Index::kSums, Index::kKeys),
                                     overlap_of(Index::kScaled, Index::kTable),
                                     overlap_of(Index::kScaled, Index::kSums),
                                     overlap_of(Index::kBias, Index::kScaled),
                                     short_workspace(),
                                     refused_scale(0),
                                     refused_scale(101),
                                     refused_shown(6),
                                     refused_shown(-1),
                                     null_of(Index::kParts),
                                     refused(spread_case(), null_spread),
                                     refused(none_shown, null_spread),
                                     refused(spread_case(), spread_on_parts),
                                     refused(spread_case(), sums_on_spread)};
  for (const Case& c : invalid) {
    const Verdict verdict = verdict_of(LedgerFlaw::kNone, c);
    EXPECT_TRUE(verdict.passed()) << describe(verdict) << "\n" << write_case(c);
  }
}

TEST(DummyOp, EveryCaseSurvivesItsText) {
  const std::vector<const Op*> ops = {&ledger_op()};
  std::vector<Case> cases = valid_cases();
  cases.insert(cases.end(), {null_of(Index::kSums), short_workspace(), refused_scale(0)});
  for (const Case& c : cases) {
    const ParseResult read = read_case(write_case(c), ops);
    ASSERT_TRUE(read.value.has_value()) << to_string(read.error) << "\n" << write_case(c);
    EXPECT_EQ(*read.value, c);
  }
}

TEST(DummyOp, ACandidateThatHidesItsPathPassesWithoutOne) {
  const Verdict verdict = verdict_of(LedgerFlaw::kHidesPath, make_ledger_case(2, 2));
  EXPECT_TRUE(verdict.passed()) << describe(verdict);
  EXPECT_EQ(verdict.path, "");
}

TEST(DummyOp, WritingWhatTheContractDoesNotStateIsAllowed) {
  EXPECT_TRUE(verdict_of(LedgerFlaw::kWritesUnstated, unstated_cells()).passed());
  EXPECT_TRUE(verdict_of(LedgerFlaw::kWritesUnstated, spread_case()).passed());
}

TEST(DummyOp, CellsThatAreNotStatedAreNotCountedAsUnwritten) {
  const Verdict verdict = verdict_of(LedgerFlaw::kForgetsScaled, unstated_cells());
  EXPECT_EQ(verdict.origin, "unwritten:scaled");
  EXPECT_EQ(verdict.difference->index, "[0, 0]");
  EXPECT_EQ(verdict.difference->num_different, 2);
  EXPECT_EQ(verdict.difference->num_elements, 2);
}

TEST(DummyOp, TheFirstWrongElementIsToldInTheUsersWords) {
  // table is 0 1 2 / 10 11 12, scale 3, bias 100 101 102.
  const Verdict verdict =
      verdict_of(LedgerFlaw::kOneTooLarge, with_gaps(make_ledger_case(2, 3), 4));
  EXPECT_EQ(describe(verdict),
            "mismatch:scaled at scaled[1, 0]: expect 130, actual 131 (3 of 6 differ)");
}

TEST(DummyOp, AFailureInALaterStepNamesTheStep) {
  const Verdict verdict = verdict_of(LedgerFlaw::kRemembersKeys, two_steps());
  EXPECT_EQ(verdict.origin, "mismatch:sums");
  EXPECT_EQ(describe(verdict),
            "mismatch:sums at sums[1] in step 1: expect 15, actual 3 (2 of 3 differ)");
}

struct Caught {
  LedgerFlaw flaw;
  Case c;
  std::string origin;
  std::string message;  // a part of it
};

TEST(DummyOp, EveryWrongCandidateIsCaughtForWhatIsWrongWithIt) {
  const Case plain = make_ledger_case(3, 2);
  const Case gapped = with_gaps(plain, 2);
  const std::vector<Caught> all = {
      {LedgerFlaw::kOneTooLarge, plain, "mismatch:scaled", ""},
      {LedgerFlaw::kForgetsLastSum, plain, "unwritten:sums", ""},
      {LedgerFlaw::kForgetsScaled, plain, "unwritten:scaled", ""},
      {LedgerFlaw::kWritesPastSums, plain, "overrun:sums", "guard around it changed at byte 32"},
      {LedgerFlaw::kWritesBeforeScaled, plain, "overrun:scaled", "changed at byte -1"},
      {LedgerFlaw::kWritesIntoGaps, gapped, "overrun:scaled", "gap between its elements"},
      {LedgerFlaw::kChangesKeys, plain, "overrun:keys", "an input changed at byte 0 of keys"},
      {LedgerFlaw::kWritesPastWorkspace, plain, "overrun:workspace", "at byte 24 of workspace"},
      {LedgerFlaw::kTrustsWorkspace, plain, "mismatch:sums", ""},
      {LedgerFlaw::kRemembersKeys, two_steps(), "mismatch:sums", ""},
      {LedgerFlaw::kRefusesThreeRows, plain, "refused", "more than two rows"},
      {LedgerFlaw::kRefusesInSilence, refused_scale(0), "accepted", "without a message"},
      {LedgerFlaw::kTakesNull, null_of(Index::kTable), "accepted", "was not refused"},
      {LedgerFlaw::kTakesOverlap, overlap_of(Index::kSums, Index::kKeys), "accepted", ""},
      {LedgerFlaw::kTakesShortWorkspace, short_workspace(), "accepted", ""},
      {LedgerFlaw::kTakesAnyScale, refused_scale(101), "accepted", ""},
      {LedgerFlaw::kTakesFewColumns, make_ledger_case(1, 3), "unsupported", "more than two"},
      {LedgerFlaw::kFillsWholeWidth, spread_case(), "overrun:spread",
       "a column beyond those it has to write changed at byte 12 of spread"},
      {LedgerFlaw::kWritesColumnTooMany, spread_case(), "overrun:spread", "at byte 12 of spread"},
      {LedgerFlaw::kDivergesAtBarrier, plain, "crashed", "barrier divergence"},
      {LedgerFlaw::kWaitsForever, plain, "hung", "deadlock"},
  };
  for (const Caught& caught : all) {
    const Verdict verdict = verdict_of(caught.flaw, caught.c);
    EXPECT_EQ(verdict.origin, caught.origin) << describe(verdict);
    EXPECT_THAT(describe(verdict), HasSubstr(caught.message));
    EXPECT_FALSE(verdict.passed());
  }
  // Three of the flaws are none, or have a test of their own above.
  EXPECT_EQ(all.size() + 3, static_cast<size_t>(LedgerFlaw::kNumFlaws));
}

TEST(DummyOp, AFlawIsSeenOnlyWhereItShows) {
  EXPECT_TRUE(verdict_of(LedgerFlaw::kRemembersKeys, make_ledger_case(2, 2)).passed());
  EXPECT_TRUE(verdict_of(LedgerFlaw::kWritesIntoGaps, make_ledger_case(2, 2)).passed());
  EXPECT_TRUE(verdict_of(LedgerFlaw::kTakesFewColumns, make_ledger_case(2, 2)).passed());
  EXPECT_TRUE(verdict_of(LedgerFlaw::kOneTooLarge, unstated_cells()).passed());
  const Case all_shown = make_spread_case({.parts = {2, 9}, .width = 5, .shown = 5});
  EXPECT_TRUE(verdict_of(LedgerFlaw::kFillsWholeWidth, all_shown).passed());
  EXPECT_TRUE(verdict_of(LedgerFlaw::kWritesColumnTooMany, all_shown).passed());
}

TEST(DummyOp, ColumnsThatAreKeptAreWatchedInEveryLayout) {
  const Case none_shown = make_spread_case({.parts = {2, 9}, .width = 5, .shown = 0});
  const Case one_row = make_spread_case({.parts = {2}, .width = 3, .shown = 2});
  for (const LedgerFlaw flaw : {LedgerFlaw::kFillsWholeWidth, LedgerFlaw::kWritesColumnTooMany}) {
    for (const Case& c : {none_shown, one_row, wide_parts(), other_parts(),
                          with_gaps(none_shown, 2), with_gaps(spread_case(), int64_t{1} << 31)}) {
      EXPECT_EQ(verdict_of(flaw, c).origin, "overrun:spread") << write_case(c);
    }
  }
}

TEST(DummyOp, OverrunsIntoFarGapsAreCaught) {
  const Case far = with_gaps(make_ledger_case(3, 2), int64_t{1} << 31);
  const Verdict verdict = verdict_of(LedgerFlaw::kWritesIntoGaps, far);
  EXPECT_EQ(verdict.origin, "overrun:scaled");
  EXPECT_THAT(verdict.message, HasSubstr("a gap between its elements changed at byte 8"));
}

TEST(DummyOp, NothingIsComparedWhereACallFaultMeansNothing) {
  Case no_workspace = refused(make_ledger_case(0, 2), {.kind = CallFaultKind::kShortWorkspace});
  EXPECT_EQ(verdict_of(LedgerFlaw::kNone, no_workspace).origin, "vacuous");
  Case no_keys =
      refused(make_ledger_case(0, 2), {.kind = CallFaultKind::kNull, .tensor = Index::kKeys});
  EXPECT_EQ(verdict_of(LedgerFlaw::kNone, no_keys).origin, "vacuous");
  EXPECT_EQ(verdict_of(LedgerFlaw::kNone, overlap_of(Index::kKeys, Index::kTable)).origin,
            "vacuous");
}

}  // namespace
}  // namespace bytegate
