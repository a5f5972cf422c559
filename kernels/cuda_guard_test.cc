// What goes beyond a buffer that stands at an unmapped page of the device is stopped, and named.
#include <gmock/gmock.h>

#include "kernels/testing/hostile_cuda_case.h"

namespace bytegate {
namespace {

using Buffer = HostileBuffer;
using testing::AnyOf;

class CudaGuardTest : public HostileCudaTest {};

TEST_F(CudaGuardTest, CasesOfEverySizeAreRightAtEitherEndOfAPage) {
  for (const Mode mode : {Mode::kGuardAfter, Mode::kGuardBefore}) {
    std::vector<Case> cases = make_cuda_test_cases(60, 100);
    // More than a page, and more than is pooled.
    cases.push_back(make_cuda_test_case(300000, 101));
    cases.push_back(make_cuda_test_case(5000000, 102));
    for (Case& c : cases) {
      c.scalars[CudaTestIndex::kBehaviour] = 0;
      c.mode = mode;
    }
    Candidate::Result opened = Candidate::open(cuda_test_candidate());
    ASSERT_NE(opened.candidate, nullptr);
    expect_all_right(cases, backend_->submit(*opened.candidate, cases)->collect());
  }
}

TEST_F(CudaGuardTest, StepsAtAPageAreRight) {
  for (const Mode mode : {Mode::kGuardAfter, Mode::kGuardBefore}) {
    Case c = make_hostile_case(HostileCuda::kNone, mode);
    add_cuda_test_step(c, 103);
    add_cuda_test_step(c, 104);
    EXPECT_EQ("right", outcome_of_runs(c));
  }
}

TEST_F(CudaGuardTest, AReadOneElementAfterABufferIsNamed) {
  const auto outcome = [&](int64_t buffer) {
    return outcome_of_runs(make_hostile_case(HostileCuda::kReadAfter, Mode::kGuardAfter, buffer));
  };
  EXPECT_EQ("read values+40", outcome(Buffer::kValues));
  EXPECT_EQ("read offsets+80", outcome(Buffer::kOffsets));
  EXPECT_EQ("read table+160", outcome(Buffer::kTable));
  EXPECT_EQ("read workspace+64", outcome(Buffer::kWorkspace));
}

TEST_F(CudaGuardTest, AReadOneElementBeforeABufferIsNamed) {
  const auto outcome = [&](int64_t buffer) {
    return outcome_of_runs(make_hostile_case(HostileCuda::kReadBefore, Mode::kGuardBefore, buffer));
  };
  EXPECT_EQ("read values-1", outcome(Buffer::kValues));
  EXPECT_EQ("read offsets-1", outcome(Buffer::kOffsets));
  EXPECT_EQ("read table-1", outcome(Buffer::kTable));
  EXPECT_EQ("read workspace-1", outcome(Buffer::kWorkspace));
}

TEST_F(CudaGuardTest, AWriteOneElementAfterABufferIsNamed) {
  const auto outcome = [&](int64_t buffer) {
    return outcome_of_runs(make_hostile_case(HostileCuda::kWriteAfter, Mode::kGuardAfter, buffer));
  };
  EXPECT_EQ("write table+160", outcome(Buffer::kTable));
  EXPECT_EQ("write workspace+64", outcome(Buffer::kWorkspace));
}

TEST_F(CudaGuardTest, AWriteOneElementBeforeABufferIsNamed) {
  const auto outcome = [&](int64_t buffer, Mode mode) {
    return outcome_of_runs(make_hostile_case(HostileCuda::kWriteBefore, mode, buffer));
  };
  EXPECT_EQ("write table-4", outcome(Buffer::kTable, Mode::kGuardBefore));
  EXPECT_EQ("write workspace-4", outcome(Buffer::kWorkspace, Mode::kGuardBefore));
  // Beside the buffer there is memory on the other side.
  EXPECT_EQ("guard table-4", outcome(Buffer::kTable, Mode::kGuardAfter));
}

TEST_F(CudaGuardTest, AReadOnTheSideWithoutAGuardIsNotSeen) {
  EXPECT_EQ("right",
            outcome_of_runs(make_hostile_case(HostileCuda::kReadBefore, Mode::kGuardAfter)));
}

TEST_F(CudaGuardTest, AWriteIntoAnInputIsNamed) {
  for (const auto& [buffer, place] :
       {std::pair{Buffer::kValues, "values+0"}, std::pair{Buffer::kOffsets, "offsets+0"}}) {
    const std::string outcome =
        outcome_of_runs(make_hostile_case(HostileCuda::kWriteInput, Mode::kGuardAfter, buffer));
    // A driver may have no memory that kernels can only read.
    EXPECT_THAT(outcome, AnyOf(std::string("write ") + place, std::string("input ") + place));
    RecordProperty("input", outcome);
  }
}

TEST_F(CudaGuardTest, AnAccessFarFromAnyBufferIsAFaultWithoutAName) {
  for (const Mode mode : {Mode::kGuardAfter, Mode::kGuardBefore, Mode::kPlain}) {
    EXPECT_EQ("fault", outcome_of_runs(make_hostile_case(HostileCuda::kGoAstray, mode)));
  }
}

TEST_F(CudaGuardTest, OthersOfTheSpanAreRight) {
  std::vector<Case> cases(40, make_hostile_case(HostileCuda::kNone));
  for (size_t i = 0; i < cases.size(); i += 3) cases[i].mode = Mode::kGuardAfter;
  cases[21] = make_hostile_case(HostileCuda::kReadAfter, Mode::kGuardAfter, Buffer::kOffsets);
  const std::vector<RunResult> results = run(cases);
  expect_all_right(cases, results, 21);
  EXPECT_EQ("read offsets+80", outcome_of(cases[21], results[21]));
}

}  // namespace
}  // namespace bytegate
