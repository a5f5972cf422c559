// Each hostile candidate on the GPU through the check, again and again: its one origin, each time.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "fuzz/testing/cuda_hostile_specs.h"
#include "kernels/backend.h"
#include "kernels/testing/num_repeats.h"
#include "properties/check.h"

namespace bytegate {
namespace {

class CudaHostileTest : public ::testing::Test {
 protected:
  void SetUp() override { open_backend(std::chrono::seconds(20)); }

  void open_backend(std::chrono::milliseconds case_limit) {
    MadeBackend made = make_cuda_backend({.case_limit = case_limit});
    backend_ = std::move(made.backend);
    if (backend_ != nullptr) return;
    const char* required = std::getenv("BYTEGATE_REQUIRE_GPU");
    ASSERT_FALSE(required != nullptr && std::string_view(required) == "1")
        << "BYTEGATE_REQUIRE_GPU=1, but there is no cuda backend: " << made.absent_reason;
    GTEST_SKIP() << "no cuda backend: " << made.absent_reason;
  }

  // Each time with a candidate, and so in a process, of its own.
  void expect_origin_each_time(std::string_view origin, const Case& c, CudaHostility hostility,
                               int section = -1) {
    const OpProperties& properties = *find_properties(all_properties(), *c.op);
    for (int repeat = 0; repeat < num_repeats(); ++repeat) {
      const std::unique_ptr<Candidate> candidate = open_hostile_on_cuda(hostility, section);
      const Verdict verdict = check({&c, 1}, *candidate, *backend_, properties).front();
      EXPECT_EQ(origin, verdict.origin) << "repeat " << repeat << ": " << describe(verdict);
    }
  }

  std::unique_ptr<Backend> backend_;
};

class CudaHostileCheck : public CudaHostileTest,
                         public ::testing::WithParamInterface<CudaHostileSpec> {
 protected:
  void SetUp() override {
    // A loop takes as long as it may.
    const bool loops = GetParam().hostility == CudaHostility::kLoop;
    open_backend(std::chrono::seconds(loops ? 2 : 20));
  }
};

TEST_P(CudaHostileCheck, GetsTheSameOriginEachTime) {
  const CudaHostileSpec& spec = GetParam();
  const Case c = cuda_hostile_case(spec.op, spec.mode);
  expect_origin_each_time(spec.origin, c, spec.hostility);
}

TEST_P(CudaHostileCheck, PassesWithoutItsHostility) {
  const CudaHostileSpec& spec = GetParam();
  expect_origin_each_time("", cuda_hostile_case(spec.op, spec.mode), CudaHostility::kNone);
}

std::string test_name(const ::testing::TestParamInfo<CudaHostileSpec>& info) {
  return std::string(cuda_hostility_name(info.param.hostility));
}

INSTANTIATE_TEST_SUITE_P(All, CudaHostileCheck, ::testing::ValuesIn(cuda_hostile_specs()),
                         test_name);

TEST_F(CudaHostileTest, AWritePastEachSectionOfAWorkspaceIsNamed) {
  constexpr int kNumSections = 7;
  const Case c = cuda_hostile_case("dsa_decode_metadata", Mode::kPlain);
  for (int section = 0; section < kNumSections; ++section) {
    SCOPED_TRACE(section);
    expect_origin_each_time("overrun:workspace", c, CudaHostility::kWriteAfterSection, section);
  }
}

}  // namespace
}  // namespace bytegate
