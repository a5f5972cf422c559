// Candidates for the DSA metadata operations that are wrong on purpose: each is caught by what is
// drawn, and shrinks to the case that says what is wrong with it.
#include <gtest/gtest.h>

#include "kernels/testing/candidates.h"
#include "kernels/testing/dsa_candidates.h"
#include "oracles/dsa_metadata.h"
#include "properties/check.h"
#include "properties/minimize.h"
#include "properties/testing/dsa_case_text.h"
#include "properties/testing/dsa_drawn.h"

namespace bytegate {
namespace {

constexpr int64_t kFarApart = int64_t{1} << 31;

const OpProperties& properties_of(DsaMode mode) {
  return dsa_properties_of(mode, DsaEntry::kMetadata);
}

Case drawn(DsaMode mode, uint64_t case_idx) {
  return drawn_case(properties_of(mode), 11, case_idx);
}

// ---- the canaries

struct Canary {
  const char* name;
  DsaMode mode;
  DsaFlaw flaw;
  const char* origin;
  const char* smallest;  // the case that it shrinks to
  const char* found;     // there
  // A table whose rows are laid 2^31 elements apart in what is drawn.
  const char* far_apart = nullptr;
};

std::ostream& operator<<(std::ostream& os, const Canary& canary) {
  return os << canary.name;
}

class DsaCanaries : public ::testing::TestWithParam<Canary> {
 protected:
  static constexpr uint64_t kMaxDrawn = 3000;
  // Not every search ends at the smallest case: where two things would have to change at once, it
  // stays with a larger one. So several are begun, each from another case.
  static constexpr int kMaxSearches = 32;
  static inline const MinimizeOptions kPatient = {.time_limit = std::chrono::minutes(2)};

  Verdict judge(const Case& c) {
    return check({&c, 1}, *candidate_, *backend_, properties_of(GetParam().mode)).front();
  }

  // The next case that is caught as the canary says, `case_idx` being the last one drawn.
  std::optional<Case> next_caught(uint64_t& case_idx) {
    while (case_idx < kMaxDrawn) {
      Case c = drawn(GetParam().mode, ++case_idx);
      if (!is_quick(c)) continue;
      if (GetParam().far_apart != nullptr && !lay_far_apart(c)) continue;
      if (judge(c).origin == GetParam().origin) return c;
    }
    return std::nullopt;
  }

  Tensor& far_table(Case& c) const {
    return c.tensors[static_cast<size_t>(c.op->tensor_index(GetParam().far_apart))];
  }

  // False where the table has no row whose offset takes more than 32 bits, or too many rows.
  bool lay_far_apart(Case& c) const {
    Tensor& table = far_table(c);
    if (!table.present || table.shape[0] < 3 || table.shape[0] > 8 || table.shape[1] == 0) {
      return false;
    }
    table.strides = {kFarApart, 1};
    return true;
  }

 private:
  // A search that begins with wide tables takes seconds.
  static bool is_quick(const Case& c) {
    const DsaCase view = view_dsa(c);
    return view.num_rows * view.max_len <= 8192 && c.later_steps.size() <= 3;
  }

