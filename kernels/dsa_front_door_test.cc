// Which scalars, shapes and layouts the DSA metadata operations refuse, and which they take.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/testing/dsa_op.h"

namespace bytegate {
namespace {

constexpr DsaTestCall kDecode = {};
constexpr DsaTestCall kVerify = {.mode = DsaMode::kTargetVerify};
constexpr DsaTestCall kExtend = {.mode = DsaMode::kDraftExtend};
constexpr DsaTestCall kStaticExtend = {.mode = DsaMode::kDraftExtend,
                                       .form = DsaExtendForm::kStatic};

std::vector<DsaTestCall> all_calls() {
  std::vector<DsaTestCall> calls;
  for (const DsaTestCall& mode : {kDecode, kVerify, kExtend, kStaticExtend}) {
    for (const auto entry : {DsaEntry::kMetadata, DsaEntry::kPrecompute, DsaEntry::kRefresh}) {
      if (mode.mode == DsaMode::kDraftExtend && entry == DsaEntry::kPrecompute) continue;
      calls.push_back(mode);
      calls.back().entry = entry;
    }
  }
  return calls;
}
DsaTestCall as(DsaTestCall call, DsaEntry entry) {
  call.entry = entry;
  return call;
}

template <typename Change>
std::string refusal(const DsaTestCall& call, Change change) {
  Case c = make_dsa_call(call);
  change(c);
  return DsaFrontDoor(c).refusal();
}
std::string with_scalar(const DsaTestCall& call, std::string_view scalar, int64_t value) {
  return refusal(call, [&](Case& c) { scalar_of(c, scalar) = value; });
}
std::string with_strides(const DsaTestCall& call, std::string_view tensor, Dims strides) {
  return refusal(call, [&](Case& c) { tensor_of(c, tensor).strides = strides; });
}
std::string with_shape(const DsaTestCall& call, std::string_view tensor, Dims shape) {
  return refusal(call, [&](Case& c) {
    tensor_of(c, tensor).shape = shape;
    tensor_of(c, tensor).strides = compact_strides(shape);
  });
}
std::string without(const DsaTestCall& call, std::string_view tensor) {
  return refusal(call, [&](Case& c) { tensor_of(c, tensor).present = false; });
}

TEST(DsaFrontDoor, AScalarOutOfRangeIsRefusedByName) {
  for (const DsaTestCall& call : all_calls()) {
    EXPECT_EQ(with_scalar(call, "max_len", -1), "max_len is -1, must be 0 .. 2147483647");
    EXPECT_EQ(with_scalar(call, "max_len", 9), "max_len is 9, but req_to_token has 8 columns");
    EXPECT_EQ(with_scalar(call, "topk", 0), "topk is 0, must be 1 .. 2147483647");
    EXPECT_EQ(with_scalar(call, "page_size", 0), "page_size is 0, must be 1 .. 2147483647");
    EXPECT_EQ(with_scalar(call, "page_size", -4), "page_size is -4, must be 1 .. 2147483647");
    EXPECT_EQ(with_scalar(call, "tail", 2), "tail is 2, must be 0 .. 1");
    EXPECT_EQ(with_scalar(call, "tail", -1), "tail is -1, must be 0 .. 1");
    if (call.mode == DsaMode::kDecode) continue;
    EXPECT_EQ(with_scalar(call, "expanded_min", 3), "expanded_min is 3, must be 0 .. 2");
    EXPECT_EQ(with_scalar(call, "expanded_min", -1), "expanded_min is -1, must be 0 .. 2");
  }
}

TEST(DsaFrontDoor, AScalarOfOneModeOutOfRangeIsRefusedByName) {
  EXPECT_EQ(with_scalar(kVerify, "next_n", 0), "next_n is 0, must be 1 .. 2147483647");
  EXPECT_EQ(with_scalar(kVerify, "next_n", -1), "next_n is -1, must be 1 .. 2147483647");
  for (const DsaTestCall& call : {kExtend, kStaticExtend}) {
    EXPECT_EQ(with_scalar(call, "form", 2), "form is 2, must be 0 .. 1");
    EXPECT_EQ(with_scalar(call, "form", -1), "form is -1, must be 0 .. 1");
    EXPECT_EQ(with_scalar(call, "total_len", -1), "total_len is -1, must be 0 .. 2147483647");
    EXPECT_EQ(with_scalar(call, "total_len", int64_t{1} << 31),
              "total_len is 2147483648, must be 0 .. 2147483647");
  }
  EXPECT_EQ(with_scalar(kStaticExtend, "extend_len", -1),
            "extend_len is -1, must be 0 .. 2147483647");
  EXPECT_EQ(with_scalar(kExtend, "extend_len", 2), "extend_len is 2, must be 0 in the ragged form");
  for (const DsaTestCall& mode : {kDecode, kVerify, kExtend}) {
    const DsaTestCall call = as(mode, DsaEntry::kRefresh);
    EXPECT_EQ(with_scalar(call, "num_sm", 0), "num_sm is 0, must be 1 .. 1024");
    EXPECT_EQ(with_scalar(call, "num_sm", 1025), "num_sm is 1025, must be 1 .. 1024");
    EXPECT_EQ(with_scalar(call, "remainder", 2), "remainder is 2, must be 0 .. 1");
  }
}

TEST(DsaFrontDoor, TheNumberOfRowsMustFit) {
  EXPECT_EQ(with_scalar(kVerify, "next_n", int64_t{1} << 30),
            "2 requests of next_n 1073741824 are more than 2147483647 rows");
  EXPECT_EQ(with_scalar(kVerify, "next_n", INT32_MAX),
            "2 requests of next_n 2147483647 are more than 2147483647 rows");
  EXPECT_EQ(with_scalar(kStaticExtend, "total_len", 5),
            "total_len is 5, but 2 requests of extend_len 2 have 4 rows");
  EXPECT_EQ(with_scalar(kStaticExtend, "extend_len", INT32_MAX),
            "total_len is 4, but 2 requests of extend_len 2147483647 have 4294967294 rows");
  DsaTestCall empty = kExtend;
  empty.num_requests = 0;
  EXPECT_EQ(with_scalar(empty, "total_len", 1), "total_len is 1, but there is no request");
  const auto many_requests = [](Case& c) {
    for (const char* input : {"seq_lens", "req_pool_indices"}) {
      tensor_of(c, input).shape = {int64_t{1} << 31};
      tensor_of(c, input).strides = {0};
    }
  };
  EXPECT_EQ(refusal(kDecode, many_requests),
            "number of requests is 2147483648, must be 0 .. 2147483647");
}

TEST(DsaFrontDoor, ATensorThatIsMissingIsRefusedByName) {
  for (const DsaTestCall& call : all_calls()) {
    const Case good = make_dsa_call(call);
    for (size_t i = 0; i < good.tensors.size(); ++i) {
      const std::string name(good.op->tensors[i].name);
      const bool optional = name == "page_table" && call.entry != DsaEntry::kPrecompute;
      if (!good.tensors[i].present || optional || name == "paged_mqa_ctx_lens") continue;
      const std::string what = name == "real_page_table" ? name : "tensor " + name;
      EXPECT_EQ(without(call, name), what + " is missing");
    }
  }
}

TEST(DsaFrontDoor, TheTablesThatAreThereMustBeThoseOfThePageSize) {
  for (DsaTestCall call : all_calls()) {
    call.page_size = 1;
    EXPECT_EQ(without(call, "page_table"),
              call.entry == DsaEntry::kPrecompute
                  ? "tensor page_table is missing"
                  : "page_table may be left out only when page_size > 1");
    EXPECT_EQ(refusal(call, [](Case& c) { tensor_of(c, "real_page_table").present = true; }),
              "real_page_table exists only when page_size > 1");
  }
  EXPECT_EQ(refusal(kStaticExtend, [](Case& c) { tensor_of(c, "extend_seq_lens").present = true; }),
            "extend_seq_lens is for the ragged form only");
}

TEST(DsaFrontDoor, ATensorOfAnotherRankOrTypeIsRefusedByName) {
  for (const DsaTestCall& call : all_calls()) {
    const Case good = make_dsa_call(call);
    for (size_t i = 0; i < good.tensors.size(); ++i) {
      if (!good.tensors[i].present) continue;
      const std::string name(good.op->tensors[i].name);
      const int rank = good.tensors[i].shape.rank();
      Case c = good;
      c.tensors[i].shape.push_back(1);
      c.tensors[i].strides.push_back(1);
      EXPECT_EQ(DsaFrontDoor(c).refusal(), name + " has rank " + std::to_string(rank + 1) +
                                               ", must have " + std::to_string(rank));
      if (name == "seq_lens" || name == "req_pool_indices") continue;
      c = good;
      c.tensors[i].dtype = DType::kInt64;
      EXPECT_EQ(DsaFrontDoor(c).refusal(), name + " must be int32");
    }
  }
}

TEST(DsaFrontDoor, ATensorOfAnotherSizeIsRefusedByName) {
  for (const DsaTestCall& call : all_calls()) {
    const Case good = make_dsa_call(call);
    for (size_t i = 0; i < good.tensors.size(); ++i) {
      const std::string name(good.op->tensors[i].name);
      if (!good.tensors[i].present || name == "req_to_token") continue;
      for (const int64_t more : {-1, 1}) {
        Case c = good;
        const int64_t count = c.tensors[i].shape[0];
        c.tensors[i].shape[0] += more;
        const std::string has = name + " has " + std::to_string(count + more);
        const std::string must = ", must have " + std::to_string(count);
        if (name == "seq_lens") {  // it is what says how many requests there are
          EXPECT_EQ(DsaFrontDoor(c).refusal(),
                    "req_pool_indices has 2 elements, must have one for each of the " +
                        std::to_string(2 + more) + " requests");
        } else if (good.op->tensors[i].role == Role::kInput) {
          EXPECT_EQ(DsaFrontDoor(c).refusal(),
                    has + " elements, must have one for each of the 2 requests");
        } else if (name == "schedule_metadata") {
          EXPECT_EQ(DsaFrontDoor(c).refusal(), "schedule_metadata must be [num_sm + 1, 2]");
        } else {
          const bool is_table = good.tensors[i].shape.rank() == 2;
          EXPECT_EQ(DsaFrontDoor(c).refusal(), has + (is_table ? " rows" : " elements") + must);
        }
      }
    }
  }
}

TEST(DsaFrontDoor, ATableOfAnotherWidthIsRefused) {
  for (const DsaTestCall& call : all_calls()) {
    const int64_t rows = call.mode == DsaMode::kDecode ? 2 : 4;
    EXPECT_EQ(with_shape(call, "page_table", {rows, 5}), "page_table has 5 columns, must have 6");
    EXPECT_EQ(with_shape(call, "real_page_table", {rows, 1}),
              "real_page_table has 1 columns, must have 2");
    if (call.entry != DsaEntry::kPrecompute) continue;
    // What precompute returns is compact.
    EXPECT_EQ(with_shape(call, "page_table", {rows, 7}), "page_table has 7 columns, must have 6");
    EXPECT_EQ(with_shape(call, "real_page_table", {rows, 3}),
              "real_page_table has 3 columns, must have 2");
    EXPECT_EQ(with_strides(call, "page_table", {7, 1}), "page_table must be contiguous");
    EXPECT_EQ(with_strides(call, "real_page_table", {3, 1}), "real_page_table must be contiguous");
  }
  EXPECT_EQ(with_shape(kVerify, "paged_mqa_ctx_lens", {2, 3}),
            "paged_mqa_ctx_lens must be [B, next_n]");
  EXPECT_EQ(with_shape(as(kDecode, DsaEntry::kRefresh), "schedule_metadata", {4, 3}),
            "schedule_metadata must be [num_sm + 1, 2]");
}

TEST(DsaFrontDoor, PrecomputeTablesMustBeCompactEvenWithNothingToWrite) {
  for (DsaTestCall call : {kDecode, kVerify}) {
    call.entry = DsaEntry::kPrecompute;
    call.max_len = 0;
    const int64_t rows = call.mode == DsaMode::kDecode ? 2 : 4;
    EXPECT_EQ(with_shape(call, "page_table", {rows, 3}), "page_table has 3 columns, must have 0");
    EXPECT_EQ(with_shape(call, "real_page_table", {rows, 3}),
              "real_page_table has 3 columns, must have 0");
    EXPECT_EQ(without(call, "page_table"), "tensor page_table is missing");
    call.num_requests = 0;
    EXPECT_EQ(without(call, "page_table"), "tensor page_table is missing");
  }
}

TEST(DsaFrontDoor, RowsOfATableMustNotReachIntoEachOther) {
  for (const DsaTestCall& call : {kDecode, kVerify, kExtend, kStaticExtend}) {
    EXPECT_EQ(with_strides(call, "page_table", {5, 1}),
              "the row stride of page_table is 5, below the 6 columns written");
    EXPECT_EQ(with_strides(call, "page_table", {-6, 1}),
              "the row stride of page_table is -6, below the 6 columns written");
    EXPECT_EQ(with_strides(call, "real_page_table", {1, 1}),
              "the row stride of real_page_table is 1, below the 2 columns written");
    EXPECT_EQ(with_strides(call, "page_table", {12, 2}),
              "the rows of page_table must be contiguous");
    EXPECT_EQ(with_strides(call, "real_page_table", {4, 2}),
              "the rows of real_page_table must be contiguous");
    EXPECT_EQ(with_strides(call, "page_table", {int64_t{1} << 60, 1}), "page_table is too large");
  }
  DsaTestCall one_row = kDecode;
  one_row.num_requests = 1;
  EXPECT_EQ(with_strides(one_row, "page_table", {-6, 1}),
            "the row stride of page_table is negative");
}

TEST(DsaFrontDoor, ContextLengthsMustHaveAnAddressEach) {
  EXPECT_EQ(with_strides(kVerify, "paged_mqa_ctx_lens", {2, 2}),
            "the row stride of paged_mqa_ctx_lens is 2, below the 3 that a row reaches");
  EXPECT_EQ(with_strides(kVerify, "paged_mqa_ctx_lens", {2, 0}),
            "the column stride of paged_mqa_ctx_lens is 0, must be positive");
  EXPECT_EQ(with_strides(kVerify, "paged_mqa_ctx_lens", {2, -1}),
            "the column stride of paged_mqa_ctx_lens is -1, must be positive");
  EXPECT_EQ(with_strides(kVerify, "paged_mqa_ctx_lens", {-2, 1}),
            "the row stride of paged_mqa_ctx_lens is -2, below the 2 that a row reaches");
  EXPECT_EQ(with_strides(kVerify, "paged_mqa_ctx_lens", {int64_t{1} << 60, 1}),
            "paged_mqa_ctx_lens is too large");
}

TEST(DsaFrontDoor, OtherOutputsMustBeContiguous) {
  for (const DsaTestCall& call : all_calls()) {
    for (const TensorSpec& spec : make_dsa_call(call).op->tensors) {
      if (spec.role != Role::kOutput || spec.shape.size() != 1) continue;
      EXPECT_EQ(with_strides(call, spec.name, {2}), std::string(spec.name) + " must be contiguous");
    }
    if (call.entry != DsaEntry::kRefresh) continue;
    EXPECT_EQ(with_strides(call, "schedule_metadata", {3, 1}),
              "schedule_metadata must be contiguous");
  }
}

TEST(DsaFrontDoor, InputStridesMustBeCountable) {
  for (const DsaTestCall& call : all_calls()) {
    EXPECT_EQ(with_strides(call, "seq_lens", {-1}), "the stride of seq_lens is negative");
    EXPECT_EQ(with_strides(call, "req_pool_indices", {-1}),
              "the stride of req_pool_indices is negative");
    EXPECT_EQ(with_strides(call, "req_to_token", {-8, 1}), "a stride of req_to_token is negative");
    EXPECT_EQ(with_strides(call, "req_to_token", {8, -1}), "a stride of req_to_token is negative");
    EXPECT_EQ(with_strides(call, "seq_lens", {int64_t{1} << 60}), "seq_lens is too large");
    EXPECT_EQ(with_strides(call, "req_to_token", {INT64_MAX, 1}), "req_to_token is too large");
  }
  EXPECT_EQ(with_strides(kExtend, "extend_seq_lens", {-1}),
            "the stride of extend_seq_lens is negative");
}

TEST(DsaFrontDoor, APathThatDoesNotExistIsRefused) {
  for (DsaTestCall call : all_calls()) {
    for (const char* path : {"huge", "tiny"}) {  // the second is of another operation
      call.forced_path = path;
      EXPECT_EQ(DsaFrontDoor(make_dsa_call(call)).refusal(),
                "no dispatch path is called " + std::string(path));
    }
  }
}

}  // namespace
}  // namespace bytegate
