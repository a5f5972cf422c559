// Hostile candidates on the GPU, one for each way to go wrong, and what each of them gets.
#include <gmock/gmock.h>

#include <chrono>

#include "kernels/testing/hostile_cuda_case.h"

namespace bytegate {
namespace {

using Buffer = HostileBuffer;
using testing::HasSubstr;

class CudaHostileTest : public HostileCudaTest {
 protected:
  // The hostile case by itself, and right ones before and behind it.
  void expect_outcome(const std::string& outcome, const Case& c) {
    EXPECT_EQ(outcome, outcome_of_runs(c));
    std::vector<Case> span(9, make_hostile_case(HostileCuda::kNone));
    span[4] = c;
    const std::vector<RunResult> results = run(span);
    expect_all_right(span, results, 4);
    EXPECT_EQ(outcome, outcome_of(span[4], results[4])) << results[4].message;
  }
};

TEST_F(CudaHostileTest, AWriteBesideABufferIsNamed) {
  expect_outcome("guard table+160",
                 make_hostile_case(HostileCuda::kWriteAfter, Mode::kPlain, Buffer::kTable));
  expect_outcome("guard workspace+64",
                 make_hostile_case(HostileCuda::kWriteAfter, Mode::kPlain, Buffer::kWorkspace));
  expect_outcome("guard table-4",
                 make_hostile_case(HostileCuda::kWriteBefore, Mode::kPlain, Buffer::kTable));
}

TEST_F(CudaHostileTest, AWriteBetweenRowsIsNamed) {
  Case c = make_hostile_case(HostileCuda::kWriteGap);
  c.tensors[CudaTestIndex::kTable].strides[0] = kTestColumns + 3;
  expect_outcome("gap table+16", c);
}

TEST_F(CudaHostileTest, AWriteIntoAnInputIsNamed) {
  expect_outcome("input values+0",
                 make_hostile_case(HostileCuda::kWriteInput, Mode::kPlain, Buffer::kValues));
  expect_outcome("input offsets+0",
                 make_hostile_case(HostileCuda::kWriteInput, Mode::kPlain, Buffer::kOffsets));
}

TEST_F(CudaHostileTest, ALastElementThatIsNotWrittenIsNamed) {
  expect_outcome("unwritten", make_hostile_case(HostileCuda::kLeaveLast));
}

TEST_F(CudaHostileTest, AResultThatDependsOnWhatWasThereIsWrong) {
  expect_outcome("mismatch", make_hostile_case(HostileCuda::kAddOldWorkspace));
  expect_outcome("mismatch", make_hostile_case(HostileCuda::kAddOldOutput));
}

TEST_F(CudaHostileTest, ADeviceFaultIsNamed) {
  for (const HostileCuda hostility :
       {HostileCuda::kTrap, HostileCuda::kLoadMisaligned, HostileCuda::kGoAstray}) {
    SCOPED_TRACE(static_cast<int64_t>(hostility));
    expect_outcome("fault", make_hostile_case(hostility));
  }
}

TEST_F(CudaHostileTest, AnAbortIsNamed) {
  expect_outcome("fault", make_hostile_case(HostileCuda::kAbort));
}

TEST_F(CudaHostileTest, AKernelThatLoopsForEverIsHung) {
  constexpr std::chrono::milliseconds kLimit{2000};
  backend_ = make_cuda_backend({.case_limit = kLimit}).backend;
  ASSERT_NE(backend_, nullptr);
  expect_outcome("hung", make_hostile_case(HostileCuda::kLoopForever));
}

TEST_F(CudaHostileTest, OutputIsNoisy) {
  expect_outcome("noisy", make_hostile_case(HostileCuda::kPrint));
  expect_outcome("noisy", make_hostile_case(HostileCuda::kPrintOnDevice));
}

TEST_F(CudaHostileTest, TakingAllMemoryOfTheDeviceIsNamed) {
  const Case c = make_hostile_case(HostileCuda::kTakeAllMemory);
  expect_outcome("exhausted", c);
  EXPECT_THAT(run_one(c).message, HasSubstr("bytes of device memory"));
}

}  // namespace
}  // namespace bytegate
