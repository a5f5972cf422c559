// What the cuda backend makes of faults, failed launches, hangs and full memory.
#include <gmock/gmock.h>

#include <cuda_runtime_api.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "kernels/cuda_test_op.h"

namespace bytegate {
namespace {

using Index = CudaTestIndex;
using testing::HasSubstr;
using testing::StartsWith;

class CudaFaultTest : public CudaTest {};

void expect_fault(const RunResult& result, const char* error) {
  EXPECT_EQ(result.status, RunStatus::kFault);
  EXPECT_THAT(result.message, StartsWith("cuda"));
  EXPECT_THAT(result.message, HasSubstr(error));
}

TEST_F(CudaFaultTest, AnIllegalAddressIsTheFaultOfItsCaseAlone) {
  std::vector<Case> cases = make_cuda_test_cases(1000, 60);
  cases[500] = make_cuda_test_case(64, 61, TestBehaviour::kIllegalAddress);
  const std::vector<RunResult> results = run(cases);
  expect_all_right(cases, results, 500);
  expect_fault(results[500], ": cudaErrorIllegalAddress (");
  const std::vector<Case> next = make_cuda_test_cases(1000, 62);
  expect_all_right(next, run(next));
}

TEST_F(CudaFaultTest, EveryFaultOfASpanIsNamed) {
  std::vector<Case> cases = make_cuda_test_cases(40, 63);
  cases[0] = make_cuda_test_case(64, 64, TestBehaviour::kIllegalAddress);
  cases[21] = make_cuda_test_case(64, 65, TestBehaviour::kTrap);
  cases[39] = make_cuda_test_case(64, 66, TestBehaviour::kIllegalAddress);
  const std::vector<RunResult> results = run(cases);
  for (size_t i = 0; i < cases.size(); ++i) {
    SCOPED_TRACE("case " + std::to_string(i));
    if (i == 0 || i == 21 || i == 39) {
      expect_fault(results[i], "cudaError");
    } else {
      expect_right(cases[i], results[i]);
    }
  }
}

TEST_F(CudaFaultTest, AFaultByItselfIsNamedAndForgotten) {
  const Case right = make_cuda_test_case(10, 67);
  for (const Mode mode : {Mode::kPlain, Mode::kGraph}) {
    for (const TestBehaviour behaviour : {TestBehaviour::kIllegalAddress, TestBehaviour::kTrap}) {
      Case c = make_cuda_test_case(10, 68, behaviour);
      c.mode = mode;
      add_cuda_test_step(c, 69);
      expect_fault(run_one(c), "cudaError");
      expect_right(right, run_one(right));
    }
  }
}

TEST_F(CudaFaultTest, AFaultDoesNotTouchTheOtherSubmission) {
  std::vector<Case> guilty = make_cuda_test_cases(200, 70);
  guilty[77] = make_cuda_test_case(64, 71, TestBehaviour::kIllegalAddress);
  const std::vector<Case> innocent = make_cuda_test_cases(300, 72);
  for (const bool guilty_first : {true, false}) {
    for (const bool collect_guilty_first : {true, false}) {
      SCOPED_TRACE(testing::Message() << guilty_first << collect_guilty_first);
      std::unique_ptr<Submission> bad;
      std::unique_ptr<Submission> good;
      if (guilty_first) bad = backend_->submit(*candidate_, guilty);
      good = backend_->submit(*candidate_, innocent);
      if (!guilty_first) bad = backend_->submit(*candidate_, guilty);
      if (!collect_guilty_first) expect_all_right(innocent, good->collect());
      const std::vector<RunResult> results = bad->collect();
      if (collect_guilty_first) expect_all_right(innocent, good->collect());
      expect_all_right(guilty, results, 77);
      expect_fault(results[77], "cudaErrorIllegalAddress");
    }
  }
}

TEST_F(CudaFaultTest, AFaultIsFoundInAnyRound) {
  open_backend({.round_bytes = size_t{256} << 10});
  for (const size_t culprit : {0, 150, 299}) {
    std::vector<Case> cases = make_cuda_test_cases(300, 73);
    cases[culprit] = make_cuda_test_case(64, 74, TestBehaviour::kIllegalAddress);
    const std::vector<RunResult> results = run(cases);
    expect_all_right(cases, results, culprit);
    expect_fault(results[culprit], "cudaErrorIllegalAddress");
  }
}

TEST_F(CudaFaultTest, AStrayWriteBetweenSparseRowsFaults) {
  for (int repeat = 0; repeat < 3; ++repeat) {
    Case c = make_cuda_test_case(3, 75, TestBehaviour::kStray);
    c.tensors[Index::kTable].strides[0] = int64_t{1} << 31;
    c.scalars[Index::kStrayIdx] = int64_t{1} << 30;
    expect_fault(run_one(c), "cudaErrorIllegalAddress");
    c.scalars[Index::kBehaviour] = static_cast<int64_t>(TestBehaviour::kRight);
    expect_right(c, run_one(c));
  }
}

TEST_F(CudaFaultTest, AFailedLaunchBelongsToItsCase) {
  for (const size_t count : {1, 9}) {
    std::vector<Case> cases = make_cuda_test_cases(count, 76);
    const size_t culprit = count / 2;
    cases[culprit] = make_cuda_test_case(64, 77, TestBehaviour::kBadLaunch);
    const std::vector<RunResult> left = run(cases);
    expect_all_right(cases, left, culprit);
    EXPECT_EQ(left[culprit].status, RunStatus::kFault);
    EXPECT_THAT(left[culprit].message,
                HasSubstr("cudaGetLastError: cudaErrorInvalidConfiguration ("));
    cases[culprit] = make_cuda_test_case(64, 78, TestBehaviour::kCheckedLaunch);
    const std::vector<RunResult> checked = run(cases);
    expect_all_right(cases, checked, culprit);
    EXPECT_EQ(checked[culprit].status, RunStatus::kRefused);
    EXPECT_EQ(checked[culprit].message, "invalid configuration argument");
  }
}

TEST_F(CudaFaultTest, ACaseBeyondTheLimitIsExhausted) {
  std::vector<Case> cases = make_cuda_test_cases(5, 79);
  cases[2].scalars[Index::kWorkspaceBytes] = int64_t{1} << 45;
  const std::vector<RunResult> results = run(cases);
  expect_all_right(cases, results, 2);
  EXPECT_EQ(results[2].status, RunStatus::kExhausted);
  EXPECT_THAT(results[2].message, HasSubstr("bytes are more than"));
}

TEST_F(CudaFaultTest, FullDeviceMemoryIsExhausted) {
  std::vector<Case> cases = make_cuda_test_cases(5, 80);
  expect_all_right(cases, run(cases));
  size_t free_bytes = 0;
  size_t total_bytes = 0;
  ASSERT_EQ(cudaMemGetInfo(&free_bytes, &total_bytes), cudaSuccess);
  void* hog = nullptr;
  ASSERT_EQ(cudaMalloc(&hog, free_bytes - (size_t{512} << 20)), cudaSuccess);
  cases[2].scalars[Index::kWorkspaceBytes] = int64_t{3} << 30;
  const std::vector<RunResult> results = run(cases);
  ASSERT_EQ(cudaFree(hog), cudaSuccess);
  expect_all_right(cases, results, 2);
  EXPECT_EQ(results[2].status, RunStatus::kExhausted);
  EXPECT_THAT(results[2].message, StartsWith("cudaMalloc: cudaErrorMemoryAllocation ("));
}

int complain(const char* what, const RunResult& result) {
  std::fprintf(stderr, "%s: status %d: %s\n", what, static_cast<int>(result.status),
               result.message.c_str());
  return 1;
}

// Hangs the device of this process; 0 if the backend reports it as it should.
int hang(Candidate& candidate, size_t num_cases) {
  CudaBackendResult made = make_cuda_backend_with({.launch_time = std::chrono::milliseconds(300)});
  if (made.backend == nullptr) return complain("no backend", {.message = made.absent_reason});
  std::vector<Case> cases = make_cuda_test_cases(num_cases, 81);
  cases[num_cases / 2] = make_cuda_test_case(64, 82, TestBehaviour::kSpin);
  const std::vector<Case> others = make_cuda_test_cases(2, 83);
  const auto start = std::chrono::steady_clock::now();
  auto hung = made.backend->submit(candidate, cases);
  auto behind = made.backend->submit(candidate, others);
  for (const RunResult& result : hung->collect()) {
    if (result.status != RunStatus::kHung) return complain("not hung", result);
  }
  for (const RunResult& result : behind->collect()) {
    // A case alone is launched by collect() only, so that `behind` went first.
    const bool done = result.status == RunStatus::kDone;
    if (done != (num_cases == 1)) return complain("behind", result);
  }
  for (const RunResult& result : made.backend->submit(candidate, others)->collect()) {
    if (result.status != RunStatus::kExhausted) return complain("after", result);
    if (result.message.empty()) return complain("after, no message", result);
  }
  hung.reset();
  behind.reset();
  made.backend.reset();
  const auto waited = std::chrono::steady_clock::now() - start;
  return waited < std::chrono::seconds(kTestSpinSeconds) ? 0 : complain("too late", {});
}

// The hang is in a process of its own, which does not come back from it.
class CudaHangDeathTest : public CudaTest {
 protected:
  void SetUp() override {
    CudaTest::SetUp();
    GTEST_FLAG_SET(death_test_style, "threadsafe");
  }
};

TEST_F(CudaHangDeathTest, AKernelThatDoesNotEndIsHungAndTheBackendReturns) {
  EXPECT_EXIT(std::_Exit(hang(*candidate_, 1)), testing::ExitedWithCode(0), "");
}

TEST_F(CudaHangDeathTest, WhatWasLaunchedWithAHangingKernelIsHungToo) {
  EXPECT_EXIT(std::_Exit(hang(*candidate_, 3)), testing::ExitedWithCode(0), "");
}

// More launches than a device queue holds: the launches themselves must not wait.
TEST_F(CudaHangDeathTest, AHangAheadOfThousandsOfLaunchesDoesNotHoldTheHost) {
  EXPECT_EXIT(std::_Exit(hang(*candidate_, 4000)), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace bytegate
