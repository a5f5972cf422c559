// What the cuda backend makes of faults, failed launches, hangs and full memory.
#include <gmock/gmock.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>

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

TEST_F(CudaFaultTest, OneTrapAmong512IsNamed) {
  std::vector<Case> cases = make_cuda_test_cases(512, 58);
  cases[300] = make_cuda_test_case(64, 59, TestBehaviour::kTrap);
  const std::vector<RunResult> results = run(cases);
  expect_all_right(cases, results, 300);
  expect_fault(results[300], "cudaError");
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
    // Which of its "invalid" errors a runtime gives for too many threads differs by version.
    EXPECT_THAT(left[culprit].message, HasSubstr("cudaGetLastError: cudaErrorInvalid"));
    cases[culprit] = make_cuda_test_case(64, 78, TestBehaviour::kCheckedLaunch);
    const std::vector<RunResult> checked = run(cases);
    expect_all_right(cases, checked, culprit);
    EXPECT_EQ(checked[culprit].status, RunStatus::kFailed);
    EXPECT_THAT(checked[culprit].message, HasSubstr("invalid"));
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
  const Case hog = make_cuda_test_case(8, 81, TestBehaviour::kHog);
  expect_right(hog, run_one(hog));
  cases[2].scalars[Index::kWorkspaceBytes] = int64_t{3} << 30;
  const std::vector<RunResult> results = run(cases);
  expect_all_right(cases, results, 2);
  EXPECT_EQ(results[2].status, RunStatus::kExhausted);
  EXPECT_THAT(results[2].message, StartsWith("cudaMalloc: cudaErrorMemoryAllocation ("));
}

// Not in a worker: this is what a worker has to do without.
TEST_F(CudaFaultTest, AProcessThatFaultedSaysThatItHasLostTheDevice) {
  const auto lose_device = [&]() -> std::string {
    MadeBackend made = make_in_process_cuda_backend({});
    if (made.backend == nullptr) return made.absent_reason;
    const std::vector<Case> guilty = {make_cuda_test_case(8, 84, TestBehaviour::kIllegalAddress)};
    const std::vector<Case> after = make_cuda_test_cases(3, 85);
    for (const std::vector<Case>* cases : {&guilty, &after}) {
      for (const RunResult& result : made.backend->submit(*candidate_, *cases)->collect()) {
        if (result.status != RunStatus::kLost) return "not lost";
        if (result.message.find("cudaErrorIllegalAddress") == std::string::npos) {
          return result.message;
        }
      }
    }
    return "";
  };
  // CUDA may be used in a child that goes again, but not in this process.
  GTEST_FLAG_SET(death_test_style, "fast");
  EXPECT_EXIT(
      {
        const std::string wrong = lose_device();
        std::fprintf(stderr, "%s\n", wrong.empty() ? "as expected" : wrong.c_str());
        std::_Exit(0);
      },
      testing::ExitedWithCode(0), "^as expected\n");
}

// Far less than a spinning kernel takes, and far more than anything else here.
constexpr std::chrono::milliseconds kHangLimit{2000};
static_assert(kHangLimit < std::chrono::seconds(kTestSpinSeconds));

void expect_hung(const RunResult& result) {
  EXPECT_EQ(result.status, RunStatus::kHung);
  EXPECT_EQ(result.message, "no result within 2000 ms");
}

TEST_F(CudaFaultTest, AKernelThatDoesNotEndIsHungAndForgotten) {
  open_backend({}, kHangLimit);
  expect_hung(run_one(make_cuda_test_case(64, 86, TestBehaviour::kSpin)));
  const Case right = make_cuda_test_case(10, 87);
  expect_right(right, run_one(right));
}

// More launches than a device queue holds, and a submission behind them.
TEST_F(CudaFaultTest, OneHangAmongThousandsOfLaunchesIsNamed) {
  open_backend({}, kHangLimit);
  std::vector<Case> cases = make_cuda_test_cases(4000, 88);
  cases[2000] = make_cuda_test_case(64, 89, TestBehaviour::kSpin);
  const std::vector<Case> others = make_cuda_test_cases(200, 90);
  auto hung = backend_->submit(*candidate_, cases);
  auto behind = backend_->submit(*candidate_, others);
  const std::vector<RunResult> results = hung->collect();
  expect_all_right(cases, results, 2000);
  expect_hung(results[2000]);
  expect_all_right(others, behind->collect());
}

}  // namespace
}  // namespace bytegate
