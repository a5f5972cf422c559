// Cases that write to stdout or stderr.
#include <gmock/gmock.h>

#include <chrono>
#include <vector>

#include "kernels/process_backend.h"
#include "kernels/process_test_fixture.h"

namespace bytegate {
namespace {

using ::testing::Each;
using ::testing::Field;
using ::testing::HasSubstr;

class ProcessNoiseTest : public ProcessTest {};

TEST_F(ProcessNoiseTest, WhatIsWrittenToStdoutIsNamedAndNotSeen) {
  testing::internal::CaptureStdout();
  expect_named(kPrint, RunStatus::kNoisy, "wrote to stdout or stderr: hello");
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
}

TEST_F(ProcessNoiseTest, WhatIsWrittenToStderrIsNamedAndNotSeen) {
  testing::internal::CaptureStderr();
  expect_named(kPrintToStderr, RunStatus::kNoisy, "wrote to stdout or stderr: oops");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST_F(ProcessNoiseTest, AFloodIsNamedToo) {
  expect_named(kFlood, RunStatus::kNoisy, "wrote to stdout or stderr: ffff");
}

TEST_F(ProcessNoiseTest, AWorkerIsNotLostByIt) {
  const int64_t first = worker_of(run_one(make_process_case(1, 1)));
  run_one(make_process_case(1, 1, kPrint));
  EXPECT_EQ(worker_of(run_one(make_process_case(1, 2))), first);
}

TEST_F(ProcessNoiseTest, EveryCaseOfASpanMayWrite) {
  const std::vector<Case> cases(100, make_process_case(1, 1, kPrint));
  EXPECT_THAT(run_all(cases), Each(Field(&RunResult::status, RunStatus::kNoisy)));
}

// The host backend, but one whose spans a worker cannot take apart.
class SpanBackend final : public Backend {
 public:
  [[nodiscard]] BackendKind kind() const override { return BackendKind::kCuda; }
  [[nodiscard]] std::string description() const override { return "spans"; }
  std::unique_ptr<Submission> submit(Candidate& candidate, std::span<const Case> cases) override {
    return inner_->submit(candidate, cases);
  }

 private:
  std::unique_ptr<Backend> inner_ = make_host_backend({});
};

class SpanNoiseTest : public ProcessTest {
 protected:
  SpanNoiseTest() {
    backend_ = make_process_backend(
                   [] {
                     return MadeBackend{std::make_unique<SpanBackend>(), ""};
                   },
                   std::chrono::seconds(5))
                   .backend;
  }
};

TEST_F(SpanNoiseTest, WhoWroteIsFoundInASpan) {
  expect_named(kPrint, RunStatus::kNoisy, "wrote to stdout or stderr: hello");
}

TEST_F(SpanNoiseTest, SpansMayBeInFlightTogether) {
  std::vector<Case> noisy = make_process_cases(60);
  noisy[31] = make_process_case(2, 2, kPrint);
  const std::vector<Case> right = make_process_cases(60);
  const Case quiet = make_process_case(2, 2);
  auto first = backend_->submit(*candidate_, noisy);
  auto second = backend_->submit(*candidate_, {&quiet, 1});
  auto third = backend_->submit(*candidate_, right);
  const std::vector<RunResult> results = first->collect();
  expect_all_copied(noisy, results, 31);
  EXPECT_EQ(results[31].status, RunStatus::kNoisy);
  expect_copied(quiet, second->collect().front());
  expect_all_copied(right, third->collect());
}

TEST_F(ProcessNoiseTest, ACrashIsJudgedByItselfAlthoughItWasLoud) {
  const RunResult result = run_one(make_process_case(1, 1, kAssert));
  EXPECT_EQ(result.status, RunStatus::kFault);
  EXPECT_THAT(result.message, HasSubstr("assertion failed"));
}

}  // namespace
}  // namespace bytegate
