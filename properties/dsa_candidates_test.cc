// The right candidates for the DSA metadata operations on the host backend, judged by the oracle.
#include "kernels/testing/dsa_candidates.h"

#include <gtest/gtest.h>

#include <array>

#include "kernels/testing/candidates.h"
#include "oracles/case_text.h"
#include "oracles/dsa_metadata.h"
#include "properties/check.h"
#include "properties/testing/dsa_drawn.h"

namespace bytegate {
namespace {

constexpr std::array<DsaMode, 3> kModes = {DsaMode::kDecode, DsaMode::kTargetVerify,
                                           DsaMode::kDraftExtend};

const OpProperties& properties_of(DsaMode mode) {
  return dsa_properties_of(mode, DsaEntry::kMetadata);
}

Case drawn(DsaMode mode, uint64_t case_idx) {
  return drawn_case(properties_of(mode), 12, case_idx);
}

class DsaCandidates : public ::testing::TestWithParam<DsaMode> {
 protected:
  static constexpr uint64_t kNumCases = 500;

  void expect_pass(Candidate& candidate, const std::string& path) {
    const auto backend = make_host_backend({});
    for (uint64_t i = 1; i <= kNumCases; ++i) {
      Case c = drawn(GetParam(), i);
      c.forced_path = path;
      const Verdict verdict =
          check({&c, 1}, candidate, *backend, properties_of(GetParam())).front();
      ASSERT_TRUE(verdict.passed()) << describe(verdict) << ": case " << i << "\n" << write_case(c);
      if (!path.empty()) {
        ASSERT_EQ(verdict.path, path);
      }
    }
  }
};

TEST_P(DsaCandidates, ThePlainOnePassesWhateverIsDrawn) {
  expect_pass(*open_candidate(dsa_candidate(DsaFlaw::kNone)), "");
}

TEST_P(DsaCandidates, BothChainsOfProductionPassWhateverIsDrawn) {
  expect_pass(*open_builtin("production"), "fused");
  expect_pass(*open_builtin("production"), "eager");
}

TEST_P(DsaCandidates, TheBaselinePassesWhateverIsDrawn) {
  expect_pass(*open_builtin("baseline"), "");
}

std::string mode_name_of(const ::testing::TestParamInfo<DsaMode>& info) {
  return std::array{"Decode", "TargetVerify", "DraftExtend"}[static_cast<size_t>(info.param)];
}

INSTANTIATE_TEST_SUITE_P(All, DsaCandidates, ::testing::ValuesIn(kModes), mode_name_of);

}  // namespace
}  // namespace bytegate
