// Candidates for the DSA refresh operations: the right one passes whatever is drawn, and each that
// is wrong on purpose is caught and shrinks to the case that says what is wrong with it.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "kernels/testing/candidates.h"
#include "kernels/testing/dsa_refresh_candidates.h"
#include "oracles/case_text.h"
#include "oracles/dsa_metadata.h"
#include "properties/check.h"
#include "properties/minimize.h"
#include "properties/testing/dsa_case_text.h"
#include "properties/testing/dsa_drawn.h"

namespace bytegate {
namespace {

using enum DsaMode;
using enum DsaRefreshFlaw;

constexpr uint64_t kMaxDrawn = 3000;

const OpProperties& properties_of(DsaMode mode) {
  return dsa_properties_of(mode, DsaEntry::kRefresh);
}

Case drawn(DsaMode mode, uint64_t case_idx) {
  return drawn_case(properties_of(mode), 13, case_idx);
}

// A candidate for each case: what one keeps from a case is not to be seen in the next.
Verdict judge(const Case& c, DsaMode mode, DsaRefreshFlaw flaw, Backend& backend) {
  const auto candidate = open_candidate(dsa_refresh_candidate(flaw));
  return check({&c, 1}, *candidate, backend, properties_of(mode)).front();
}

std::string mode_name(DsaMode mode) {
  return std::array{"Decode", "TargetVerify", "DraftExtend"}[static_cast<size_t>(mode)];
}

std::string mode_name_of(const ::testing::TestParamInfo<DsaMode>& info) {
  return mode_name(info.param);
}

class DsaRefreshCandidates : public ::testing::TestWithParam<DsaMode> {};

TEST_P(DsaRefreshCandidates, ThePlainOnePassesWhateverIsDrawn) {
  const auto backend = make_host_backend({});
  for (uint64_t i = 1; i <= 200; ++i) {
    const Case c = drawn(GetParam(), i);
    const Verdict verdict = judge(c, GetParam(), kNone, *backend);
    ASSERT_TRUE(verdict.passed()) << describe(verdict) << ": case " << i << "\n" << write_case(c);
  }
}

TEST_P(DsaRefreshCandidates, EachThatIsWrongIsCaught) {
  const auto backend = make_host_backend({});
  for (size_t i = 1; i < static_cast<size_t>(kNumFlaws); ++i) {
    const auto flaw = static_cast<DsaRefreshFlaw>(i);
    // Decode is to schedule just these.
    if (flaw == kSchedulesCacheLens && GetParam() == kDecode) continue;
    uint64_t case_idx = 1;
    while (case_idx <= kMaxDrawn &&
           judge(drawn(GetParam(), case_idx), GetParam(), flaw, *backend).passed()) {
      ++case_idx;
    }
    EXPECT_LE(case_idx, kMaxDrawn) << "flaw " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(All, DsaRefreshCandidates,
                         ::testing::Values(kDecode, kTargetVerify, kDraftExtend), mode_name_of);

struct Canary {
  const char* name;
  DsaMode mode;
  DsaRefreshFlaw flaw;
  const char* origin;
  const char* smallest;  // the case that it shrinks to
  const char* found;     // there
};

std::ostream& operator<<(std::ostream& os, const Canary& canary) {
  return os << mode_name(canary.mode) << canary.name;
}

class DsaRefreshCanaries : public ::testing::TestWithParam<Canary> {
 protected:
  // Where two things would have to change at once, a search stays with a larger case.
  static constexpr int kMaxSearches = 32;
  // Two lengths that must differ by one go down together in small steps, which may take a million.
  static constexpr int kMaxTried = 20000;
  static inline const MinimizeOptions kPatient = {.time_limit = std::chrono::minutes(2)};

  Verdict judge_one(const Case& c) { return judge(c, GetParam().mode, GetParam().flaw, *backend_); }

  // The next case that is caught as the canary says, `case_idx` being the last one drawn.
  std::optional<Case> next_caught(uint64_t& case_idx) {
    while (case_idx < kMaxDrawn) {
      Case c = drawn(GetParam().mode, ++case_idx);
      if (!is_small(c)) continue;
      if (flaw_of_origin(judge_one(c).origin) == GetParam().origin) return c;
    }
    return std::nullopt;
  }

 private:
  // Searches that begin with a large case or with 1,000 replays take seconds up to minutes.
  static bool is_small(const Case& c) {
    const DsaDescription& description = describe_dsa(*c.op);
    const size_t slots = static_cast<size_t>(description.tensors.req_to_token);
    return c.dims[static_cast<size_t>(description.dims.num_requests)] <= 16 &&
           c.tensors[slots].elements.size() <= 256 && c.later_steps.size() <= 3;
  }

  std::unique_ptr<Backend> backend_ = make_host_backend({});
};

TEST_P(DsaRefreshCanaries, ShrinksToTheCaseThatNamesIt) {
  uint64_t case_idx = 0;
  MinimizeResult result;
  for (int search = 0; search < kMaxSearches; ++search) {
    const std::optional<Case> caught = next_caught(case_idx);
    if (!caught) break;
    int num_tried = 0;
    result = minimize(
        *caught, [&](const Case& c) { return ++num_tried > kMaxTried ? Verdict{} : judge_one(c); },
        kPatient);
    ASSERT_TRUE(result.minimal);
    if (text_of(result.smallest) == GetParam().smallest) break;
  }
  ASSERT_NE(result.smallest.op, nullptr) << "none of " << kMaxDrawn << " cases is caught";
  EXPECT_EQ(text_of(result.smallest), GetParam().smallest);
  EXPECT_EQ(found_text(result.verdict), GetParam().found);
}

std::string canary_name(const ::testing::TestParamInfo<Canary>& info) {
  return mode_name(info.param.mode) + info.param.name;
}

INSTANTIATE_TEST_SUITE_P(
    Schedule, DsaRefreshCanaries,
    ::testing::Values(
        Canary{"BeforeMetadata", kDecode, kSchedulesFirst, "mismatch:schedule_metadata", "B 1, R 1",
               "schedule_metadata[0, 0]: expect 1, actual 0"},
        Canary{"BeforeMetadata", kDraftExtend, kSchedulesFirst, "mismatch:schedule_metadata",
               "B 1, R 1, total_len 1, extend_seq_lens = 1",
               "schedule_metadata[0, 0]: expect 1, actual 0"},
        Canary{"OfCacheLens", kTargetVerify, kSchedulesCacheLens, "mismatch:schedule_metadata",
               "B 1, R 1, next_n 2", "schedule_metadata[1, 0]: expect 2, actual 1"},
        Canary{"OfCacheLens", kDraftExtend, kSchedulesCacheLens, "mismatch:schedule_metadata",
               "B 1, R 1", "schedule_metadata[0, 0]: expect 0, actual 1"},
        Canary{"AlwaysLast", kDecode, kAlwaysLast, "mismatch:schedule_metadata",
               "B 1, R 1, num_sm 2, remainder first, seq_lens = 1",
               "schedule_metadata[1, 0]: expect 1, actual 0"},
        Canary{"AlwaysLast", kTargetVerify, kAlwaysLast, "mismatch:schedule_metadata",
               "B 1, R 1, num_sm 2, remainder first",
               "schedule_metadata[1, 0]: expect 1, actual 0"},
        Canary{
            "AlwaysLast", kDraftExtend, kAlwaysLast, "mismatch:schedule_metadata",
            "B 1, R 1, total_len 1, num_sm 2, remainder first, seq_lens = 1, extend_seq_lens = 1",
            "schedule_metadata[1, 0]: expect 1, actual 0"}),
    canary_name);

INSTANTIATE_TEST_SUITE_P(
    Metadata, DsaRefreshCanaries,
    ::testing::Values(
        Canary{"LensRemembered", kDecode, kRemembersLens, "mismatch:cache_seqlens",
               "B 1, R 1, seq_lens = 1, then seq_lens = 0", "cache_seqlens[0]: expect 0, actual 1"},
        Canary{"LensRemembered", kTargetVerify, kRemembersLens, "mismatch:cache_seqlens",
               "B 1, R 1, then seq_lens = 1", "cache_seqlens[0]: expect 2, actual 1"},
        Canary{"LensRemembered", kDraftExtend, kRemembersLens, "mismatch:cache_seqlens",
               "B 1, R 1, then seq_lens = 1", "cache_seqlens[0]: expect 1, actual 0"},
        Canary{"CarryLost", kDraftExtend, kLosesCarry, "mismatch:dsa_cu_seqlens_k",
               "B 1, R 1, total_len 2049, seq_lens = 2048, extend_seq_lens = 2049",
               "dsa_cu_seqlens_k[2049]: expect 2048, actual 1"}),
    canary_name);

}  // namespace
}  // namespace bytegate
