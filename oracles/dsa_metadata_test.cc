// The eager oracle on batches that were worked out on paper from the contract.
#include "oracles/dsa_metadata.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "oracles/dsa_test_batch.h"

namespace bytegate {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::IsEmpty;

using List = std::vector<int32_t>;

// A valid case and what the oracle says about it, by name.
class Answer {
 public:
  explicit Answer(const DsaTestBatch& batch)
      : case_(make_dsa_test_case(batch)), invalid_(invalid_reason(case_)) {
    EXPECT_EQ(invalid_, std::nullopt);
    if (!invalid_) outputs_ = expected_outputs(case_);
  }
  List operator[](std::string_view tensor) const {
    const auto idx = static_cast<size_t>(case_.op->tensor_index(tensor));
    if (invalid_) return {-12345};
    const auto values = outputs_.at(idx).int32();
    return {values.begin(), values.end()};
  }
  const Outputs& outputs() const { return outputs_; }

 private:
  Case case_;
  std::optional<std::string> invalid_;
  Outputs outputs_;
};

DsaTestBatch two_requests(const Op& op) {
  return {.op = &op,
          .seq_lens = {3, 6},
          .req_pool_indices = {2, 0},
          .req_to_token = {{40, 41, 42, 43, -1, -5, 99},
                           {70, 71, 72, 73, 74, 75, 76},
                           {8, 9, 10, 11, 4, 5, 98}},
          .max_len = 6,
          .topk = 4,
          .page_size = 4};
}

DsaTestBatch lens_only(const Op& op, std::vector<int64_t> seq_lens) {
  const size_t num_requests = seq_lens.size();
  return {.op = &op,
          .seq_lens = std::move(seq_lens),
          .req_pool_indices = std::vector<int64_t>(num_requests, 0),
          .req_to_token = {{7}}};
}

DsaTestBatch extended(std::vector<int64_t> seq_lens, List extend) {
  DsaTestBatch batch = lens_only(dsa_draft_extend_metadata_op(), std::move(seq_lens));
  batch.extend_seq_lens = std::move(extend);
  return batch;
}

TEST(DsaOracle, DecodeGivesEachRequestOneRow) {
  const Answer answer(two_requests(dsa_decode_metadata_op()));
  EXPECT_THAT(answer["cache_seqlens"], ElementsAre(3, 6));
  EXPECT_THAT(answer["cu_seqlens_k"], ElementsAre(0, 3, 9));
  EXPECT_THAT(answer["page_table"], ElementsAre(8, 9, 10, 11, 4, 5, 40, 41, 42, 43, -1, -5));
  EXPECT_THAT(answer["dsa_cache_seqlens"], ElementsAre(3, 4));
  EXPECT_THAT(answer["dsa_cu_seqlens_k"], ElementsAre(0, 3, 7));
  // Of the slots 8, 4 and 40, -1.
  EXPECT_THAT(answer["real_page_table"], ElementsAre(2, 1, 10, -1));
}

TEST(DsaOracle, PrecomputeGivesTheSameValues) {
  const Answer decode(two_requests(dsa_decode_precompute_op()));
  EXPECT_THAT(decode["cache_seqlens"], ElementsAre(3, 6));
  EXPECT_THAT(decode["page_table"], ElementsAre(8, 9, 10, 11, 4, 5, 40, 41, 42, 43, -1, -5));
  EXPECT_THAT(decode["real_page_table"], ElementsAre(2, 1, 10, -1));
  const Answer verify(two_requests(dsa_target_verify_precompute_op()));
  EXPECT_THAT(verify["cache_seqlens"], ElementsAre(4, 7));
  EXPECT_THAT(verify["seqlens_expanded"], ElementsAre(4, 7));
  EXPECT_THAT(verify["dsa_cu_seqlens_k"], ElementsAre(0, 4, 8));
}

TEST(DsaOracle, TargetVerifyClampsOnlyTheExpandedLengths) {
  DsaTestBatch batch = {.op = &dsa_target_verify_metadata_op(),
                        .seq_lens = {5, -3},
                        .req_pool_indices = {1, 1},
                        .req_to_token = {{0, 0}, {130, -1}},
                        .max_len = 2,
                        .topk = 6,
                        .page_size = 64,
                        .next_n = 2};
  const std::vector<std::vector<List>> expect = {
      // seqlens_expanded, dsa_cache_seqlens, dsa_cu_seqlens_k
      {{6, 7, -2, -1}, {6, 6, -2, -1}, {0, 6, 12, 10, 9}},
      {{6, 7, 0, 0}, {6, 6, 0, 0}, {0, 6, 12, 12, 12}},
      {{6, 7, 1, 1}, {6, 6, 1, 1}, {0, 6, 12, 13, 14}}};
  for (size_t i = 0; i < expect.size(); ++i) {
    batch.expanded_min = static_cast<DsaExpandedMin>(i);
    const Answer answer(batch);
    EXPECT_THAT(answer["cache_seqlens"], ElementsAre(7, -1));
    EXPECT_THAT(answer["cu_seqlens_k"], ElementsAre(0, 7, 6));
    EXPECT_THAT(answer["paged_mqa_ctx_lens"], ElementsAre(7, 7, -1, -1));
    EXPECT_THAT(answer["seqlens_expanded"], ElementsAreArray(expect[i][0]));
    EXPECT_THAT(answer["dsa_cache_seqlens"], ElementsAreArray(expect[i][1]));
    EXPECT_THAT(answer["dsa_cu_seqlens_k"], ElementsAreArray(expect[i][2]));
    EXPECT_THAT(answer["page_table"], ElementsAre(130, -1, 130, -1, 130, -1, 130, -1));
    EXPECT_THAT(answer["real_page_table"], ElementsAre(2, 2, 2, 2));
  }
}

DsaTestBatch ragged_batch() {
  return {.op = &dsa_draft_extend_metadata_op(),
          .seq_lens = {5, 9, 4},
          .req_pool_indices = {1, 0, 2},
          .req_to_token = {{0, 1, 2}, {6, 7, -3}, {10, 11, 13}},
          .max_len = 3,
          .page_size = 2,
          .extend_seq_lens = {2, 0, 1}};
}

TEST(DsaOracle, DraftExtendGivesARequestItsOwnNumberOfRows) {
  const Answer answer(ragged_batch());
  EXPECT_THAT(answer["cache_seqlens"], ElementsAre(5, 9, 4));
  EXPECT_THAT(answer["cu_seqlens_k"], ElementsAre(0, 5, 14, 18));
  EXPECT_THAT(answer["seqlens_expanded"], ElementsAre(4, 5, 4));
  EXPECT_THAT(answer["dsa_cache_seqlens"], ElementsAre(4, 5, 4));
  EXPECT_THAT(answer["dsa_cu_seqlens_k"], ElementsAre(0, 4, 9, 13));
  EXPECT_THAT(answer["page_table"], ElementsAre(6, 7, -3, 6, 7, -3, 10, 11, 13));
  EXPECT_THAT(answer["real_page_table"], ElementsAre(3, -2, 3, -2, 5, 6));
}

TEST(DsaOracle, ARequestWithoutRowsChangesNoRow) {
  DsaTestBatch without = ragged_batch();
  without.seq_lens = {5, 4};
  without.req_pool_indices = {1, 2};
  without.extend_seq_lens = {2, 1};
  const Answer three(ragged_batch());
  const Answer two(without);
  EXPECT_THAT(two["cache_seqlens"], ElementsAre(5, 4));
  for (const char* name : {"seqlens_expanded", "dsa_cache_seqlens", "dsa_cu_seqlens_k",
                           "page_table", "real_page_table"}) {
    EXPECT_EQ(two[name], three[name]) << name;
  }
}

TEST(DsaOracle, TheStaticFormEqualsTheRaggedOneOfEqualLengths) {
  DsaTestBatch ragged = ragged_batch();
  for (const int32_t len : {0, 1, 3}) {
    ragged.extend_seq_lens = List(3, len);
    DsaTestBatch fixed = ragged;
    fixed.extend_seq_lens = {};
    fixed.form = DsaExtendForm::kStatic;
    fixed.extend_len = len;
    EXPECT_EQ(Answer(fixed).outputs(), Answer(ragged).outputs()) << len;
  }
}

TEST(DsaOracle, APaddingRequestOfOneTokenIsVerifiedPastItsEnd) {
  DsaTestBatch batch = lens_only(dsa_target_verify_metadata_op(), {1});
  batch.next_n = 4;
  for (const auto min : {DsaExpandedMin::kNone, DsaExpandedMin::kZero, DsaExpandedMin::kOne}) {
    batch.expanded_min = min;
    const Answer answer(batch);
    EXPECT_THAT(answer["cache_seqlens"], ElementsAre(5));
    EXPECT_THAT(answer["seqlens_expanded"], ElementsAre(2, 3, 4, 5));
    EXPECT_THAT(answer["dsa_cu_seqlens_k"], ElementsAre(0, 2, 5, 9, 14));
    EXPECT_THAT(answer["paged_mqa_ctx_lens"], ElementsAre(5, 5, 5, 5));
  }
}

TEST(DsaOracle, APaddingRequestOfOneTokenIsExtendedFromBelowZero) {
  DsaTestBatch batch = extended({1}, {4});
  const Answer none(batch);
  EXPECT_THAT(none["cache_seqlens"], ElementsAre(1));
  EXPECT_THAT(none["seqlens_expanded"], ElementsAre(-2, -1, 0, 1));
  EXPECT_THAT(none["dsa_cache_seqlens"], ElementsAre(-2, -1, 0, 1));
  EXPECT_THAT(none["dsa_cu_seqlens_k"], ElementsAre(0, -2, -3, -3, -2));
  batch.expanded_min = DsaExpandedMin::kZero;
  const Answer zero(batch);
  EXPECT_THAT(zero["seqlens_expanded"], ElementsAre(0, 0, 0, 1));
  EXPECT_THAT(zero["dsa_cu_seqlens_k"], ElementsAre(0, 0, 0, 0, 1));
  batch.expanded_min = DsaExpandedMin::kOne;
  const Answer one(batch);
  EXPECT_THAT(one["seqlens_expanded"], ElementsAre(1, 1, 1, 1));
  EXPECT_THAT(one["dsa_cu_seqlens_k"], ElementsAre(0, 1, 2, 3, 4));
  EXPECT_THAT(one["cu_seqlens_k"], ElementsAre(0, 1));
}

TEST(DsaOracle, TopkIsAMinimumThatLetsNegativesThrough) {
  DsaTestBatch batch = lens_only(dsa_decode_metadata_op(), {-7, 0, 1, 2, 3, INT32_MAX});
  batch.topk = 2;
  EXPECT_THAT(Answer(batch)["dsa_cache_seqlens"], ElementsAre(-7, 0, 1, 2, 2, 2));
  EXPECT_THAT(Answer(batch)["cache_seqlens"], ElementsAre(-7, 0, 1, 2, 3, INT32_MAX));
  batch.topk = INT32_MAX;
  EXPECT_THAT(Answer(batch)["dsa_cache_seqlens"], ElementsAre(-7, 0, 1, 2, 3, INT32_MAX));
}

TEST(DsaOracle, WideLengthsAreCutTo32Bits) {
  DsaTestBatch batch = lens_only(dsa_decode_metadata_op(), {(int64_t{1} << 32) + 5, -1, 1LL << 31});
  batch.dtype = DType::kInt64;
  EXPECT_THAT(Answer(batch)["cache_seqlens"], ElementsAre(5, -1, INT32_MIN));
  EXPECT_THAT(Answer(batch)["cu_seqlens_k"], ElementsAre(0, 5, 4, -2147483644));
  EXPECT_THAT(Answer(batch)["dsa_cache_seqlens"], ElementsAre(5, -1, INT32_MIN));
}

TEST(DsaOracle, SumsAndAdditionsWrap) {
  DsaTestBatch batch = lens_only(dsa_decode_metadata_op(), {INT32_MAX, INT32_MAX, 2});
  batch.topk = INT32_MAX;
  EXPECT_THAT(Answer(batch)["cu_seqlens_k"], ElementsAre(0, INT32_MAX, -2, 0));
  EXPECT_THAT(Answer(batch)["dsa_cu_seqlens_k"], ElementsAre(0, INT32_MAX, -2, 0));
  DsaTestBatch verify = lens_only(dsa_target_verify_metadata_op(), {INT32_MAX - 1});
  verify.next_n = 2;
  EXPECT_THAT(Answer(verify)["cache_seqlens"], ElementsAre(INT32_MIN));
  EXPECT_THAT(Answer(verify)["seqlens_expanded"], ElementsAre(INT32_MAX, INT32_MIN));
  // The clamp comes after the wrap.
  verify.expanded_min = DsaExpandedMin::kOne;
  EXPECT_THAT(Answer(verify)["seqlens_expanded"], ElementsAre(INT32_MAX, 1));
  // -2^31 - 2 + 1 and one more.
  EXPECT_THAT(Answer(extended({INT32_MIN}, {2}))["seqlens_expanded"],
              ElementsAre(INT32_MAX, INT32_MIN));
}

TEST(DsaOracle, PagesAreFloors) {
  DsaTestBatch batch = lens_only(dsa_decode_metadata_op(), {1, 1, 1, 1, 1, 1});
  batch.req_pool_indices = {0, 1, 2, 3, 4, 5};
  batch.req_to_token = {{-1}, {-64}, {-65}, {63}, {64}, {INT32_MIN}};
  batch.max_len = 1;
  batch.page_size = 64;
  EXPECT_THAT(Answer(batch)["real_page_table"], ElementsAre(-1, -1, -2, 0, 1, -33554432));
}

TEST(DsaOracle, AnEmptyBatchWritesTheFirstSumsOnly) {
  for (const Op* op : dsa_ops()) {
    if (describe_dsa(*op).entry == DsaEntry::kRefresh) continue;
    DsaTestBatch batch = two_requests(*op);
    batch.seq_lens = {};
    batch.req_pool_indices = {};
    const Answer answer(batch);
    for (const TensorSpec& spec : op->tensors) {
      if (spec.role != Role::kOutput) continue;
      const bool sums = spec.name == "cu_seqlens_k" || spec.name == "dsa_cu_seqlens_k";
      EXPECT_EQ(answer[spec.name], sums ? List{0} : List{}) << op->name << " " << spec.name;
    }
  }
}

TEST(DsaOracle, RequestsWithoutAnyRowKeepTheirOwnOutputs) {
  DsaTestBatch batch = ragged_batch();
  batch.extend_seq_lens = {0, 0, 0};
  const Answer answer(batch);
  EXPECT_THAT(answer["cache_seqlens"], ElementsAre(5, 9, 4));
  EXPECT_THAT(answer["cu_seqlens_k"], ElementsAre(0, 5, 14, 18));
  EXPECT_THAT(answer["dsa_cu_seqlens_k"], ElementsAre(0));
  for (const char* name :
       {"seqlens_expanded", "dsa_cache_seqlens", "page_table", "real_page_table"}) {
    EXPECT_THAT(answer[name], IsEmpty()) << name;
  }
}

// A row for each request would take 256 GiB here.
TEST(DsaOracle, ManyRequestsWithoutRowsTakeNoMemoryForTables) {
  constexpr size_t kNumRequests = 1 << 16;
  constexpr int64_t kMaxLen = 1 << 20;
  List extend(kNumRequests, 0);
  extend.back() = 1;
  DsaTestBatch batch = extended(std::vector<int64_t>(kNumRequests, kMaxLen), std::move(extend));
  batch.req_to_token = {List(kMaxLen, 640)};
  batch.max_len = kMaxLen;
  batch.page_size = 64;
  const Answer answer(batch);
  EXPECT_EQ(answer["page_table"], List(kMaxLen, 640));
  EXPECT_EQ(answer["real_page_table"], List(kMaxLen / 64, 10));
}

TEST(DsaOracle, NoColumnsMeanNoTable) {
  DsaTestBatch batch = two_requests(dsa_decode_metadata_op());
  batch.max_len = 0;
  EXPECT_THAT(Answer(batch)["page_table"], IsEmpty());
  EXPECT_THAT(Answer(batch)["real_page_table"], IsEmpty());
  EXPECT_THAT(Answer(batch)["cu_seqlens_k"], ElementsAre(0, 3, 9));
}

TEST(DsaOracle, OptionalTensorsMayBeLeftOut) {
  DsaTestBatch unpaged = two_requests(dsa_decode_metadata_op());
  unpaged.page_size = 1;
  EXPECT_THAT(Answer(unpaged)["real_page_table"], IsEmpty());
  EXPECT_THAT(Answer(unpaged)["page_table"],
              ElementsAre(8, 9, 10, 11, 4, 5, 40, 41, 42, 43, -1, -5));
  DsaTestBatch bare = two_requests(dsa_target_verify_metadata_op());
  bare.with_page_table = false;
  bare.with_ctx_lens = false;
  EXPECT_THAT(Answer(bare)["page_table"], IsEmpty());
  EXPECT_THAT(Answer(bare)["paged_mqa_ctx_lens"], IsEmpty());
  EXPECT_THAT(Answer(bare)["real_page_table"], ElementsAre(2, 1, 10, -1));
}

TEST(DsaOracle, WiderTablesHaveTheSameResult) {
  Case c = make_dsa_test_case(two_requests(dsa_decode_metadata_op()));
  const Outputs expect = expected_outputs(c);
  dim_of(c, "page_table_width") = 9;
  dim_of(c, "real_page_table_width") = 3;
  fit_tensors(c);
  tensor_of(c, "page_table").strides = {6, 1};
  ASSERT_EQ(invalid_reason(c), std::nullopt);
  EXPECT_EQ(expected_outputs(c), expect);
}

TEST(DsaOracle, RefreshSchedulesTheLengths) {
  // 2 and 3 splits; the SMs take 1, 2 and 2.
  DsaTestBatch decode = lens_only(dsa_decode_refresh_op(), {512, 513});
  decode.num_sm = 3;
  EXPECT_THAT(Answer(decode)["schedule_metadata"], ElementsAre(0, 0, 0, 1, 1, 1, 2, 0));
  // Rows of 256 and 257 tokens: 1 and 2 splits.
  DsaTestBatch verify = lens_only(dsa_target_verify_refresh_op(), {255});
  verify.next_n = 2;
  verify.num_sm = 2;
  EXPECT_THAT(Answer(verify)["schedule_metadata"], ElementsAre(0, 0, 1, 0, 2, 0));
  verify.remainder = 1;
  EXPECT_THAT(Answer(verify)["schedule_metadata"], ElementsAre(0, 0, 1, 1, 2, 0));
  // Rows of 256, 257 and 300 tokens: 1, 2 and 2 splits; topk does not matter.
  DsaTestBatch extend = extended({257, 5, 300}, {2, 0, 1});
  extend.op = &dsa_draft_extend_refresh_op();
  extend.topk = 1;
  extend.num_sm = 2;
  EXPECT_THAT(Answer(extend)["schedule_metadata"], ElementsAre(0, 0, 1, 1, 3, 0));
  EXPECT_THAT(Answer(lens_only(dsa_decode_refresh_op(), {}))["schedule_metadata"],
              ElementsAre(0, 0, 0, 0));
}

}  // namespace
}  // namespace bytegate
