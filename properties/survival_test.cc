// Cases whose elements are outside the contract: how they are judged, that our own candidates
// survive them, and that those which trust the device are caught.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "kernels/testing/candidates.h"
#include "kernels/testing/dsa_candidates.h"
#include "kernels/testing/ledger_candidates.h"
#include "kernels/testing/survival_candidates.h"
#include "oracles/case_text.h"
#include "oracles/dsa_metadata.h"
#include "oracles/paged_mqa_metadata.h"
#include "properties/check.h"
#include "properties/minimize.h"
#include "properties/spoil.h"
#include "properties/testing/dsa_drawn.h"
#include "properties/testing/ledger_op.h"

namespace bytegate {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// ---- judging

// A sum of parts that is not the total, and a part below 0.
Case unsound_ledger() {
  Case c = make_spread_case({.parts = {20, -9}, .width = 5, .shown = 3});
  c.scalars[LedgerIndex::kTotal] = 12;
  c.expect = Expect::kSurvived;
  return c;
}

// A backend that has its answer ready.
class AnsweringBackend final : public Backend {
 public:
  explicit AnsweringBackend(RunResult answer) : answer_(std::move(answer)) {}
  [[nodiscard]] BackendKind kind() const override { return BackendKind::kHost; }
  [[nodiscard]] std::string description() const override { return "answering"; }
  std::unique_ptr<Submission> submit(Candidate&, std::span<const Case>) override {
    class Answer final : public Submission {
     public:
      explicit Answer(RunResult answer) : answer_(std::move(answer)) {}
      std::vector<RunResult> collect() override { return {answer_}; }

     private:
      RunResult answer_;
    };
    return std::make_unique<Answer>(answer_);
  }

 private:
  RunResult answer_;
};

Verdict judge(const Case& c, RunResult answer) {
  AnsweringBackend backend(std::move(answer));
  const auto candidate = open_candidate(ledger_candidate(LedgerFlaw::kNone));
  return check({&c, 1}, *candidate, backend, ledger_properties()).front();
}

StepResult damaged_step(Damage damage) {
  StepResult step;
  step.damage = damage;
  return step;
}

TEST(JudgeSurvival, WhateverIsInTheOutputsIsRight) {
  // No outputs at all: they are not even looked at.
  EXPECT_TRUE(
      judge(unsound_ledger(), {.status = RunStatus::kDone, .steps = {StepResult{}}}).passed());
}

TEST(JudgeSurvival, ARefusalIsRightToo) {
  const RunResult refusal = {.status = RunStatus::kRefused, .message = "total is wrong"};
  EXPECT_TRUE(judge(unsound_ledger(), refusal).passed());
  Case c = unsound_ledger();
  c.later_steps = {Step{}};
  EXPECT_TRUE(judge(c, {.status = RunStatus::kRefused, .message = "later", .steps = {StepResult{}}})
                  .passed());
}

TEST(JudgeSurvival, ARefusalThatChangedSomethingIsAnOverrun) {
  const Damage damage = {
      .kind = Damage::Kind::kGap, .tensor = LedgerIndex::kSums, .byte_offset = 8};
  const Verdict verdict =
      judge(unsound_ledger(),
            {.status = RunStatus::kRefused, .message = "no", .steps = {damaged_step(damage)}});
  EXPECT_EQ(verdict.origin, "overrun:sums");
  EXPECT_THAT(verdict.message, HasSubstr("although the call was refused"));
}

TEST(JudgeSurvival, WhatElseWasTouchedIsNamed) {
  const std::vector<std::pair<Damage::Kind, std::string>> origins = {
      {Damage::Kind::kGuard, "overrun:keys"},
      {Damage::Kind::kGap, "overrun:keys"},
      {Damage::Kind::kInput, "overrun:keys"},
      {Damage::Kind::kRead, "overread:keys"},
      {Damage::Kind::kWrite, "overrun:keys"}};
  for (const auto& [kind, origin] : origins) {
    const Damage damage = {.kind = kind, .tensor = LedgerIndex::kKeys, .byte_offset = -4};
    EXPECT_EQ(judge(unsound_ledger(), {.status = RunStatus::kDone, .steps = {damaged_step(damage)}})
                  .origin,
              origin);
    EXPECT_EQ(judge(unsound_ledger(), {.status = RunStatus::kFault, .trespass = damage}).origin,
              kind == Damage::Kind::kGap || kind == Damage::Kind::kInput ? "overrun:keys" : origin);
  }
}

TEST(JudgeSurvival, EveryOtherEndIsJudgedAsThatOfAValidCase) {
  const std::vector<std::pair<RunStatus, std::string>> origins = {
      {RunStatus::kFailed, "refused"},
      {RunStatus::kUnsupported, "unsupported"},
      {RunStatus::kFault, "crashed"},
      {RunStatus::kExited, "exited"},
      {RunStatus::kHung, "hung"},
      {RunStatus::kExhausted, "exhausted"},
      {RunStatus::kTookShort, "accepted:workspace"},
      {RunStatus::kNoisy, "noisy"},
      {RunStatus::kLost, "untested"}};
  for (const auto& [status, origin] : origins) {
    EXPECT_EQ(judge(unsound_ledger(), {.status = status, .message = "why"}).origin, origin);
  }
}

TEST(JudgeSurvival, ALaunchThatIsMissingIsUntested) {
  EXPECT_EQ(judge(unsound_ledger(), {.status = RunStatus::kDone}).kind, VerdictKind::kUntested);
  Case c = unsound_ledger();
  c.mode = Mode::kAgain;
  EXPECT_EQ(judge(c, {.status = RunStatus::kDone, .steps = {StepResult{}}}).kind,
            VerdictKind::kUntested);
}

TEST(JudgeSurvival, WhatTheHostSeesMustBeValid) {
  const RunResult done = {.status = RunStatus::kDone, .steps = {StepResult{}}};
  Case c = unsound_ledger();
  c.scalars[LedgerIndex::kScale] = 0;
  EXPECT_EQ(judge(c, done).kind, VerdictKind::kUntested);
  EXPECT_THAT(judge(c, done).message, HasSubstr("scale is 0"));
  c = unsound_ledger();
  c.call_faults = {{.kind = CallFaultKind::kNull, .tensor = LedgerIndex::kKeys}};
  EXPECT_EQ(judge(c, done).kind, VerdictKind::kUntested);
  c = unsound_ledger();
  c.scalars[LedgerIndex::kShown] = 6;  // more than the width: a relation of scalars
  EXPECT_EQ(judge(c, done).kind, VerdictKind::kUntested);
}

TEST(Survival, ADamageIsFoundWhereNoByteIsCompared) {
  const auto backend = make_host_backend({});
  Case c = with_gaps(unsound_ledger(), 2);
  const std::vector<std::pair<LedgerFlaw, std::string>> origins = {
      {LedgerFlaw::kNone, ""},
      {LedgerFlaw::kForgetsLastSum, ""},
      {LedgerFlaw::kWritesPastSums, "overrun:sums"},
      {LedgerFlaw::kChangesKeys, "overrun:keys"},
      {LedgerFlaw::kFillsWholeWidth, "overrun:spread"},
      {LedgerFlaw::kWritesPastWorkspace, "overrun:workspace"},
      {LedgerFlaw::kDivergesAtBarrier, "crashed"},
      {LedgerFlaw::kWaitsForever, "hung"}};
  for (const auto& [flaw, origin] : origins) {
    const auto candidate = open_candidate(ledger_candidate(flaw));
    EXPECT_EQ(check({&c, 1}, *candidate, *backend, ledger_properties()).front().origin, origin);
  }
}

// ---- our own

class Survivors : public ::testing::TestWithParam<size_t> {
 protected:
  static constexpr uint64_t kNumCases = 400;

