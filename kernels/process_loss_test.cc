// Cases that crash, exit or never return, in the midst of others.
#include <gmock/gmock.h>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "kernels/process_backend.h"
#include "kernels/process_test_fixture.h"

namespace bytegate {
namespace {

class ProcessLossTest : public ProcessTest {};

TEST_F(ProcessLossTest, ACrashIsNamed) {
  expect_named(kCrash, RunStatus::kFault, "killed by signal 11 (Segmentation fault)");
}

TEST_F(ProcessLossTest, AnAbortIsNamed) {
  expect_named(kAbort, RunStatus::kFault, "killed by signal 6 (Aborted)");
}

TEST_F(ProcessLossTest, AnExitIsNamed) {
  expect_named(kExit, RunStatus::kExited, "exited with code 3");
}

TEST_F(ProcessLossTest, AnEndlessLoopIsNamed) {
  expect_named(kLoop, RunStatus::kHung, "no result within 1000 ms");
}

TEST_F(ProcessLossTest, WhatItWroteBeforeItsEndIsTold) {
  expect_named(kAssert, RunStatus::kFault,
               "killed by signal 6 (Aborted), having written: assertion failed: b > a");
}

TEST_F(ProcessLossTest, AnEndlessRecursionIsNamed) {
  expect_named(kRecurse, RunStatus::kFault,
               "killed by signal 11 (Segmentation fault): stack overflow");
}

TEST_F(ProcessLossTest, ACaseThatIsKilledEachTimeItRunsIsNamed) {
  expect_named(kKillItself, RunStatus::kFault, "killed by signal 9 (Killed)");
}

TEST_F(ProcessLossTest, TheNextCaseNeedNotWaitLong) {
  for (const ProcessBehaviour behaviour : {kCrash, kAbort, kExit, kLoop, kRecurse}) {
    run_one(make_process_case(1, 1, behaviour));
    const Case next = make_process_case(2, 2);
    const auto start = std::chrono::steady_clock::now();
    expect_copied(next, run_one(next));
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(2));
  }
}

TEST_F(ProcessLossTest, EveryCulpritOfASpanIsNamed) {
  std::vector<Case> cases;
  const std::vector<std::pair<ProcessBehaviour, RunStatus>> behaviours = {
      {kCrash, RunStatus::kFault}, {kRight, RunStatus::kDone}, {kExit, RunStatus::kExited},
      {kExit, RunStatus::kExited}, {kRight, RunStatus::kDone}, {kAbort, RunStatus::kFault}};
  for (const auto& [behaviour, status] : behaviours) {
    cases.push_back(make_process_case(2, 2, behaviour));
  }
  const std::vector<RunResult> results = run_all(cases);
  ASSERT_EQ(results.size(), behaviours.size());
  for (size_t i = 0; i < results.size(); ++i) EXPECT_EQ(results[i].status, behaviours[i].second);
}

TEST_F(ProcessLossTest, SubmissionsMayBeInFlightTogether) {
  const std::vector<Case> right = make_process_cases(200);
  std::vector<Case> guilty = make_process_cases(200);
  guilty[77] = make_process_case(1, 1, kCrash);
  for (const size_t guilty_idx : {0, 1, 2, 3, 4}) {
    for (const bool backwards : {false, true}) {
      SCOPED_TRACE(testing::Message() << guilty_idx << backwards);
      std::vector<std::unique_ptr<Submission>> flights;
      for (size_t i = 0; i < 5; ++i) {
        flights.push_back(backend_->submit(*candidate_, i == guilty_idx ? guilty : right));
      }
      for (size_t k = 0; k < flights.size(); ++k) {
        const size_t i = backwards ? flights.size() - 1 - k : k;
        const std::vector<RunResult> results = flights[i]->collect();
        expect_all_copied(right, results, i == guilty_idx ? 77 : SIZE_MAX);
        if (i != guilty_idx) continue;
        EXPECT_EQ(results[77].status, RunStatus::kFault);
      }
    }
  }
}

TEST_F(ProcessLossTest, ASubmissionMayBeDroppedUncollected) {
  const std::vector<Case> cases = make_process_cases(50);
  auto kept = backend_->submit(*candidate_, cases);
  backend_->submit(*candidate_, cases).reset();
  expect_all_copied(cases, kept->collect());
}

TEST_F(ProcessLossTest, ASingleCaseBesideAnotherIsNotBlamedForIt) {
  const Case loop = make_process_case(1, 1, kLoop);
  const Case right = make_process_case(1, 1);
  auto guilty = backend_->submit(*candidate_, {&loop, 1});
  auto innocent = backend_->submit(*candidate_, {&right, 1});
  expect_copied(right, innocent->collect().front());
  EXPECT_EQ(guilty->collect().front().status, RunStatus::kHung);
}

// Says that its device is lost when a case refuses, and for ever after.
class LosableBackend final : public Backend {
 public:
  [[nodiscard]] BackendKind kind() const override { return BackendKind::kCuda; }
  [[nodiscard]] std::string description() const override { return "losable"; }
  std::unique_ptr<Submission> submit(Candidate& candidate, std::span<const Case> cases) override {
    return std::make_unique<Work>(*this, inner_->submit(candidate, cases));
  }

 private:
  class Work final : public Submission {
   public:
    Work(LosableBackend& backend, std::unique_ptr<Submission> inner)
        : backend_(backend), inner_(std::move(inner)) {}
    std::vector<RunResult> collect() override {
      std::vector<RunResult> results = inner_->collect();
      for (RunResult& result : results) {
        backend_.lost_ = backend_.lost_ || result.status == RunStatus::kRefused;
        if (backend_.lost_) result = {.status = RunStatus::kLost, .message = "device error 700"};
      }
      return results;
    }

   private:
    LosableBackend& backend_;
    std::unique_ptr<Submission> inner_;
  };
  std::unique_ptr<Backend> inner_ = make_host_backend({});
  bool lost_ = false;
};

TEST(ProcessLoss, WhoLosesTheDeviceIsNamedAndAllOthersHaveTheirResults) {
  const MadeBackend made = make_process_backend(
      [] {
        return MadeBackend{std::make_unique<LosableBackend>(), ""};
      },
      std::chrono::seconds(5));
  ASSERT_NE(made.backend, nullptr) << made.absent_reason;
  const auto candidate = open_candidate(process_test_candidate());
  std::vector<Case> cases = make_process_cases(100);
  cases[40] = make_process_case(1, 1, kRefuse);
  const std::vector<Case> next = make_process_cases(10);
  auto guilty = made.backend->submit(*candidate, cases);
  auto behind = made.backend->submit(*candidate, next);
  const std::vector<RunResult> results = guilty->collect();
  expect_all_copied(cases, results, 40);
  EXPECT_EQ(results[40].status, RunStatus::kFault);
  EXPECT_EQ(results[40].message, "device error 700");
  expect_all_copied(next, behind->collect());
}

}  // namespace
}  // namespace bytegate
