#include "kernels/process_backend.h"

#include <gmock/gmock.h>

#include <chrono>
#include <cstdlib>
#include <vector>

#include "kernels/call_reader.h"
#include "kernels/process_test_fixture.h"

namespace bytegate {
namespace {

using ::testing::IsEmpty;
using Index = LayoutIndex;

class ProcessBackendTest : public ProcessTest {};

TEST_F(ProcessBackendTest, IsToTheOutsideWhatIsInside) {
  const auto inside = make_host_backend({});
  EXPECT_EQ(backend_->kind(), inside->kind());
  EXPECT_EQ(backend_->description(), inside->description());
  EXPECT_THAT(run_all({}), IsEmpty());
}

TEST_F(ProcessBackendTest, ResultsAreThoseOfTheBackendInside) {
  std::vector<Case> cases = make_process_cases(600);
  cases[1] = make_process_case(3, 3, kRefuse);
  cases[2] = make_process_case(3, 3, kPastEnd);
  cases[3].call_faults = {{.kind = CallFaultKind::kShortWorkspace}};
  const auto inside = make_host_backend({});
  const std::vector<RunResult> expect = inside->submit(*candidate_, cases)->collect();
  const std::vector<RunResult> actual = run_all(cases);
  ASSERT_EQ(expect.size(), actual.size());
  // In a worker what is past the end is an unmapped page.
  ASSERT_EQ(expect[2].steps.size(), 1u);
  EXPECT_EQ(expect[2].steps[0].damage->kind, Damage::Kind::kGuard);
  EXPECT_EQ(actual[2].status, RunStatus::kFault);
  ASSERT_TRUE(actual[2].trespass.has_value());
  EXPECT_EQ(actual[2].trespass->kind, Damage::Kind::kWrite);
  EXPECT_EQ(actual[2].trespass->tensor, expect[2].steps[0].damage->tensor);
  EXPECT_EQ(actual[2].trespass->byte_offset, expect[2].steps[0].damage->byte_offset);
  for (size_t i = 0; i < cases.size(); ++i) {
    if (i == 2) continue;
    SCOPED_TRACE("case " + std::to_string(i));
    EXPECT_EQ(expect[i].status, actual[i].status);
    EXPECT_EQ(expect[i].message, actual[i].message);
    EXPECT_EQ(expect[i].path, actual[i].path);
    ASSERT_EQ(expect[i].steps.size(), actual[i].steps.size());
    if (expect[i].steps.empty()) continue;
    const StepResult& step = actual[i].steps[0];
    // A refused call has damage, but no outputs. `wide` holds the process id.
    ASSERT_EQ(expect[i].steps[0].outputs.size(), step.outputs.size());
    if (!step.outputs.empty()) {
      EXPECT_EQ(expect[i].steps[0].outputs[Index::kOut], step.outputs[Index::kOut]);
    }
    EXPECT_EQ(expect[i].steps[0].untouched, step.untouched);
    ASSERT_EQ(expect[i].steps[0].damage.has_value(), step.damage.has_value());
    if (!step.damage) continue;
    EXPECT_EQ(expect[i].steps[0].damage->kind, step.damage->kind);
    EXPECT_EQ(expect[i].steps[0].damage->tensor, step.damage->tensor);
    EXPECT_EQ(expect[i].steps[0].damage->byte_offset, step.damage->byte_offset);
  }
}

TEST_F(ProcessBackendTest, StepsRunInOrder) {
  Case c = make_process_case(1, 2);
  for (const int32_t value : {50, 60}) {
    c.later_steps.push_back(
        {.changes = {{.tensor = Index::kIn,
                      .elements = Elements(std::vector<int32_t>{value, value + 1})}}});
  }
  expect_copied(c, run_one(c));
  c.later_steps[1].changes[0].elements.set(0, kCrash);
  EXPECT_EQ(run_one(c).status, RunStatus::kFault);
}

TEST_F(ProcessBackendTest, ALargeCaseGoesThereAndBack) {
  const std::vector<Case> cases = {make_process_case(1, 1), make_process_case(2000, 1500),
                                   make_process_case(1, 1)};
  for (int repeat = 0; repeat < 2; ++repeat) expect_all_copied(cases, run_all(cases));
}

TEST_F(ProcessBackendTest, AnotherCandidateOrOperationGetsAnotherWorker) {
  const Case c = make_process_case(1, 1);
  expect_copied(c, run_one(c));
  const auto refuse = [](void*, bytegate_call* call) -> int32_t {
    return CallReader(*call).report(BYTEGATE_INVALID_ARGUMENT, "never");
  };
  const bytegate_candidate refusing = host_table("refuse", refuse);
  // Mostly at the address of the one before.
  candidate_.reset();
  candidate_ = open_candidate(refusing);
  EXPECT_EQ(run_one(c).message, "never");
  candidate_ = open_candidate(process_test_candidate());
  // NOLINTNEXTLINE(performance-unnecessary-copy-initialization): another address is the point
  const Op copied_op = layout_op();
  Case other = c;
  other.op = &copied_op;
  expect_copied(other, run_one(other));
  expect_copied(c, run_one(c));
}

TEST_F(ProcessBackendTest, TwoCandidatesMayBeInFlight) {
  const std::vector<Case> cases = make_process_cases(20);
  const auto other = open_candidate(process_test_candidate());
  auto a = backend_->submit(*candidate_, cases);
  auto b = backend_->submit(*other, cases);
  expect_all_copied(cases, a->collect());
  expect_all_copied(cases, b->collect());
}

TEST(ProcessBackendStart, WhatIsAbsentInsideIsAbsent) {
  const MadeBackend made = make_process_backend(
      [] {
        return MadeBackend{nullptr, "not here"};
      },
      std::chrono::seconds(1));
  EXPECT_EQ(made.backend, nullptr);
  EXPECT_EQ(made.absent_reason, "not here");
}

TEST(ProcessBackendStart, ABackendThatCannotBeMadeIsAbsent) {
  const auto crash = []() -> MadeBackend { std::abort(); };
  const MadeBackend made = make_process_backend(crash, std::chrono::seconds(1));
  EXPECT_EQ(made.backend, nullptr);
  EXPECT_EQ(made.absent_reason, "a worker did not start: killed by signal 6 (Aborted)");
}

}  // namespace
}  // namespace bytegate
