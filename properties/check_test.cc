#include "properties/check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "kernels/testing/candidates.h"
#include "kernels/testing/ledger_candidates.h"
#include "oracles/paged_mqa_metadata.h"
#include "properties/paged_mqa_metadata.h"
#include "properties/testing/ledger_op.h"

namespace bytegate {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

// ---- judge_step, with outputs known to be bad

// 3 requests of 2, 0 and 3 splits over 3 SMs: (0, 0) (0, 1) (2, 1) (3, 0).
Case schedule_case() {
  return make_paged_mqa_metadata_case({512, 0, 513}, 3);
}

StepResult step_with(const std::vector<int32_t>& table) {
  StepResult result;
  result.outputs = {Elements(), Elements(table)};
  result.untouched.resize(2);
  return result;
}

Verdict judge_table(const std::vector<int32_t>& table) {
  return judge_step(schedule_case(), 0, step_with(table), paged_mqa_metadata_properties());
}

void expect_mismatch(const Verdict& verdict, const std::string& index, const std::string& expect,
                     const std::string& actual, int64_t num_different) {
  EXPECT_EQ(verdict.kind, VerdictKind::kMismatch);
  EXPECT_EQ(verdict.origin, "mismatch:schedule_metadata");
  ASSERT_TRUE(verdict.difference.has_value());
  EXPECT_EQ(verdict.difference->field, "schedule_metadata");
  EXPECT_EQ(verdict.difference->index, index);
  EXPECT_EQ(verdict.difference->expect, expect);
  EXPECT_EQ(verdict.difference->actual, actual);
  EXPECT_EQ(verdict.difference->num_different, num_different);
  EXPECT_EQ(verdict.difference->num_elements, 8);
}

TEST(JudgeStep, TheRightScheduleIsThePass) {
  const Verdict verdict = judge_table({0, 0, 0, 1, 2, 1, 3, 0});
  EXPECT_TRUE(verdict.passed()) << describe(verdict);
  EXPECT_EQ(verdict.origin, "");
}

TEST(JudgeStep, AScheduleOfZerosIsAMismatch) {
  expect_mismatch(judge_table({0, 0, 0, 0, 0, 0, 0, 0}), "[1, 1]", "1", "0", 4);
}

TEST(JudgeStep, AScheduleShiftedByOneRowIsAMismatch) {
  expect_mismatch(judge_table({0, 1, 2, 1, 3, 0, 3, 0}), "[0, 1]", "0", "1", 4);
}

TEST(JudgeStep, AScheduleWithTwoRowsSwappedIsAMismatch) {
  expect_mismatch(judge_table({0, 0, 2, 1, 0, 1, 3, 0}), "[1, 0]", "0", "2", 2);
}

TEST(JudgeStep, AScheduleWithItsColumnsSwappedIsAMismatch) {
  expect_mismatch(judge_table({0, 0, 1, 0, 1, 2, 0, 3}), "[1, 0]", "0", "1", 6);
}

TEST(JudgeStep, AScaledScheduleIsAMismatch) {
  expect_mismatch(judge_table({0, 0, 0, 2, 4, 2, 6, 0}), "[1, 1]", "1", "2", 4);
}

TEST(JudgeStep, OneWrongBitIsAMismatch) {
  expect_mismatch(judge_table({0, 0, 0, 1, 2, 1, 3, INT32_MIN}), "[3, 1]", "0", "-2147483648", 1);
}

TEST(JudgeStep, DamageComesBeforeWrongBytes) {
  StepResult result = step_with({9, 9, 9, 9, 9, 9, 9, 9});
  result.damage = Damage{.kind = Damage::Kind::kGuard, .tensor = -1, .byte_offset = 32};
  const Verdict verdict = judge_step(schedule_case(), 0, result, paged_mqa_metadata_properties());
  EXPECT_EQ(verdict.origin, "overrun:workspace");
  EXPECT_THAT(verdict.message, HasSubstr("at byte 32 of workspace"));
}

TEST(JudgeStep, WhatNobodyWroteIsUnwritten) {
  StepResult result = step_with({0, 0, 0, 1, 2, 1, 99, 98});
  result.untouched[1] = {6, 7};
  const Verdict verdict = judge_step(schedule_case(), 0, result, paged_mqa_metadata_properties());
  EXPECT_EQ(verdict.origin, "unwritten:schedule_metadata");
  EXPECT_EQ(verdict.difference->num_different, 2);
}

TEST(JudgeStep, WrongAndUnwrittenTogetherAreAMismatchThatSaysBoth) {
  StepResult result = step_with({5, 0, 0, 1, 2, 1, 99, 98});
  result.untouched[1] = {6, 7};
  const Verdict verdict = judge_step(schedule_case(), 0, result, paged_mqa_metadata_properties());
  EXPECT_EQ(verdict.origin, "mismatch:schedule_metadata");
  EXPECT_THAT(describe(verdict), HasSubstr("(3 of 8 differ): 2 of them were never written"));
}

TEST(JudgeStep, PoisonThatHappensToBeRightIsNoError) {
  StepResult result = step_with({0, 0, 0, 1, 2, 1, 3, 0});
  result.untouched[1] = {7};
  EXPECT_TRUE(judge_step(schedule_case(), 0, result, paged_mqa_metadata_properties()).passed());
}

TEST(JudgeStep, PoisonThatIsRightMakesNoWrongByteUnwritten) {
  StepResult result = step_with({5, 0, 0, 1, 2, 1, 3, 0});
  result.untouched[1] = {7};
  const Verdict verdict = judge_step(schedule_case(), 0, result, paged_mqa_metadata_properties());
  EXPECT_EQ(verdict.origin, "mismatch:schedule_metadata");
  EXPECT_EQ(verdict.message, "");
}

TEST(JudgeStep, AnOutputOfAnotherShapeIsUntested) {
  const Verdict verdict = judge_table({0, 0});
  EXPECT_EQ(verdict.kind, VerdictKind::kUntested);
}

TEST(JudgeStep, ABrokenInvariantIsFoundWhereTheOracleAgrees) {
  OpProperties properties = paged_mqa_metadata_properties();
  properties.broken_invariant = [](const Case&, const Outputs&) -> std::optional<std::string> {
    return "it is Monday";
  };
  const Verdict verdict =
      judge_step(schedule_case(), 0, step_with({0, 0, 0, 1, 2, 1, 3, 0}), properties);
  EXPECT_EQ(verdict.origin, "invariant");
  EXPECT_EQ(verdict.message, "it is Monday");
}

// Two rows of `spread` with a width of 5, of which 3 columns are written: [0 1 *] and [1 2 3].
Verdict judge_spread(const std::vector<int32_t>& spread, const ElementSet& untouched,
                     const OpProperties& properties = ledger_properties()) {
  Case c = make_spread_case({.parts = {2, 9}, .width = 5, .shown = 3});
  c.op = properties.op;
  StepResult result;
  result.outputs = expected_outputs(c);
  result.outputs[LedgerIndex::kSpread] = Elements(spread);
  result.untouched.resize(7);
  result.untouched[LedgerIndex::kSpread] = untouched;
  return judge_step(c, 0, result, properties);
}

TEST(JudgeStep, OnlyWhatTheMaskLeavesIsComparedAndCounted) {
  EXPECT_TRUE(judge_spread({0, 1, 77, 1, 2, 3}, {}).passed());
  EXPECT_TRUE(judge_spread({0, 1, 77, 1, 2, 3}, {2}).passed());
  const Verdict unwritten = judge_spread({0, 1, 77, 1, 2, 78}, {2, 5});
  EXPECT_EQ(unwritten.origin, "unwritten:spread");
  EXPECT_EQ(unwritten.difference->num_different, 1);
}

TEST(JudgeStep, AnIndexIsThatOfTheWholeTensorWhereFewerColumnsAreWritten) {
  EXPECT_EQ(describe(judge_spread({0, 1, 77, 1, 2, 9}, {})),
            "mismatch:spread at spread[1, 2]: expect 3, actual 9 (1 of 5 differ)");
}

TEST(JudgeStep, AnOutputWithTheColumnsThatAreKeptIsOfAnotherShape) {
  EXPECT_EQ(judge_spread({0, 1, 0, 0, 0, 1, 2, 3, 0, 0}, {}).kind, VerdictKind::kUntested);
}

TEST(JudgeStep, AMaskIsFilledOnceAndOnlyWhereBytesDiffer) {
  static int num_filled = 0;
  static const Op op = [] {
    Op made = ledger_op();
    made.tensors[LedgerIndex::kSpread].mask = [](const Case&, std::span<uint8_t> stated) {
      ++num_filled;
      EXPECT_EQ(stated.size(), 6u);
      for (const uint8_t one : stated) EXPECT_EQ(one, 1);
      stated[2] = 0;
    };
    return made;
  }();
  OpProperties properties = ledger_properties();
  properties.op = &op;
  num_filled = 0;
  EXPECT_TRUE(judge_spread({0, 1, 0, 1, 2, 3}, {}, properties).passed());
  EXPECT_EQ(num_filled, 0);
  EXPECT_TRUE(judge_spread({0, 1, 77, 1, 2, 3}, {}, properties).passed());
  EXPECT_EQ(num_filled, 1);
  EXPECT_FALSE(judge_spread({5, 1, 77, 1, 2, 4}, {0, 2, 5}, properties).passed());
  EXPECT_EQ(num_filled, 2);
}

// ---- check

class Check : public ::testing::Test {
 protected:
  std::vector<Verdict> check_all(const std::vector<Case>& cases,
                                 LedgerFlaw flaw = LedgerFlaw::kNone) {
    const auto candidate = open_candidate(ledger_candidate(flaw));
    return check(cases, *candidate, *backend_, ledger_properties());
  }