  void expect_survived(Candidate& candidate, std::string_view path, uint64_t run_seed) {
    const OpProperties& properties = all_properties()[GetParam()];
    const auto backend = make_host_backend({});
    for (uint64_t i = 0; i < kNumCases; ++i) {
      Case c = drawn_case(properties, run_seed, i);
      Draw draw(case_seed(run_seed, ~i));
      if (!spoil(c, draw)) continue;
      c.forced_path = path;
      const Verdict verdict = check({&c, 1}, candidate, *backend, properties).front();
      ASSERT_TRUE(verdict.passed()) << describe(verdict) << ": case " << i << "\n" << write_case(c);
    }
  }
};

TEST_P(Survivors, ProductionSurvivesWhateverIsSpoiled) {
  const auto candidate = open_builtin("production");
  expect_survived(*candidate, "", 31);
  for (const std::string_view path : all_properties()[GetParam()].op->paths) {
    if (path == "eager" || path == "multi_block") expect_survived(*candidate, path, 32);
  }
}

TEST_P(Survivors, TheBaselineSurvivesWhateverIsSpoiled) {
  expect_survived(*open_builtin("baseline"), "", 33);
}

std::string op_name_of(const ::testing::TestParamInfo<size_t>& info) {
  return std::string(all_properties()[info.param].op->name);
}

INSTANTIATE_TEST_SUITE_P(All, Survivors, ::testing::Range<size_t>(0, all_properties().size()),
                         op_name_of);

// ---- the canaries

class Trusting : public ::testing::Test {
 protected:
  Verdict run(const bytegate_candidate& table, const Case& c) {
    const auto candidate = open_candidate(table);
    if (made_.backend == nullptr) made_ = make_isolated_host_backend(options_);
    EXPECT_NE(made_.backend, nullptr) << made_.absent_reason;
    return check({&c, 1}, *candidate, *made_.backend, *find_properties(all_properties(), *c.op))
        .front();
  }
  static Case survived(Case c) {
    c.expect = Expect::kSurvived;
    return c;
  }

