#include "properties/check_relations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "kernels/builtin_candidate.h"
#include "kernels/testing/candidates.h"
#include "kernels/testing/schedule_candidates.h"
#include "oracles/paged_mqa_metadata.h"
#include "properties/minimize.h"
#include "properties/paged_mqa_metadata.h"

namespace bytegate {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

using ::testing::SizeIs;

// Those of the schedule with one relation, and with or without the walker.
OpProperties properties_with(std::string_view relation) {
  OpProperties properties = paged_mqa_metadata_properties();
  std::erase_if(properties.relations, [&](const Relation& one) { return one.name != relation; });
  properties.broken_invariant = nullptr;
  return properties;
}

constexpr Checks kFollowAll = {
    .yardstick = Yardstick::kInvariants, .follow_one_in = 1, .num_relations = 100};

Verdict verdict_of(const Case& c, const bytegate_candidate& table, const OpProperties& properties,
                   const Checks& checks) {
  const auto candidate = open_candidate(table);
  const auto backend = make_host_backend({});
  return check({&c, 1}, *candidate, *backend, properties, checks).front();
}

Verdict verdict_of_production(const Case& c, const OpProperties& properties, const Checks& checks) {
  const auto candidate = open_builtin("production");
  const auto backend = make_host_backend({});
  return check({&c, 1}, *candidate, *backend, properties, checks).front();
}

TEST(CheckRelations, ABrokenRelationIsTheOrigin) {
  const Case c = make_paged_mqa_metadata_case({1000, 300}, 4);
  const Verdict verdict =
      verdict_of(c, forward_remainder_candidate(), properties_with("other_remainder"), kFollowAll);
  EXPECT_EQ(verdict.origin, "invariant:other_remainder") << describe(verdict);
  EXPECT_EQ(verdict.kind, VerdictKind::kInvariant);
}

TEST(CheckRelations, APassSaysWhichRelationsTheCaseWasHeldTo) {
  const OpProperties properties = paged_mqa_metadata_properties();
  const Case c = make_paged_mqa_metadata_case({1000, 0, 300}, 4);
  const Verdict all = verdict_of_production(c, properties, kFollowAll);
  EXPECT_TRUE(all.passed()) << describe(all);
  // Splits are not dealt evenly, so that half as many multiprocessors say nothing.
  EXPECT_THAT(all.relations, SizeIs(properties.relations.size() - 1));
  EXPECT_THAT(verdict_of_production(c, properties, kWithoutOracle).relations, SizeIs(4));
  EXPECT_THAT(verdict_of_production(c, properties, {}).relations, IsEmpty());
}

TEST(CheckRelations, ACaseOfSeveralStepsIsNotFollowedUp) {
  Case c = make_paged_mqa_metadata_case({1000, 0, 300}, 4);
  c.later_steps.emplace_back();
  const Verdict verdict = verdict_of_production(c, paged_mqa_metadata_properties(), kFollowAll);
  EXPECT_TRUE(verdict.passed()) << describe(verdict);
  EXPECT_THAT(verdict.relations, IsEmpty());
}

TEST(CheckRelations, ACaseThatNamesARelationIsAlwaysHeldToIt) {
  const OpProperties properties = properties_with("other_remainder");
  Case c = make_paged_mqa_metadata_case({1000, 300}, 4);
  const Checks invariants = {.yardstick = Yardstick::kInvariants};
  EXPECT_TRUE(verdict_of(c, forward_remainder_candidate(), properties, invariants).passed());
  c.origin = "invariant:other_remainder";
  const Verdict verdict = verdict_of(c, forward_remainder_candidate(), properties, invariants);
  EXPECT_EQ(verdict.origin, "invariant:other_remainder") << describe(verdict);
}

TEST(CheckRelations, ARelationThatNobodyKnowsIsNotPassedOver) {
  Case c = make_paged_mqa_metadata_case({1000, 300}, 4);
  c.origin = "invariant:of_old@again";
  const Verdict verdict = verdict_of_production(c, paged_mqa_metadata_properties(), {});
  EXPECT_EQ(verdict.kind, VerdictKind::kUntested);
  EXPECT_THAT(verdict.message, HasSubstr("of_old"));
}

TEST(CheckRelations, WhatFollowsAndFailsByItselfIsTheCaseToKeep) {
  // Right for the first remainder, which is what the oracle says too; wrong for the last.
  const Case c = make_paged_mqa_metadata_case({1000, 300}, 4, Remainder::kFirst);
  const auto candidate = open_candidate(forward_remainder_candidate());
  const auto backend = make_host_backend({});
  const OpProperties properties = properties_with("other_remainder");
  PendingChecks pending({&c, 1}, *candidate, *backend, properties, {.follow_one_in = 1});
  const Verdict verdict = pending.collect().front();
  EXPECT_EQ(verdict.origin, "mismatch:schedule_metadata");
  EXPECT_EQ(pending.case_of(0), make_paged_mqa_metadata_case({1000, 300}, 4));
}

// Production, but for the schedule, which it does not write.
int32_t run_all_but_the_schedule(void* state, bytegate_call* call) {
  const bool schedule = std::string_view(call->op) == paged_mqa_metadata_op().name;
  return schedule ? 0 : builtin_candidate("production")->run(state, call);
}

TEST(CheckRelations, AFlawOfAnotherOperationIsNotHeldAgainstTheCaseThatItFollowsFrom) {
  bytegate_candidate table = *builtin_candidate("production");
  table.run = run_all_but_the_schedule;
  const Case schedule = make_paged_mqa_metadata_case({1000, 300}, 4);
  EXPECT_EQ(verdict_of(schedule, table, paged_mqa_metadata_properties(), {}).origin,
            "unwritten:schedule_metadata");

  const OpProperties& refresh =
      *find_properties(all_properties(), *find_op(all_ops(), "dsa_decode_refresh"));
  const auto one = std::find_if(refresh.relations.begin(), refresh.relations.end(),
                                [](const Relation& r) { return r.name == "schedule_alone"; });
  ASSERT_NE(one, refresh.relations.end());
  OpProperties properties = refresh;
  properties.relations = {*one};
  const auto num_held = [&](const bytegate_candidate& candidate) {
    size_t count = 0;
    for (uint64_t seed = 0; seed < 20; ++seed) {
      Draw draw(seed);
      const Verdict verdict =
          verdict_of(refresh.generate(draw), candidate, properties, {.follow_one_in = 1});
      EXPECT_TRUE(verdict.passed() || says_nothing(verdict.kind)) << describe(verdict);
      count += verdict.relations.size();
    }
    return count;
  };
  EXPECT_GT(num_held(*builtin_candidate("production")), 0U);
  EXPECT_EQ(num_held(table), 0U);
}

TEST(CheckRelations, WithoutAnOracleNoneIsAsked) {
  static const Op unknowable = [] {
    Op op = paged_mqa_metadata_op();
    op.oracle = [](const Case&, Outputs&) { throw std::logic_error("the oracle was asked"); };
    return op;
  }();
  OpProperties properties = paged_mqa_metadata_properties();
  properties.op = &unknowable;
  Case c = make_paged_mqa_metadata_case({1000, 300}, 4);
  c.op = &unknowable;
  for (const Mode mode : {Mode::kPlain, Mode::kAgain}) {
    c.mode = mode;
    EXPECT_TRUE(verdict_of_production(c, properties, kFollowAll).passed());
    EXPECT_THROW(verdict_of_production(c, properties, {}), std::logic_error);
  }
}

TEST(CheckRelations, ABrokenRelationShrinksToTheCaseThatNamesIt) {
  const OpProperties properties = properties_with("other_remainder");
  Case c = make_paged_mqa_metadata_case({70000, 0, 300, 12345, 256}, 132);
  c.origin = "invariant:other_remainder";
  const MinimizeResult result =
      minimize(c,
               [&](const Case& simpler) {
                 return verdict_of(simpler, forward_remainder_candidate(), properties,
                                   {.yardstick = Yardstick::kInvariants});
               },
               {.time_limit = std::chrono::minutes(1)});
  EXPECT_TRUE(result.minimal);
  Case smallest = make_paged_mqa_metadata_case({1}, 2);
  smallest.origin = c.origin;
  EXPECT_EQ(result.smallest, smallest);
}

// Gives what it was given, whatever runs.
class GivenBackend final : public Backend {
 public:
  explicit GivenBackend(RunResult result) : result_(std::move(result)) {}
  [[nodiscard]] BackendKind kind() const override { return BackendKind::kHost; }
  [[nodiscard]] std::string description() const override { return "given"; }
  std::unique_ptr<Submission> submit(Candidate&, std::span<const Case> cases) override {
    class Ready final : public Submission {
     public:
      explicit Ready(std::vector<RunResult> results) : results_(std::move(results)) {}
      std::vector<RunResult> collect() override { return results_; }

     private:
      std::vector<RunResult> results_;
    };
    return std::make_unique<Ready>(std::vector<RunResult>(cases.size(), result_));
  }

 private:
  RunResult result_;
};

TEST(CheckRelations, ASecondLaunchThatGivesOtherBytesIsUnstableWithoutAnOracle) {
  Case c = make_paged_mqa_metadata_case({1}, 1);
  c.mode = Mode::kAgain;
  RunResult result = {.status = RunStatus::kDone};
  for (const std::vector<int32_t>& table : {std::vector<int32_t>{0, 0, 1, 0}, {0, 0, 1, 1}}) {
    result.steps.push_back(
        {.outputs = {Elements(), Elements(table)}, .untouched = {{}, {}}, .damage = {}});
  }
  GivenBackend backend(result);
  const auto candidate = open_builtin("production");
  const OpProperties properties = properties_with("none");
  const Checks invariants = {.yardstick = Yardstick::kInvariants};
  const Verdict verdict = check({&c, 1}, *candidate, backend, properties, invariants).front();
  EXPECT_EQ(verdict.origin, "unstable:schedule_metadata@again") << describe(verdict);
}

}  // namespace
}  // namespace bytegate
