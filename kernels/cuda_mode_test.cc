// The modes that are launched in a way of their own, and candidates that only they show.
#include <gmock/gmock.h>

#include "kernels/testing/hostile_cuda_case.h"

namespace bytegate {
namespace {

using Buffer = HostileBuffer;

class CudaModeTest : public HostileCudaTest {};

TEST_F(CudaModeTest, ACandidateThatIsRightIsRightInEveryMode) {
  for (const ModeSpec& spec : kModes) {
    EXPECT_EQ("right", outcome_of_runs(make_hostile_case(HostileCuda::kNone, spec.mode)))
        << spec.name;
    Case stepped = make_hostile_case(HostileCuda::kNone, spec.mode);
    add_cuda_test_step(stepped, 110);
    add_cuda_test_step(stepped, 111);
    EXPECT_EQ("right", outcome_of_runs(stepped)) << spec.name << ", with steps";
  }
}

TEST_F(CudaModeTest, ASpanOfAllModesIsRight) {
  std::vector<Case> cases = make_cuda_test_cases(220, 112);
  for (size_t i = 0; i < cases.size(); ++i) {
    cases[i].scalars[CudaTestIndex::kBehaviour] = static_cast<int64_t>(HostileCuda::kNone);
    cases[i].mode = kModes[i % kModes.size()].mode;
  }
  expect_all_right(cases, run(cases));
}

TEST_F(CudaModeTest, ASparseCaseIsRightInEveryMode) {
  for (const ModeSpec& spec : kModes) {
    Case c = make_hostile_case(HostileCuda::kNone, spec.mode);
    c.tensors[CudaTestIndex::kTable].strides[0] = int64_t{1} << 31;
    EXPECT_EQ("right", outcome_of(c, run_one(c))) << spec.name;
  }
}

TEST_F(CudaModeTest, AnEmptyCaseIsRightInEveryMode) {
  for (const ModeSpec& spec : kModes) {
    Case c = make_cuda_test_case(0, 113);
    c.scalars[CudaTestIndex::kBehaviour] = static_cast<int64_t>(HostileCuda::kNone);
    c.mode = spec.mode;
    EXPECT_EQ("right", outcome_of(c, run_one(c))) << spec.name;
  }
}

TEST_F(CudaModeTest, AWorkspaceThatIsTakenAlthoughItIsTooShortIsNamed) {
  EXPECT_EQ("right", outcome_of_runs(make_hostile_case(HostileCuda::kTakeShort)));
  EXPECT_EQ("took short",
            outcome_of_runs(make_hostile_case(HostileCuda::kTakeShort, Mode::kShortWorkspace)));
}

TEST_F(CudaModeTest, EveryOtherLaunchBeingWrongIsSeenAgain) {
  EXPECT_EQ("mismatch",
            outcome_of_runs(make_hostile_case(HostileCuda::kCountLaunches, Mode::kAgain)));
}

TEST_F(CudaModeTest, WorkOnTheDefaultStreamComesBeforeTheInputs) {
  EXPECT_EQ("unwritten",
            outcome_of_runs(make_hostile_case(HostileCuda::kLegacyStream, Mode::kOtherStream)));
  EXPECT_EQ("unwritten",
            outcome_of_runs(make_hostile_case(HostileCuda::kLegacyStream, Mode::kGraph)));
}

TEST_F(CudaModeTest, WorkOnAStreamThatNobodyWaitsForIsNotThere) {
  for (const Mode mode : {Mode::kPlain, Mode::kOtherStream}) {
    EXPECT_EQ("unwritten", outcome_of_runs(make_hostile_case(HostileCuda::kForgottenStream, mode)));
  }
}

TEST_F(CudaModeTest, InputsThatAreReadTooLateAreOverwritten) {
  EXPECT_EQ("right", outcome_of_runs(make_hostile_case(HostileCuda::kReadLate)));
  EXPECT_EQ("mismatch",
            outcome_of_runs(make_hostile_case(HostileCuda::kReadLate, Mode::kOverwritten)));
}

TEST_F(CudaModeTest, AChangedInputIsSeenThoughItIsOverwritten) {
  EXPECT_EQ("input values+0",
            outcome_of_runs(make_hostile_case(HostileCuda::kWriteInput, Mode::kOverwritten)));
}

TEST_F(CudaModeTest, AnAddressThatIsRememberedFromACaptureIsNotWrittenAgain) {
  EXPECT_EQ("right", outcome_of_runs(make_hostile_case(HostileCuda::kRememberAddress)));
  EXPECT_EQ("unwritten",
            outcome_of_runs(make_hostile_case(HostileCuda::kRememberAddress, Mode::kGraph)));
}

TEST_F(CudaModeTest, AScratchThatTwoStreamsShareIsSeenWhenBothRun) {
  EXPECT_EQ("right", outcome_of_runs(make_hostile_case(HostileCuda::kShareScratch)));
  EXPECT_EQ("mismatch",
            outcome_of_runs(make_hostile_case(HostileCuda::kShareScratch, Mode::kTwoStreams)));
}

TEST_F(CudaModeTest, DamageIsSeenInEveryModeThatLaunches) {
  for (const ModeSpec& spec : kModes) {
    const bool guarded = spec.plan.placing == Placing::kGuardAfter;
    const Case c = make_hostile_case(HostileCuda::kWriteAfter, spec.mode, Buffer::kTable);
    EXPECT_EQ(guarded ? "write table+160" : "guard table+160", outcome_of(c, run_one(c)))
        << spec.name;
  }
}

TEST_F(CudaModeTest, ALoadThatNeedsAlignmentFaultsWithoutIt) {
  EXPECT_EQ("fault",
            outcome_of_runs(make_hostile_case(HostileCuda::kLoadWide, Mode::kElementAligned)));
}

}  // namespace
}  // namespace bytegate
