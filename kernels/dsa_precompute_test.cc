// What MTP precompute asks its allocator for, and what it returns.
#include "kernels/dsa_precompute.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace bytegate {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

// Writes down what it is asked for. Its memory is not there in full: nobody may touch it.
class Recorder {
 public:
  DsaAllocator allocator() { return {.allocate = allocate, .context = this}; }
  void fail_at(std::string_view output) { failing_ = output; }

  const std::vector<std::pair<std::string, size_t>>& asked() const { return asked_; }
  void* handed_out(size_t idx) { return &memory_.at(idx); }

 private:
  static void* allocate(void* context, const char* output, size_t bytes) {
    auto& self = *static_cast<Recorder*>(context);
    self.asked_.emplace_back(output, bytes);
    if (output == self.failing_) return nullptr;
    return self.handed_out(self.asked_.size() - 1);
  }

  std::string failing_;
  std::vector<std::pair<std::string, size_t>> asked_;
  std::array<std::array<int32_t, 256>, 16> memory_{};
};

constexpr int32_t kLens = 0;
constexpr int32_t kSlots = 0;

DsaParams params_of(DsaMode mode, int64_t num_requests, int64_t max_len, int64_t page_size) {
  DsaParams params;
  params.mode = mode;
  params.num_requests = num_requests;
  params.seq_lens = {.data = num_requests > 0 ? &kLens : nullptr, .stride = 0};
  params.req_pool_indices = params.seq_lens;
  params.num_pool_rows = 1;
  params.num_columns = max_len;
  params.req_to_token = max_len > 0 ? &kSlots : nullptr;
  params.max_len = max_len;
  params.topk = 2048;
  params.page_size = page_size;
  params.next_n = mode == DsaMode::kTargetVerify ? 2 : 0;
  return params;
}

TEST(DsaPrecompute, DecodeAllocatesEachOutputOnceInOrder) {
  Recorder recorder;
  DsaParams params = params_of(DsaMode::kDecode, 3, 10, 4);
  DsaPrecomputed result;
  ASSERT_EQ(allocate_dsa_precompute(recorder.allocator(), params, result), std::nullopt);
  EXPECT_THAT(recorder.asked(),
              ElementsAre(Pair("cache_seqlens", 12), Pair("cu_seqlens_k", 16),
                          Pair("page_table", 120), Pair("dsa_cache_seqlens", 12),
                          Pair("dsa_cu_seqlens_k", 16), Pair("real_page_table", 36)));
  EXPECT_EQ(result.cache_seqlens, recorder.handed_out(0));
  EXPECT_EQ(result.cu_seqlens_k, recorder.handed_out(1));
  EXPECT_EQ(result.page_table, recorder.handed_out(2));
  EXPECT_EQ(result.dsa_cache_seqlens, recorder.handed_out(3));
  EXPECT_EQ(result.dsa_cu_seqlens_k, recorder.handed_out(4));
  EXPECT_EQ(result.real_page_table, recorder.handed_out(5));
}

TEST(DsaPrecompute, TargetVerifyAllocatesTheExpandedLengthsToo) {
  Recorder recorder;
  DsaParams params = params_of(DsaMode::kTargetVerify, 3, 10, 4);
  DsaPrecomputed result;
  ASSERT_EQ(allocate_dsa_precompute(recorder.allocator(), params, result), std::nullopt);
  EXPECT_THAT(
      recorder.asked(),
      ElementsAre(Pair("cache_seqlens", 12), Pair("cu_seqlens_k", 16), Pair("page_table", 240),
                  Pair("seqlens_expanded", 24), Pair("dsa_cache_seqlens", 24),
                  Pair("dsa_cu_seqlens_k", 28), Pair("real_page_table", 72)));
  EXPECT_EQ(result.seqlens_expanded, recorder.handed_out(3));
  EXPECT_EQ(params.paged_mqa_ctx_lens.present, false);
}

TEST(DsaPrecompute, OneValueUnderTwoNamesIsOneBuffer) {
  Recorder recorder;
  DsaParams decode = params_of(DsaMode::kDecode, 3, 10, 1);
  DsaPrecomputed result;
  ASSERT_EQ(allocate_dsa_precompute(recorder.allocator(), decode, result), std::nullopt);
  EXPECT_THAT(recorder.asked(), ElementsAre(Pair("cache_seqlens", 12), Pair("cu_seqlens_k", 16),
                                            Pair("page_table", 120), Pair("dsa_cache_seqlens", 12),
                                            Pair("dsa_cu_seqlens_k", 16)));
  EXPECT_EQ(result.seqlens_expanded, result.cache_seqlens);
  EXPECT_EQ(result.real_page_table, result.page_table);
  EXPECT_EQ(decode.seqlens_expanded, nullptr);
  EXPECT_FALSE(decode.real_page_table.present);

  Recorder other;
  DsaParams verify = params_of(DsaMode::kTargetVerify, 3, 10, 1);
  ASSERT_EQ(allocate_dsa_precompute(other.allocator(), verify, result), std::nullopt);
  EXPECT_NE(result.seqlens_expanded, result.cache_seqlens);
  EXPECT_EQ(result.real_page_table, result.page_table);
}

