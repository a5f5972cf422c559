#include <gmock/gmock.h>

#include <algorithm>

#include "kernels/cuda_test_op.h"

namespace bytegate {
namespace {

using Index = CudaTestIndex;
using testing::HasSubstr;

class CudaBackendTest : public CudaTest {};

TEST_F(CudaBackendTest, NamesTheDeviceAndItsVersions) {
  EXPECT_EQ(backend_->kind(), BackendKind::kCuda);
  EXPECT_THAT(backend_->description(), HasSubstr(" SMs, CUDA runtime "));
  RecordProperty("device", backend_->description());
}

TEST_F(CudaBackendTest, AnEmptySpanHasNoResults) {
  EXPECT_TRUE(run({}).empty());
}

TEST_F(CudaBackendTest, ThousandsOfCasesShareAnArena) {
  const std::vector<Case> cases = make_cuda_test_cases(4000, 1);
  expect_all_right(cases, run(cases));
  expect_all_right(cases, run(cases));
}

TEST_F(CudaBackendTest, ASpanThatExceedsARoundIsRunInSeveral) {
  open_backend({.round_bytes = size_t{1} << 20});
  std::vector<Case> cases = make_cuda_test_cases(2000, 2);
  // Larger than a round's share: runs alone.
  cases[700] = make_cuda_test_case(100000, 3);
  expect_all_right(cases, run(cases));
}

TEST_F(CudaBackendTest, TwoSubmissionsMayBeInFlight) {
  const std::vector<Case> first = make_cuda_test_cases(500, 4);
  const std::vector<Case> second = make_cuda_test_cases(800, 5);
  for (int repeat = 0; repeat < 3; ++repeat) {
    auto a = backend_->submit(*candidate_, first);
    auto b = backend_->submit(*candidate_, second);
    expect_all_right(first, a->collect());
    auto c = backend_->submit(*candidate_, first);
    expect_all_right(second, b->collect());
    expect_all_right(first, c->collect());
  }
}

TEST_F(CudaBackendTest, ASubmissionMayBeDroppedUncollected) {
  const std::vector<Case> cases = make_cuda_test_cases(300, 6);
  backend_->submit(*candidate_, cases).reset();
  expect_all_right(cases, run(cases));
}

TEST_F(CudaBackendTest, AWriteOnePastTheEndIsDamageAtItsOffset) {
  std::vector<Case> cases = make_cuda_test_cases(9, 7);
  cases[4] = make_cuda_test_case(33, 8, TestBehaviour::kPastEnd);
  const std::vector<RunResult> results = run(cases);
  expect_all_right(cases, results, 4);
  ASSERT_EQ(results[4].status, RunStatus::kDone) << results[4].message;
  const std::optional<Damage> damage = results[4].steps[0].damage;
  ASSERT_TRUE(damage.has_value());
  EXPECT_EQ(damage->kind, Damage::Kind::kGuard);
  EXPECT_EQ(damage->tensor, static_cast<int>(Index::kTable));
  EXPECT_EQ(damage->byte_offset, 33 * kTestColumns * 4);
}

TEST_F(CudaBackendTest, AChangedInputIsDamage) {
  const RunResult result = run_one(make_cuda_test_case(5, 9, TestBehaviour::kInputChanged));
  ASSERT_EQ(result.status, RunStatus::kDone) << result.message;
  const std::optional<Damage> damage = result.steps[0].damage;
  ASSERT_TRUE(damage.has_value());
  EXPECT_NE(damage->kind, Damage::Kind::kGuard);
  EXPECT_EQ(damage->tensor, static_cast<int>(Index::kValues));
  EXPECT_LT(damage->byte_offset, 4);
}

TEST_F(CudaBackendTest, AnOutputThatIsNotWrittenIsListed) {
  std::vector<Case> cases = make_cuda_test_cases(3, 10);
  cases[1] = make_cuda_test_case(20, 11, TestBehaviour::kLastMissing);
  const std::vector<RunResult> results = run(cases);
  expect_all_right(cases, results, 1);
  ASSERT_EQ(results[1].status, RunStatus::kDone) << results[1].message;
  EXPECT_EQ(results[1].steps[0].untouched[Index::kTable], ElementSet({20 * kTestColumns - 1}));
}

TEST_F(CudaBackendTest, WhatTheCandidateSaysIsPassedOn) {
  std::vector<Case> cases = make_cuda_test_cases(6, 12);
  cases[1] = make_cuda_test_case(4, 13, TestBehaviour::kRefuse);
  cases[2] = make_cuda_test_case(4, 14, TestBehaviour::kUnsupported);
  cases[3] = make_cuda_test_case(4, 15);
  cases[3].call_faults = {{.kind = CallFaultKind::kNull, .tensor = Index::kTable}};
  cases[4] = make_cuda_test_case(4, 16);
  cases[4].call_faults = {{.kind = CallFaultKind::kShortWorkspace}};
  const std::vector<RunResult> results = run(cases);
  EXPECT_EQ(results[1].status, RunStatus::kRefused);
  EXPECT_EQ(results[1].message, "refused as asked");
  EXPECT_EQ(results[2].status, RunStatus::kUnsupported);
  EXPECT_EQ(results[3].status, RunStatus::kRefused);
  EXPECT_EQ(results[3].message, "table is null");
  EXPECT_EQ(results[4].status, RunStatus::kVacuous);
  for (const size_t right : {0, 5}) expect_right(cases[right], results[right]);
}

TEST_F(CudaBackendTest, StepsRunInOrderInTheSameBuffers) {
  for (const Mode mode : {Mode::kPlain, Mode::kGraph}) {
    std::vector<Case> cases = make_cuda_test_cases(5, 17);
    for (const size_t stepped : {1, 3}) {
      cases[stepped] = make_cuda_test_case(200, 18 + stepped);
      cases[stepped].scalars[Index::kWorkspaceBytes] = 800;
      cases[stepped].mode = mode;
      add_cuda_test_step(cases[stepped], 30);
      add_cuda_test_step(cases[stepped], 31);
    }
    expect_all_right(cases, run(cases));
  }
}

TEST_F(CudaBackendTest, AGraphMayHaveOneStepOrNothingInIt) {
  std::vector<Case> cases = {make_cuda_test_case(1, 40), make_cuda_test_case(0, 41)};
  for (Case& c : cases) c.mode = Mode::kGraph;
  expect_all_right(cases, run(cases));
}

TEST_F(CudaBackendTest, SynchronisingDuringACaptureIsAFault) {
  Case c = make_cuda_test_case(8, 42, TestBehaviour::kSynchronise);
  expect_right(c, run_one(c));
  c.mode = Mode::kGraph;
  const RunResult result = run_one(c);
  EXPECT_EQ(result.status, RunStatus::kFault);
  EXPECT_THAT(result.message, HasSubstr("cudaErrorStreamCapture"));
  const Case next = make_cuda_test_case(8, 43);
  expect_right(next, run_one(next));
}

TEST_F(CudaBackendTest, WorkThatEscapesTheCaptureWritesNothing) {
  Case c = make_cuda_test_case(8, 44, TestBehaviour::kDefaultStream);
  c.mode = Mode::kGraph;
  const RunResult result = run_one(c);
  ASSERT_EQ(result.status, RunStatus::kDone) << result.message;
  EXPECT_EQ(result.steps[0].untouched[Index::kTable].indices().size(), size_t{8 * kTestColumns});
}

// A row stride of 2^31 elements, and an input spread over 2 GiB.
Case make_sparse_case(TestBehaviour behaviour) {
  Case c = make_cuda_test_case(5, 50, behaviour);
  c.tensors[Index::kTable].strides[0] = int64_t{1} << 31;
  c.tensors[Index::kValues].strides[0] = (int64_t{1} << 27) + 1;
  return c;
}

TEST_F(CudaBackendTest, ARowStrideOf2To31ElementsNeedsAPagePerRow) {
  Case c = make_sparse_case(TestBehaviour::kRight);
  expect_right(c, run_one(c));
  add_cuda_test_step(c, 51);
  for (const Mode mode : {Mode::kPlain, Mode::kGraph}) {
    c.mode = mode;
    expect_right(c, run_one(c));
  }
}

TEST_F(CudaBackendTest, DamageToASparseTensorIsFound) {
  Case c = make_sparse_case(TestBehaviour::kStray);
  c.scalars[Index::kStrayIdx] = (int64_t{1} << 31) + 100;
  const RunResult result = run_one(c);
  ASSERT_EQ(result.status, RunStatus::kDone) << result.message;
  const std::optional<Damage> damage = result.steps[0].damage;
  ASSERT_TRUE(damage.has_value());
  EXPECT_EQ(damage->kind, Damage::Kind::kGap);
  EXPECT_EQ(damage->tensor, static_cast<int>(Index::kTable));
  EXPECT_EQ(damage->byte_offset, 4 * c.scalars[Index::kStrayIdx]);
  const RunResult changed = run_one(make_sparse_case(TestBehaviour::kInputChanged));
  ASSERT_EQ(changed.status, RunStatus::kDone) << changed.message;
  ASSERT_TRUE(changed.steps[0].damage.has_value());
  EXPECT_EQ(changed.steps[0].damage->kind, Damage::Kind::kInput);
}

}  // namespace
}  // namespace bytegate
