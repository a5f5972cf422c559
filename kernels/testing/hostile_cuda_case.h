// Cases for hostile candidates on the GPU, and what became of them in one word.
#pragma once

#include <string>

#include "kernels/cuda_test_op.h"
#include "kernels/testing/hostile_cuda.h"

namespace bytegate {

constexpr int64_t kHostileRows = 10;
constexpr int64_t kHostileWorkspaceBytes = 64;

// Buffers, as the scalar `stray_idx` has them.
struct HostileBuffer {
  static constexpr int64_t kValues = 0;
  static constexpr int64_t kOffsets = 1;
  static constexpr int64_t kTable = 2;
  static constexpr int64_t kWorkspace = 3;
};

// kHostileRows compact rows, and a workspace.
Case make_hostile_case(HostileCuda hostility, Mode mode = Mode::kPlain, int64_t buffer = 0);

// "right", "mismatch", "unwritten"; "fault", "hung" and so on; or what was damaged or trespassed
// and at which byte: "guard table+160", "read values-1".
std::string outcome_of(const Case& c, const RunResult& result);

class HostileCudaTest : public CudaTest {
 protected:
  void SetUp() override;
  // The outcome of num_repeats() runs of the case, or all of them if they differ.
  std::string outcome_of_runs(const Case& c);
};

}  // namespace bytegate