TEST(DsaPrecompute, TheCallCanGoOnWithWhatWasAllocated) {
  for (const auto mode : {DsaMode::kDecode, DsaMode::kTargetVerify}) {
    for (const int64_t page_size : {1, 4}) {
      Recorder recorder;
      DsaParams params = params_of(mode, 3, 10, page_size);
      DsaPrecomputed result;
      ASSERT_EQ(allocate_dsa_precompute(recorder.allocator(), params, result), std::nullopt);
      EXPECT_EQ(dsa_buffers_error(params, 0), std::nullopt);
      EXPECT_EQ(params.page_table.data, result.page_table);
      EXPECT_EQ(params.page_table.num_columns, 10);
      EXPECT_EQ(params.page_table.row_stride, 10);
      if (page_size == 1) continue;
      EXPECT_EQ(params.real_page_table.data, result.real_page_table);
      EXPECT_EQ(params.real_page_table.num_columns, 3);
      EXPECT_EQ(params.real_page_table.row_stride, 3);
    }
  }
}

TEST(DsaPrecompute, OutputsWithoutElementsAreNotAllocated) {
  Recorder no_requests;
  DsaParams empty = params_of(DsaMode::kTargetVerify, 0, 10, 4);
  DsaPrecomputed result;
  ASSERT_EQ(allocate_dsa_precompute(no_requests.allocator(), empty, result), std::nullopt);
  EXPECT_THAT(no_requests.asked(),
              ElementsAre(Pair("cu_seqlens_k", 4), Pair("dsa_cu_seqlens_k", 4)));
  EXPECT_EQ(result.cache_seqlens, nullptr);
  EXPECT_EQ(result.page_table, nullptr);
  EXPECT_EQ(result.real_page_table, nullptr);
  EXPECT_EQ(dsa_buffers_error(empty, 0), std::nullopt);

  Recorder no_columns;
  DsaParams narrow = params_of(DsaMode::kDecode, 3, 0, 4);
  ASSERT_EQ(allocate_dsa_precompute(no_columns.allocator(), narrow, result), std::nullopt);
  EXPECT_THAT(no_columns.asked(),
              ElementsAre(Pair("cache_seqlens", 12), Pair("cu_seqlens_k", 16),
                          Pair("dsa_cache_seqlens", 12), Pair("dsa_cu_seqlens_k", 16)));
  EXPECT_EQ(dsa_buffers_error(narrow, 0), std::nullopt);
}

TEST(DsaPrecompute, SizesAre64Bit) {
  // 2^21 rows of 2^12 columns.
  Recorder recorder;
  DsaParams params = params_of(DsaMode::kTargetVerify, int64_t{1} << 20, 1 << 12, 64);
  DsaPrecomputed result;
  ASSERT_EQ(allocate_dsa_precompute(recorder.allocator(), params, result), std::nullopt);
  EXPECT_THAT(recorder.asked(),
              ElementsAre(Pair("cache_seqlens", 4194304), Pair("cu_seqlens_k", 4194308),
                          Pair("page_table", 34359738368), Pair("seqlens_expanded", 8388608),
                          Pair("dsa_cache_seqlens", 8388608), Pair("dsa_cu_seqlens_k", 8388612),
                          Pair("real_page_table", 536870912)));
}

TEST(DsaPrecompute, SizesBeyond64BitsAreRefusedByName) {
  Recorder recorder;
  DsaParams params = params_of(DsaMode::kDecode, INT32_MAX, INT32_MAX, 64);
  DsaPrecomputed result;
  EXPECT_EQ(allocate_dsa_precompute(recorder.allocator(), params, result),
            "page_table is too large");
}

TEST(DsaPrecompute, AFailedAllocationIsNamedAndIsTheLast) {
  const std::vector<std::pair<std::string, size_t>> all = {
      {"cache_seqlens", 12},    {"cu_seqlens_k", 16},      {"page_table", 240},
      {"seqlens_expanded", 24}, {"dsa_cache_seqlens", 24}, {"dsa_cu_seqlens_k", 28},
      {"real_page_table", 72}};
  for (size_t i = 0; i < all.size(); ++i) {
    Recorder recorder;
    recorder.fail_at(all[i].first);
    DsaParams params = params_of(DsaMode::kTargetVerify, 3, 10, 4);
    DsaPrecomputed result;
    EXPECT_EQ(
        allocate_dsa_precompute(recorder.allocator(), params, result),
        all[i].first + " could not be allocated: " + std::to_string(all[i].second) + " bytes");
    EXPECT_EQ(recorder.asked().size(), i + 1);
    EXPECT_EQ(result.cache_seqlens, nullptr);
    EXPECT_EQ(result.cu_seqlens_k, nullptr);
    EXPECT_EQ(result.page_table, nullptr);
  }
}

TEST(DsaPrecompute, NothingIsAllocatedForABadCall) {
  Recorder recorder;
  DsaPrecomputed result;
  DsaParams too_wide = params_of(DsaMode::kDecode, 3, 10, 4);
  too_wide.max_len = 11;
  EXPECT_EQ(allocate_dsa_precompute(recorder.allocator(), too_wide, result),
            "max_len is 11, but req_to_token has 10 columns");
  DsaParams no_lens = params_of(DsaMode::kDecode, 3, 10, 4);
  no_lens.seq_lens.data = nullptr;
  EXPECT_EQ(allocate_dsa_precompute(recorder.allocator(), no_lens, result), "seq_lens is null");
  DsaParams extend = params_of(DsaMode::kDraftExtend, 0, 10, 4);
  EXPECT_EQ(allocate_dsa_precompute(recorder.allocator(), extend, result),
            "precompute takes no draft_extend");
  EXPECT_THAT(recorder.asked(), IsEmpty());
}

}  // namespace
}  // namespace bytegate
