// The operation of kernels/cuda_test_kernels.h, cases of it, and the fixture of the GPU tests.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kernels/backend.h"
#include "kernels/candidate_handle.h"
#include "kernels/cuda_backend.h"
#include "kernels/cuda_test_kernels.h"

namespace bytegate {

struct CudaTestIndex {
  static constexpr size_t kBehaviour = 0;
  static constexpr size_t kStrayIdx = 1;
  static constexpr size_t kWorkspaceBytes = 2;
  static constexpr size_t kValues = 0;
  static constexpr size_t kOffsets = 1;
  static constexpr size_t kTable = 2;
};

// Random inputs of the seed; compact tensors, no workspace.
Case make_cuda_test_case(int64_t num_rows, uint64_t seed,
                         TestBehaviour behaviour = TestBehaviour::kRight);
// `count` right cases of all small sizes, layouts and workspaces.
std::vector<Case> make_cuda_test_cases(size_t count, uint64_t seed);
// Adds a launch with new random inputs.
void add_cuda_test_step(Case& c, uint64_t seed);

// Every launch's bytes are right, all are written, and nothing else is.
void expect_right(const Case& c, const RunResult& result);
// The same of all but `except`.
void expect_all_right(std::span<const Case> cases, std::span<const RunResult> results,
                      size_t except = SIZE_MAX);

// Without a device a test is skipped, or fails if BYTEGATE_REQUIRE_GPU=1 is set.
class CudaTest : public testing::Test {
 protected:
  void SetUp() override;
  // Replaces the backend.
  void open_backend(const CudaLimits& limits,
                    std::chrono::milliseconds case_limit = BackendOptions{}.case_limit);
  std::vector<RunResult> run(std::span<const Case> cases) {
    return backend_->submit(*candidate_, cases)->collect();
  }
  RunResult run_one(const Case& c) { return run({&c, 1}).front(); }

  std::unique_ptr<Candidate> candidate_;
  std::unique_ptr<Backend> backend_;
};

}  // namespace bytegate
