#include "kernels/guard_inquest.h"

#include <gtest/gtest.h>

#include <vector>

#include "kernels/builtin_candidate.h"
#include "kernels/candidate_handle.h"
#include "kernels/testing/schedule_op.h"

namespace bytegate {
namespace {

using Answer = std::function<RunResult(const GuardFocus&)>;

class ScriptedSubmission final : public Submission {
 public:
  ScriptedSubmission(size_t num_cases, RunResult result) : results_(num_cases, std::move(result)) {}
  std::vector<RunResult> collect() override { return std::move(results_); }

 private:
  std::vector<RunResult> results_;
};

class ScriptedBackend final : public Backend {
 public:
  ScriptedBackend(GuardFocus focus, Answer answer) : focus_(focus), answer_(std::move(answer)) {}
  [[nodiscard]] BackendKind kind() const override { return BackendKind::kCuda; }
  [[nodiscard]] std::string description() const override { return "scripted"; }
  std::unique_ptr<Submission> submit(Candidate&, std::span<const Case> cases) override {
    return std::make_unique<ScriptedSubmission>(cases.size(), answer_(focus_));
  }

 private:
  GuardFocus focus_;
  Answer answer_;
};

const RunResult kFaulted = {.status = RunStatus::kFault, .message = "illegal address"};
const RunResult kRan = {.status = RunStatus::kDone};

class GuardInquest : public testing::Test {
 protected:
  // The results of a case in the mode, `num_runs` times over.
  std::vector<RunResult> run(Mode mode, const Answer& answer, int num_runs = 1) {
    const MadeBackend made = make_naming_backend([&](const GuardFocus& focus) {
      return MadeBackend{std::make_unique<ScriptedBackend>(focus,
                                                           [&](const GuardFocus& asked) {
                                                             asked_.push_back(asked);
                                                             return answer(asked);
                                                           }),
                         ""};
    });
    Candidate::Result opened = Candidate::open(production_candidate());
    Case c = make_schedule_case({.lens = {700, 0, 256, 1}, .num_sm = 4});
    c.mode = mode;
    std::vector<RunResult> results;
    for (int i = 0; i < num_runs; ++i) {
      results.push_back(made.backend->submit(*opened.candidate, {&c, 1})->collect().front());
    }
    return results;
  }

  std::vector<GuardFocus> asked_;
};

// Faults wherever `buffer` is guarded; its guard opened, it shows `trace`.
Answer faults_at(int buffer, const Damage& trace) {
  return [buffer, trace](const GuardFocus& focus) {
    if (!focus.guards(buffer)) return kRan;
    if (!focus.open) return kFaulted;
    RunResult traced = kRan;
    traced.trespass = trace;
    return traced;
  };
}

TEST_F(GuardInquest, TheBufferWhoseGuardStopsTheCaseIsNamed) {
  for (const int buffer : {0, 1, -1}) {
    const Damage trace = {.kind = Damage::Kind::kWrite, .tensor = buffer, .byte_offset = 40};
    const RunResult result = run(Mode::kGuardAfter, faults_at(buffer, trace)).front();
    EXPECT_EQ(RunStatus::kFault, result.status);
    ASSERT_TRUE(result.trespass.has_value()) << buffer;
    EXPECT_EQ(Damage::Kind::kWrite, result.trespass->kind);
    EXPECT_EQ(buffer, result.trespass->tensor);
    EXPECT_EQ(40, result.trespass->byte_offset);
  }
}

TEST_F(GuardInquest, TheBufferOfTheLastFaultIsAskedFirst) {
  run(Mode::kGuardBefore, faults_at(1, {.kind = Damage::Kind::kRead, .tensor = 1}), 2);
  std::vector<int> buffers;
  for (const GuardFocus& focus : asked_) buffers.push_back(focus.buffer);
  EXPECT_EQ((std::vector<int>{GuardFocus::kAll, 0, 1, 1, GuardFocus::kAll, 1, 1}), buffers);
}

TEST_F(GuardInquest, AFaultBeyondAnOpenedGuardIsARead) {
  const Answer answer = [](const GuardFocus& focus) { return focus.guards(0) ? kFaulted : kRan; };
  const RunResult result = run(Mode::kGuardAfter, answer).front();
  ASSERT_TRUE(result.trespass.has_value());
  EXPECT_EQ(Damage::Kind::kRead, result.trespass->kind);
  EXPECT_EQ(0, result.trespass->tensor);
  EXPECT_EQ(16, result.trespass->byte_offset);
}

TEST_F(GuardInquest, AFaultThatNoGuardStopsHasNoName) {
  const RunResult result =
      run(Mode::kGuardAfter, [](const GuardFocus&) { return kFaulted; }).front();
  EXPECT_EQ(RunStatus::kFault, result.status);
  EXPECT_FALSE(result.trespass.has_value());
}

TEST_F(GuardInquest, AFaultThatDoesNotComeAgainHasNoName) {
  const Answer answer = [](const GuardFocus& focus) {
    return focus.buffer == GuardFocus::kAll ? kFaulted : kRan;
  };
  EXPECT_FALSE(run(Mode::kGuardAfter, answer).front().trespass.has_value());
}

TEST_F(GuardInquest, OnlyAFaultAtUnmappedPagesIsExamined) {
  run(Mode::kPlain, [](const GuardFocus&) { return kFaulted; });
  run(Mode::kGuardAfter, [](const GuardFocus&) { return kRan; });
  EXPECT_EQ(size_t{2}, asked_.size());
}

}  // namespace
}  // namespace bytegate