  BackendOptions options_ = {.case_limit = std::chrono::milliseconds(300)};

 private:
  MadeBackend made_;
};

TEST_F(Trusting, AnIndexMadeOfANegativeLengthIsCaught) {
  const auto of = [&](int32_t length) {
    return run(indexes_by_length_candidate(),
               survived(make_paged_mqa_metadata_case({300, length}, 4)));
  };
  EXPECT_TRUE(of(3).passed());
  EXPECT_TRUE(of(INT32_MAX).passed());
  EXPECT_EQ(of(-1).origin, "overrun:schedule_metadata");
  EXPECT_THAT(of(INT32_MIN).origin, AnyOf("crashed", StartsWith("over")));
}

TEST_F(Trusting, ALoopThatANegativeLengthNeverEndsIsCaught) {
  const auto of = [&](int32_t length) {
    return run(counts_down_candidate(), survived(make_paged_mqa_metadata_case({300, length}, 4)));
  };
  EXPECT_TRUE(of(70000).passed());
  EXPECT_EQ(of(-512).origin, "hung");
}

Case dsa_case(const Op& op, int64_t num_requests) {
  Case c = make_case(op);
  const DsaDescription& description = describe_dsa(op);
  const auto dim = [&](int idx) -> int64_t& { return c.dims[static_cast<size_t>(idx)]; };
  dim(description.dims.num_requests) = num_requests;
  dim(description.dims.num_pool_rows) = 2;
  dim(description.dims.num_columns) = 3;
  dim(description.dims.page_table_width) = 3;
  c.scalars[static_cast<size_t>(description.scalars.max_len)] = 3;
  return c;
}

TEST_F(Trusting, ARequestIndexThatIsFollowedFarOutsideIsCaught) {
  const Op& op = dsa_decode_metadata_op();
  const auto of = [&](int64_t index) {
    Case c = dsa_case(op, 1);
    Tensor& indices = c.tensors[static_cast<size_t>(describe_dsa(op).tensors.req_pool_indices)];
    indices.dtype = DType::kInt64;
    indices.elements = Elements(DType::kInt64, 0);
    fit_tensors(c);
    indices.elements.set(0, index);
    return run(dsa_candidate(DsaFlaw::kNone), survived(c));
  };
  EXPECT_TRUE(of(1).passed());
  // A sanitizer that is built in ends the process by an exit.
  const auto is_caught = AnyOf("crashed", "exited", StartsWith("overread"));
  EXPECT_THAT(of(int64_t{1} << 44).origin, is_caught);
  EXPECT_THAT(of(-(int64_t{1} << 44)).origin, is_caught);
}

TEST_F(Trusting, ARowMadeOfAnExtendLengthIsCaught) {
  const Op& op = dsa_draft_extend_metadata_op();
  const auto of = [&](std::vector<int32_t> lens) {
    Case c = dsa_case(op, static_cast<int64_t>(lens.size()));
    c.scalars[static_cast<size_t>(describe_dsa(op).scalars.total_len)] = 4;
    fit_tensors(c);
    c.tensors[static_cast<size_t>(describe_dsa(op).tensors.extend_seq_lens)].elements =
        Elements(std::move(lens));
    return run(trusts_extend_lens_candidate(), survived(c)).origin;
  };
  EXPECT_EQ(of({1, 3}), "");
  EXPECT_EQ(of({0, 2}), "");  // too few harm nobody
  EXPECT_EQ(of({1, 4}), "overrun:seqlens_expanded");
  EXPECT_EQ(of({-1, 4}), "overrun:seqlens_expanded");
}

TEST_F(Trusting, IsFoundByWhatIsDrawnAndShrinksToOneBadElement) {
  const OpProperties& properties = *find_properties(all_properties(), paged_mqa_metadata_op());
  const auto candidate = open_candidate(indexes_by_length_candidate());
  const auto backend = make_isolated_host_backend(options_).backend;
  const Judge judge = [&](const Case& c) {
    return check({&c, 1}, *candidate, *backend, properties).front();
  };
  for (uint64_t i = 0; i < 500; ++i) {
    Case c = drawn_case(properties, 41, i);
    Draw draw(i);
    if (c.dims[0] > 100 || !spoil(c, draw)) continue;
    if (judge(c).origin != "overrun:schedule_metadata") continue;
    const MinimizeResult result = minimize(c, judge, {.time_limit = std::chrono::seconds(20)});
    EXPECT_TRUE(result.minimal);
    Case expect = survived(make_paged_mqa_metadata_case({-1}, 1));
    EXPECT_EQ(write_case(result.smallest), write_case(expect));
    return;
  }
  FAIL() << "none of 500 cases was caught";
}

}  // namespace
}  // namespace bytegate