  std::unique_ptr<Candidate> candidate_ = open_candidate(dsa_candidate(GetParam().flaw));
  std::unique_ptr<Backend> backend_ = make_host_backend({});
};

TEST_P(DsaCanaries, ShrinksToTheCaseThatNamesIt) {
  uint64_t case_idx = 0;
  MinimizeResult result;
  for (int search = 0; search < kMaxSearches; ++search) {
    const std::optional<Case> caught = next_caught(case_idx);
    if (!caught) break;
    result = minimize(
        *caught, [&](const Case& c) { return judge(c); }, kPatient);
    ASSERT_TRUE(result.minimal);
    if (text_of(result.smallest) == GetParam().smallest) break;
  }
  ASSERT_NE(result.smallest.op, nullptr) << "none of " << kMaxDrawn << " cases is caught";
  EXPECT_EQ(text_of(result.smallest), GetParam().smallest);
  EXPECT_EQ(found_text(result.verdict), GetParam().found);
}

class DsaFarCanaries : public DsaCanaries {};

TEST_P(DsaFarCanaries, IsCaughtByTheRowsThatTheGeneratorLaysFarApart) {
  const auto num_drawn = static_cast<uint64_t>(properties_of(GetParam().mode).gate_cases);
  int num_caught = 0;
  for (uint64_t case_idx = 1; case_idx <= num_drawn; ++case_idx) {
    Case c = drawn(GetParam().mode, case_idx);
    const Tensor& table = far_table(c);
    if (!table.present || table.shape[0] < 3 || table.strides[0] < kFarApart) continue;
    // What a wrong offset leads to is then in the page of another row.
    if (table.shape[1] <= 512 && !judge(c).passed()) ++num_caught;
  }
  EXPECT_GT(num_caught, 0);
}

std::string canary_name(const ::testing::TestParamInfo<Canary>& info) {
  return info.param.name;
}

using enum DsaMode;
using enum DsaFlaw;

INSTANTIATE_TEST_SUITE_P(
    Lengths, DsaCanaries,
    ::testing::Values(
        Canary{"LensReadAsInt32", kDecode, kReadsLensAsInt32, "mismatch:cache_seqlens",
               "B 2, R 1, seq_lens int64 = 0 1", "cache_seqlens[1]: expect 1, actual 0"},
        Canary{"LensCutLast", kDecode, kCutsLensLast, "mismatch:dsa_cache_seqlens",
               "B 1, R 1, seq_lens int64 = 2147483648",
               "dsa_cache_seqlens[0]: expect -2147483648, actual 1"},
        Canary{"CacheLensClamped", kTargetVerify, kClampsCacheLens, "mismatch:cache_seqlens",
               "B 1, R 1, expanded_min 0, seq_lens = -2", "cache_seqlens[0]: expect -1, actual 0"},
        Canary{"VerifyRowsFromZero", kTargetVerify, kCountsRowsFromZero,
               "mismatch:seqlens_expanded", "B 1, R 1", "seqlens_expanded[0]: expect 1, actual 0"},
        Canary{"ExtendRowsFromZero", kDraftExtend, kCountsRowsFromZero, "mismatch:seqlens_expanded",
               "B 1, R 1, total_len 1, extend_seq_lens = 1",
               "seqlens_expanded[0]: expect 0, actual -1"},
        Canary{"ExtendOfFirst", kDraftExtend, kExtendOfFirst, "mismatch:seqlens_expanded",
               "B 2, R 1, total_len 3, extend_seq_lens = 1 2",
               "seqlens_expanded[1]: expect -1, actual 0"},
        Canary{"VerifyMinForgotten", kTargetVerify, kForgetsExpandedMin,
               "mismatch:seqlens_expanded", "B 1, R 1, expanded_min 0, seq_lens = -2",
               "seqlens_expanded[0]: expect 0, actual -1"},
        Canary{"ExtendMinForgotten", kDraftExtend, kForgetsExpandedMin, "mismatch:seqlens_expanded",
               "B 1, R 1, total_len 2, expanded_min 0, extend_seq_lens = 2",
               "seqlens_expanded[0]: expect 0, actual -1"},
        Canary{"UnsignedTopk", kDecode, kUnsignedTopk, "mismatch:dsa_cache_seqlens",
               "B 1, R 1, seq_lens = -1", "dsa_cache_seqlens[0]: expect -1, actual 1"},
        Canary{"CtxLensOfRow", kTargetVerify, kCtxLensOfRow, "mismatch:paged_mqa_ctx_lens",
               "B 1, R 1, next_n 2, with paged_mqa_ctx_lens",
               "paged_mqa_ctx_lens[0, 0]: expect 2, actual 1"}),
    canary_name);

INSTANTIATE_TEST_SUITE_P(
    Sums, DsaCanaries,
    ::testing::Values(Canary{"SumsOf1024Requests", kDecode, kSums1024Requests,
                             "unwritten:cu_seqlens_k", "B 1025, R 1",
                             "cu_seqlens_k[1025]: expect 0, not written"},
                      Canary{"SumsOf1024Rows", kDecode, kSums1024Rows, "unwritten:dsa_cu_seqlens_k",
                             "B 1025, R 1", "dsa_cu_seqlens_k[1025]: expect 0, not written"},
                      Canary{"SumsOfTopkLens", kDecode, kSumsTopkLens, "mismatch:cu_seqlens_k",
                             "B 1, R 1, seq_lens = 2", "cu_seqlens_k[1]: expect 2, actual 1"}),
    canary_name);

constexpr Canary kSlotsOffset = {
    "SlotsOffsetIn32Bits",
    kDecode,
    kNarrowSlotsOffset,
    "mismatch:page_table",
    "B 1, R 3, C 1, page_table_width 1, max_len 1, req_pool_indices = 2, "
    "req_to_token stride [2147483648, 1] = 0 0 1",
    "page_table[0, 0]: expect 1, actual 0",
    "req_to_token"};
constexpr Canary kPagesOffset = {"PagesOffsetIn32Bits",
                                 kDecode,
                                 kNarrowPagesOffset,
                                 "unwritten:real_page_table",
                                 "B 3, R 1, C 1, real_page_table_width 1, max_len 1, page_size 2, "
                                 "real_page_table stride [2147483648, 1]",
                                 "real_page_table[2, 0]: expect 0, not written",
                                 "real_page_table"};
constexpr Canary kTableOffset = {
    "TableOffsetIn32Bits",
    kDecode,
    kNarrowTableOffset,
    "unwritten:page_table",
    "B 3, R 1, C 1, page_table_width 1, max_len 1, page_table stride [2147483648, 1]",
    "page_table[2, 0]: expect 0, not written",
    "page_table"};

INSTANTIATE_TEST_SUITE_P(
    Tables, DsaCanaries,
    ::testing::Values(kSlotsOffset, kTableOffset, kPagesOffset,
                      Canary{"PoolRowOfRow", kTargetVerify, kPoolRowOfRow, "mismatch:page_table",
                             "B 2, R 2, C 1, page_table_width 1, max_len 1, next_n 2, "
                             "req_pool_indices = 0 1, req_to_token = 0 1",
                             "page_table[1, 0]: expect 0, actual 1"},
                      Canary{"LastColumnLeftOut", kDecode, kLeavesLastColumn,
                             "unwritten:page_table", "B 1, R 1, C 1, page_table_width 1, max_len 1",
                             "page_table[0, 0]: expect 0, not written"},
                      Canary{"ColumnTooMany", kDecode, kWritesColumnTooMany, "overrun:page_table",
                             "B 1, R 1, page_table_width 1", "byte 0 of page_table"},
                      Canary{"PageTooMany", kDecode, kWritesPageTooMany, "overrun:real_page_table",
                             "B 1, R 1, real_page_table_width 1, page_size 2",
                             "byte 0 of real_page_table"},
                      Canary{"WholeWidth", kDecode, kFillsWholeWidth, "overrun:page_table",
                             "B 1, R 1, page_table_width 1", "byte 0 of page_table"},
                      Canary{"WholePagesOnly", kDecode, kWholePagesOnly,
                             "unwritten:real_page_table",
                             "B 1, R 1, C 1, real_page_table_width 1, max_len 1, page_size 2",
                             "real_page_table[0, 0]: expect 0, not written"},
                      Canary{"TruncatedPages", kDecode, kTruncatesPages, "mismatch:real_page_table",
                             "B 1, R 1, C 1, real_page_table_width 1, max_len 1, page_size 2, "
                             "req_to_token = -1",
                             "real_page_table[0, 0]: expect -1, actual 0"}),
    canary_name);

INSTANTIATE_TEST_SUITE_P(Tables, DsaFarCanaries,
                         ::testing::Values(kSlotsOffset, kTableOffset, kPagesOffset), canary_name);

}  // namespace
}  // namespace bytegate
