#include "oracles/dsa_validity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "oracles/dsa_test_batch.h"

namespace bytegate {
namespace {

using ::testing::ElementsAre;

Case two_requests(const Op& op) {
  return make_dsa_test_case(
      {.op = &op,
       .seq_lens = {3, 6},
       .req_pool_indices = {2, 0},
       .req_to_token = {{0, 1, 2, 3, 4, 5, 6}, {0, 0, 0, 0, 0, 0, 0}, {7, 8, 9, 10, 11, 12, 13}},
       .max_len = 6,
       .page_size = 4,
       .extend_seq_lens = {2, 1}});
}

template <typename Change>
std::optional<std::string> reason(const Op& op, Change change) {
  Case c = two_requests(op);
  EXPECT_EQ(invalid_reason(c), std::nullopt);
  change(c);
  fit_tensors(c);
  return invalid_reason(c);
}

std::optional<std::string> with_scalar(const Op& op, std::string_view scalar, int64_t value) {
  return reason(op, [&](Case& c) { scalar_of(c, scalar) = value; });
}

TEST(DsaValidity, ScalarsHaveRanges) {
  const Op& decode = dsa_decode_metadata_op();
  const Op& verify = dsa_target_verify_metadata_op();
  const Op& extend = dsa_draft_extend_refresh_op();
  EXPECT_EQ(with_scalar(decode, "max_len", -1), "scalar max_len is -1, outside 0 .. 2147483647");
  EXPECT_EQ(with_scalar(decode, "topk", 0), "scalar topk is 0, outside 1 .. 2147483647");
  EXPECT_EQ(with_scalar(decode, "page_size", 0), "scalar page_size is 0, outside 1 .. 2147483647");
  EXPECT_EQ(with_scalar(decode, "tail", 2), "scalar tail is 2, outside 0 .. 1");
  EXPECT_EQ(with_scalar(verify, "next_n", 0), "scalar next_n is 0, outside 1 .. 2147483647");
  EXPECT_EQ(with_scalar(verify, "expanded_min", 3), "scalar expanded_min is 3, outside 0 .. 2");
  EXPECT_EQ(with_scalar(extend, "form", -1), "scalar form is -1, outside 0 .. 1");
  EXPECT_EQ(with_scalar(extend, "total_len", -1),
            "scalar total_len is -1, outside 0 .. 2147483647");
  EXPECT_EQ(with_scalar(extend, "extend_len", -1),
            "scalar extend_len is -1, outside 0 .. 2147483647");
  EXPECT_EQ(with_scalar(extend, "num_sm", 0), "scalar num_sm is 0, outside 1 .. 1024");
  EXPECT_EQ(with_scalar(extend, "remainder", 2), "scalar remainder is 2, outside 0 .. 1");
}

TEST(DsaValidity, TablesAreNoWiderThanTheSlots) {
  EXPECT_EQ(reason(dsa_decode_metadata_op(),
                   [](Case& c) {
                     scalar_of(c, "max_len") = 8;
                     dim_of(c, "page_table_width") = 8;
                   }),
            "max_len is 8, but req_to_token has 7 columns");
  EXPECT_EQ(with_scalar(dsa_decode_precompute_op(), "max_len", 8),
            "max_len is 8, but req_to_token has 7 columns");
  EXPECT_EQ(with_scalar(dsa_decode_precompute_op(), "max_len", 7), std::nullopt);
}

TEST(DsaValidity, TablesAreAsWideAsWhatIsWritten) {
  const Op& op = dsa_decode_metadata_op();
  EXPECT_EQ(reason(op, [](Case& c) { dim_of(c, "page_table_width") = 5; }),
            "page_table has 5 columns, must have 6");
  EXPECT_EQ(reason(op, [](Case& c) { dim_of(c, "real_page_table_width") = 1; }),
            "real_page_table has 1 columns, must have 2");
  // The width of a table that is not there does not matter.
  EXPECT_EQ(reason(op,
                   [](Case& c) {
                     dim_of(c, "page_table_width") = 0;
                     tensor_of(c, "page_table").present = false;
                   }),
            std::nullopt);
}

TEST(DsaValidity, RowsStrideAtLeastOverWhatIsWritten) {
  Case c = two_requests(dsa_decode_metadata_op());
  dim_of(c, "page_table_width") = 9;
  fit_tensors(c);
  tensor_of(c, "page_table").strides = {6, 1};
  EXPECT_EQ(invalid_reason(c), std::nullopt);
  tensor_of(c, "page_table").strides = {5, 1};
  EXPECT_EQ(invalid_reason(c), "page_table stride of axis 0 is 5, below the width written (6)");
  tensor_of(c, "page_table").strides = {18, 2};
  EXPECT_EQ(invalid_reason(c),
            "page_table stride of axis 1 is 2, but that axis must be contiguous (1)");
}

TEST(DsaValidity, ContextLengthsHaveAnAddressEach) {
  DsaTestBatch batch = {.op = &dsa_target_verify_metadata_op(),
                        .seq_lens = {3, 6},
                        .req_pool_indices = {0, 0},
                        .req_to_token = {{0}},
                        .next_n = 3};
  Case c = make_dsa_test_case(batch);
  tensor_of(c, "paged_mqa_ctx_lens").strides = {5, 2};
  EXPECT_EQ(invalid_reason(c), std::nullopt);
  tensor_of(c, "paged_mqa_ctx_lens").strides = {4, 2};
  EXPECT_EQ(invalid_reason(c),
            "paged_mqa_ctx_lens stride of axis 0 is 4, below the width written (5)");
  tensor_of(c, "paged_mqa_ctx_lens").strides = {3, 0};
  EXPECT_EQ(invalid_reason(c),
            "paged_mqa_ctx_lens stride of axis 1 is 0, below the width written (1)");
}

TEST(DsaValidity, TensorsAreThereExactlyWhereTheContractHasThem) {
  const auto without = [](const Op& op, std::string_view tensor) {
    Case c = two_requests(op);
    tensor_of(c, tensor).present = false;
    return invalid_reason(c);
  };
  const Op& decode = dsa_decode_metadata_op();
  EXPECT_EQ(without(decode, "page_table"), std::nullopt);
  EXPECT_EQ(without(dsa_target_verify_metadata_op(), "paged_mqa_ctx_lens"), std::nullopt);
  for (const char* name :
       {"seq_lens", "req_pool_indices", "req_to_token", "cache_seqlens", "cu_seqlens_k",
        "dsa_cache_seqlens", "dsa_cu_seqlens_k", "real_page_table"}) {
    EXPECT_EQ(without(decode, name), "tensor " + std::string(name) + " is required, but absent");
  }
  EXPECT_EQ(without(dsa_draft_extend_metadata_op(), "extend_seq_lens"),
            "tensor extend_seq_lens is required, but absent");
  EXPECT_EQ(without(dsa_decode_precompute_op(), "page_table"),
            "tensor page_table is required, but absent");
  Case unpaged = two_requests(decode);
  scalar_of(unpaged, "page_size") = 1;
  dim_of(unpaged, "real_page_table_width") = 6;
  fit_tensors(unpaged);
  EXPECT_EQ(invalid_reason(unpaged), std::nullopt);
  tensor_of(unpaged, "page_table").present = false;
  EXPECT_EQ(invalid_reason(unpaged), "tensor page_table is required, but absent");
  tensor_of(unpaged, "page_table").present = true;
  tensor_of(unpaged, "real_page_table").present = true;
  EXPECT_EQ(invalid_reason(unpaged), "tensor real_page_table must be absent here");
}

TEST(DsaValidity, NoCallHasMoreRowsThan31BitsCount) {
  const Op& op = dsa_target_verify_metadata_op();
  EXPECT_EQ(with_scalar(op, "next_n", (int64_t{1} << 30)),
            "2 requests of next_n 1073741824 are more than 2147483647 rows");
  EXPECT_EQ(with_scalar(op, "next_n", INT32_MAX),
            "2 requests of next_n 2147483647 are more than 2147483647 rows");
}

TEST(DsaValidity, RaggedLengthsAddUpToTotalLen) {
  const Op& op = dsa_draft_extend_metadata_op();
  EXPECT_EQ(with_scalar(op, "total_len", 4), "extend_seq_lens add up to 3, but total_len is 4");
  EXPECT_EQ(with_scalar(op, "extend_len", 1), "extend_len is 1, must be 0 in ragged form");
  EXPECT_EQ(reason(op, [](Case& c) { tensor_of(c, "extend_seq_lens").elements.set(1, -1); }),
            "element extend_seq_lens[1] is -1, outside 0 .. 2147483647");
  // The host sees none of it but the second.
  Case c = two_requests(op);
  scalar_of(c, "total_len") = 4;
  fit_tensors(c);
  EXPECT_EQ(invalid_call_reason(c), std::nullopt);
  dim_of(c, "B") = 0;
  fit_tensors(c);
  EXPECT_EQ(invalid_call_reason(c), "total_len is 4, but there is no request");
}

TEST(DsaValidity, TheStaticFormHasTotalLenRows) {
  Case c = two_requests(dsa_draft_extend_metadata_op());
  scalar_of(c, "form") = 1;
  fit_tensors(c);
  EXPECT_EQ(invalid_reason(c), "total_len is 3, but 2 requests of extend_len 0 have 0 rows");
  scalar_of(c, "extend_len") = 2;
  scalar_of(c, "total_len") = 4;
  fit_tensors(c);
  EXPECT_EQ(invalid_reason(c), std::nullopt);
  tensor_of(c, "extend_seq_lens").present = true;
  tensor_of(c, "extend_seq_lens").elements.resize(2);
  EXPECT_EQ(invalid_reason(c), "tensor extend_seq_lens must be absent here");
}

TEST(DsaValidity, PoolIndicesAreRows) {
  const Op& op = dsa_decode_metadata_op();
  EXPECT_EQ(reason(op, [](Case& c) { tensor_of(c, "req_pool_indices").elements.set(1, 3); }),
            "req_pool_indices[1] is 3, req_to_token has 3 rows");
  EXPECT_EQ(reason(op, [](Case& c) { tensor_of(c, "req_pool_indices").elements.set(0, -1); }),
            "element req_pool_indices[0] is -1, outside 0 .. 2147483647");
  EXPECT_EQ(reason(op, [](Case& c) { dim_of(c, "R") = 0; }),
            "req_pool_indices[0] is 2, req_to_token has 0 rows");
}

TEST(DsaValidity, TheScheduleTakesNoNegativeLength) {
  const auto shorter = [](Case& c) { tensor_of(c, "seq_lens").elements.set(1, -2); };
  EXPECT_EQ(reason(dsa_decode_metadata_op(), shorter), std::nullopt);
  EXPECT_EQ(reason(dsa_decode_refresh_op(), shorter),
            "row 0 of request 1 has the length -2, which the schedule cannot take");
  EXPECT_EQ(reason(dsa_target_verify_refresh_op(), shorter),
            "row 0 of request 1 has the length -1, which the schedule cannot take");
  const auto clamped = [&](Case& c) {
    shorter(c);
    scalar_of(c, "expanded_min") = 1;
  };
  EXPECT_EQ(reason(dsa_target_verify_refresh_op(), clamped), std::nullopt);
  const auto drafted = [](Case& c) { tensor_of(c, "seq_lens").elements.set(0, 0); };
  EXPECT_EQ(reason(dsa_draft_extend_metadata_op(), drafted), std::nullopt);
  EXPECT_EQ(reason(dsa_draft_extend_refresh_op(), drafted),
            "row 0 of request 0 has the length -1, which the schedule cannot take");
}

Case with_later_lens(std::vector<int32_t> lens) {
  Case c = two_requests(dsa_draft_extend_metadata_op());
  const int extend = c.op->tensor_index("extend_seq_lens");
  c.later_steps = {{.changes = {{.tensor = extend, .elements = Elements(std::move(lens))}}}};
  return c;
}

TEST(DsaValidity, LaterStepsHaveTheSameTotal) {
  EXPECT_EQ(invalid_reason(with_later_lens({0, 3})), std::nullopt);
  EXPECT_EQ(invalid_reason(with_later_lens({3, 3})),
            "step 1: extend_seq_lens add up to 6, but total_len is 3");
}

TEST(DsaValidity, SettlingMakesTotalLenFollowTheLengths) {
  Case c = two_requests(dsa_draft_extend_metadata_op());
  tensor_of(c, "extend_seq_lens").elements.set(0, 5);
  scalar_of(c, "extend_len") = 9;
  settle_dsa(c);
  EXPECT_EQ(scalar_of(c, "total_len"), 6);
  EXPECT_EQ(scalar_of(c, "extend_len"), 0);
  EXPECT_EQ(tensor_of(c, "page_table").shape, (Dims{6, 6}));
  EXPECT_EQ(invalid_reason(c), std::nullopt);
  scalar_of(c, "form") = 1;
  scalar_of(c, "extend_len") = 2;
  fit_tensors(c);
  settle_dsa(c);
  EXPECT_EQ(scalar_of(c, "total_len"), 4);
  EXPECT_EQ(invalid_reason(c), std::nullopt);
}

TEST(DsaValidity, SettlingAimsLaterStepsAtTheSameTotal) {
  Case grown = with_later_lens({0, 1});
  settle_dsa(grown);
  EXPECT_THAT(grown.later_steps[0].changes[0].elements.int32(), ElementsAre(0, 3));
  Case shrunk = with_later_lens({4, 1});
  settle_dsa(shrunk);
  EXPECT_THAT(shrunk.later_steps[0].changes[0].elements.int32(), ElementsAre(3, 0));
  EXPECT_EQ(invalid_reason(shrunk), std::nullopt);
}

TEST(DsaValidity, SettlingKeepsTheStridesOfWideRows) {
  Case c = two_requests(dsa_draft_extend_metadata_op());
  tensor_of(c, "page_table").strides = {11, 1};
  tensor_of(c, "extend_seq_lens").elements.set(0, 1);
  settle_dsa(c);
  EXPECT_EQ(tensor_of(c, "page_table").shape, (Dims{2, 6}));
  EXPECT_EQ(tensor_of(c, "page_table").strides, (Dims{11, 1}));
  EXPECT_EQ(invalid_reason(c), std::nullopt);
}

TEST(DsaValidity, SettlingATotalThatDoesNotFitLeavesTheCaseInvalid) {
  Case c = two_requests(dsa_draft_extend_metadata_op());
  scalar_of(c, "form") = 1;
  scalar_of(c, "extend_len") = INT64_MAX;
  settle_dsa(c);
  EXPECT_EQ(scalar_of(c, "total_len"), -1);
  fit_tensors(c);
  EXPECT_EQ(invalid_reason(c), "scalar total_len is -1, outside 0 .. 2147483647");
}

}  // namespace
}  // namespace bytegate