 private:
  std::unique_ptr<Backend> backend_ = make_host_backend({});
};

TEST_F(Check, NoCaseGivesNoVerdict) {
  EXPECT_THAT(check_all({}), SizeIs(0));
}

TEST_F(Check, CasesThatMayNotRunAreUntestedAndTheOthersKeepTheirPlaces) {
  Case out_of_range = make_ledger_case(2, 2);
  out_of_range.scalars[LedgerIndex::kScale] = 0;
  Case malformed = make_ledger_case(2, 2);
  malformed.dims[LedgerIndex::kRows] = 3;
  Case needlessly_refused = make_ledger_case(2, 2);
  needlessly_refused.expect = Expect::kRefused;
  const Case foreign = schedule_case();
  const auto verdicts = check_all({out_of_range, make_ledger_case(3, 2), malformed, foreign,
                                   make_ledger_case(1, 1), needlessly_refused},
                                  LedgerFlaw::kForgetsLastSum);
  ASSERT_THAT(verdicts, SizeIs(6));
  EXPECT_EQ(verdicts[0].kind, VerdictKind::kUntested);
  EXPECT_THAT(verdicts[0].message, HasSubstr("scale is 0"));
  EXPECT_EQ(verdicts[1].origin, "unwritten:sums");
  EXPECT_EQ(verdicts[2].kind, VerdictKind::kUntested);
  EXPECT_EQ(verdicts[3].kind, VerdictKind::kUntested);
  EXPECT_THAT(verdicts[3].message, HasSubstr("another operation"));
  EXPECT_TRUE(verdicts[4].passed());
  EXPECT_EQ(verdicts[5].kind, VerdictKind::kUntested);
  EXPECT_THAT(verdicts[5].message, HasSubstr("nothing that the host can see is outside"));
}

TEST_F(Check, AFaultInTheElementsAloneIsNoReasonToRefuse) {
  Case wrong_total = make_spread_case({.parts = {2, 9}, .width = 5, .shown = 3});
  wrong_total.scalars[LedgerIndex::kTotal] = 12;
  Case negative_part = make_spread_case({.parts = {20, -9}, .width = 5, .shown = 3});
  for (const Case& c : {wrong_total, negative_part}) {
    ASSERT_NE(invalid_reason(c), std::nullopt);
    Case refused = c;
    refused.expect = Expect::kRefused;
    const auto verdicts = check_all({c, refused});
    EXPECT_EQ(verdicts[0].kind, VerdictKind::kUntested);
    EXPECT_EQ(verdicts[0].message, *invalid_reason(c));
    EXPECT_EQ(verdicts[1].kind, VerdictKind::kUntested);
    EXPECT_THAT(verdicts[1].message, HasSubstr("nothing that the host can see is outside"));
    // With a fault that the host sees, too, it is an invalid call like any other.
    refused.scalars[LedgerIndex::kScale] = 0;
    EXPECT_TRUE(check_all({refused})[0].passed());
  }
}

TEST_F(Check, ACaseThatStatesNoByteIsVacuous) {
  static const Op op = [] {
    Op made = ledger_op();
    made.tensors[LedgerIndex::kSums].presence = [](const Case&) { return Presence::kOptional; };
    made.oracle = [](const Case& c, Outputs& outputs) {
      for (int64_t i = 0; i < 3; ++i)
        outputs[LedgerIndex::kScaled].set(
            i, 3 * c.tensors[LedgerIndex::kTable].elements.at(i) + 100 + i);
    };
    return made;
  }();
  OpProperties properties = ledger_properties();
  properties.op = &op;
  properties.broken_invariant = nullptr;
  Case c = make_ledger_case(1, 3);
  c.op = &op;
  c.tensors[LedgerIndex::kSums].present = false;
  StepResult result;
  result.outputs = expected_outputs(make_ledger_case(1, 3));
  result.untouched.resize(7);
  EXPECT_TRUE(judge_step(c, 0, result, properties).passed());
  // Where the table is negative every value of `scaled` is right.
  c.tensors[LedgerIndex::kTable].elements = Elements(std::vector<int32_t>{-1, -2, -3});
  EXPECT_EQ(judge_step(c, 0, result, properties).kind, VerdictKind::kVacuous);
}

TEST_F(Check, ACaseWithoutAWrittenColumnIsVacuousWhereNothingElseIsStated) {
  static const Op op = [] {
    Op made = ledger_op();
    for (const int output : {LedgerIndex::kSums, LedgerIndex::kScaled}) {
      made.tensors[static_cast<size_t>(output)].presence = [](const Case&) {
        return Presence::kOptional;
      };
    }
    made.oracle = [](const Case&, Outputs&) {};
    return made;
  }();
  OpProperties properties = ledger_properties();
  properties.op = &op;
  properties.broken_invariant = nullptr;
  // The only cell stated, spread[0, 0], is 0.
  for (const auto& [shown, kind] :
       {std::pair{1, VerdictKind::kPass}, std::pair{0, VerdictKind::kVacuous}}) {
    Case c = make_spread_case({.parts = {1}, .width = 4, .shown = shown});
    c.op = &op;
    c.tensors[LedgerIndex::kSums].present = false;
    c.tensors[LedgerIndex::kScaled].present = false;
    StepResult result;
    result.outputs = expected_outputs(c);
    result.untouched.resize(7);
    EXPECT_EQ(judge_step(c, 0, result, properties).kind, kind) << shown;
  }
}

// A backend that forgets steps and results must not make anything pass.
class ForgetfulBackend final : public Backend {
 public:
  explicit ForgetfulBackend(std::vector<RunResult> results) : results_(std::move(results)) {}
  [[nodiscard]] BackendKind kind() const override { return BackendKind::kHost; }
  [[nodiscard]] std::string description() const override { return "forgetful"; }
  std::unique_ptr<Submission> submit(Candidate&, std::span<const Case>) override {
    class Forgotten final : public Submission {
     public:
      explicit Forgotten(std::vector<RunResult> results) : results_(std::move(results)) {}
      std::vector<RunResult> collect() override { return results_; }

     private:
      std::vector<RunResult> results_;
    };
    return std::make_unique<Forgotten>(results_);
  }

