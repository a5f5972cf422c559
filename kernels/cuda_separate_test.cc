// The cuda backend that a checker of memory looks at: each buffer an allocation of its own.
#include <gmock/gmock.h>

#include "kernels/testing/hostile_cuda_case.h"

namespace bytegate {
namespace {

class CudaSeparateTest : public HostileCudaTest {
 protected:
  // In a worker, since this process may not use CUDA.
  void use_separate_buffers(bool leave_unwritten) {
    open_backend({.separate_buffers = true, .leave_unwritten = leave_unwritten});
  }
};

TEST_F(CudaSeparateTest, CasesOfEveryLayoutAreRight) {
  for (const bool leave_unwritten : {false, true}) {
    use_separate_buffers(leave_unwritten);
    std::vector<Case> cases = make_cuda_test_cases(60, 120);
    for (size_t i = 0; i < cases.size(); ++i) {
      cases[i].scalars[CudaTestIndex::kBehaviour] = static_cast<int64_t>(HostileCuda::kNone);
      cases[i].mode = kModes[i % kModes.size()].mode;
    }
    expect_all_right(cases, run(cases));
  }
}

TEST_F(CudaSeparateTest, AMissingElementAndAChangedInputAreStillSeen) {
  use_separate_buffers(false);
  EXPECT_EQ("unwritten", outcome_of_runs(make_hostile_case(HostileCuda::kLeaveLast)));
  for (const bool leave_unwritten : {false, true}) {
    use_separate_buffers(leave_unwritten);
    EXPECT_EQ("input values+0", outcome_of_runs(make_hostile_case(HostileCuda::kWriteInput)));
  }
}

TEST_F(CudaSeparateTest, ARefusedCallLooksAtNothing) {
  use_separate_buffers(true);
  Case c = make_hostile_case(HostileCuda::kNone);
  c.call_faults = {{.kind = CallFaultKind::kShortWorkspace}};
  c.expect = Expect::kRefused;
  EXPECT_EQ("refused", outcome_of_runs(c));
}

}  // namespace
}  // namespace bytegate