 private:
  std::vector<RunResult> results_;
};

TEST(CheckOfABackend, AResultThatIsMissingIsUntested) {
  ForgetfulBackend backend({});
  const auto candidate = open_candidate(ledger_candidate(LedgerFlaw::kNone));
  const std::vector<Case> cases = {make_ledger_case(1, 1)};
  EXPECT_EQ(check(cases, *candidate, backend, ledger_properties())[0].kind, VerdictKind::kUntested);
}

TEST(CheckOfABackend, AStepThatIsMissingIsUntested) {
  ForgetfulBackend backend({{.status = RunStatus::kDone}});
  const auto candidate = open_candidate(ledger_candidate(LedgerFlaw::kNone));
  const std::vector<Case> cases = {make_ledger_case(1, 1)};
  const Verdict verdict = check(cases, *candidate, backend, ledger_properties())[0];
  EXPECT_EQ(verdict.kind, VerdictKind::kUntested);
  EXPECT_THAT(verdict.message, HasSubstr("every launch"));
}

TEST(CheckOfABackend, AnInvalidCallMustBeRefusedInWordsAndLeaveEverythingAlone) {
  Case c = make_ledger_case(1, 1);
  c.scalars[LedgerIndex::kScale] = 0;
  c.expect = Expect::kRefused;
  StepResult changed;
  changed.damage = Damage{.kind = Damage::Kind::kGap, .tensor = LedgerIndex::kSums};
  const std::vector<std::pair<RunResult, std::string>> origins = {
      {{.status = RunStatus::kRefused, .message = "scale is 0"}, ""},
      {{.status = RunStatus::kRefused}, "accepted"},
      {{.status = RunStatus::kRefused, .message = "late", .steps = {StepResult{}}}, "accepted"},
      {{.status = RunStatus::kRefused, .message = "no", .steps = {changed}}, "overrun:sums"},
      {{.status = RunStatus::kDone, .steps = {StepResult{}}}, "accepted"},
      {{.status = RunStatus::kFailed, .message = "no device"}, "accepted"},
      {{.status = RunStatus::kFault, .message = "stray"}, "crashed"}};
  const auto candidate = open_candidate(ledger_candidate(LedgerFlaw::kNone));
  for (const auto& [result, origin] : origins) {
    ForgetfulBackend backend({result});
    const Verdict verdict = check({&c, 1}, *candidate, backend, ledger_properties())[0];
    EXPECT_EQ(verdict.origin, origin) << verdict.message;
    EXPECT_EQ(verdict.passed(), origin.empty());
  }
}

TEST(CheckOfABackend, EveryStatusHasItsVerdict) {
  const std::vector<std::pair<RunStatus, std::string>> origins = {
      {RunStatus::kRefused, "refused"},     {RunStatus::kUnsupported, "unsupported"},
      {RunStatus::kFault, "crashed"},       {RunStatus::kHung, "hung"},
      {RunStatus::kExhausted, "exhausted"}, {RunStatus::kVacuous, "vacuous"},
      {RunStatus::kFailed, "refused"},      {RunStatus::kExited, "exited"},
      {RunStatus::kLost, "untested"}};
  const auto candidate = open_candidate(ledger_candidate(LedgerFlaw::kNone));
  const std::vector<Case> cases = {make_ledger_case(1, 1)};
  for (const auto& [status, origin] : origins) {
    ForgetfulBackend backend({{.status = status, .message = "why", .path = "there"}});
    const Verdict verdict = check(cases, *candidate, backend, ledger_properties())[0];
    EXPECT_EQ(verdict.origin, origin);
    EXPECT_EQ(verdict.message, "why");
    EXPECT_EQ(verdict.path, "there");
    EXPECT_FALSE(verdict.passed());
  }
}

}  // namespace
}  // namespace bytegate
