// Calls at the edges of the contract that the DSA metadata operations must take.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/testing/dsa_op.h"

namespace bytegate {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

constexpr int32_t kOld = 0x5a5a5a5a;

// Every operation on every path, the static form as well.
std::vector<DsaTestCall> all_calls() {
  std::vector<DsaTestCall> calls;
  const auto add = [&](DsaMode mode, DsaEntry entry, DsaExtendForm form) {
    for (const char* path : {"fused", "eager"}) {
      calls.push_back({.mode = mode, .entry = entry, .form = form, .forced_path = path});
    }
  };
  for (const auto entry : {DsaEntry::kMetadata, DsaEntry::kPrecompute, DsaEntry::kRefresh}) {
    add(DsaMode::kDecode, entry, DsaExtendForm::kRagged);
    add(DsaMode::kTargetVerify, entry, DsaExtendForm::kRagged);
    if (entry == DsaEntry::kPrecompute) continue;
    add(DsaMode::kDraftExtend, entry, DsaExtendForm::kRagged);
    add(DsaMode::kDraftExtend, entry, DsaExtendForm::kStatic);
  }
  return calls;
}

std::string label(const DsaTestCall& call) {
  return std::string(make_dsa_call(call).op->name) + " " + std::string(call.forced_path);
}

TEST(DsaFrontDoorEdges, APlainCallRunsOnTheForcedPath) {
  for (const DsaTestCall& call : all_calls()) {
    DsaFrontDoor door(make_dsa_call(call));
    EXPECT_EQ(door.path_taken(), call.forced_path) << label(call);
    const int32_t len = call.mode == DsaMode::kTargetVerify ? 7 : 5;
    EXPECT_THAT(door.values("cu_seqlens_k"), ElementsAre(0, len, 2 * len)) << label(call);
  }
  EXPECT_EQ(DsaFrontDoor(make_dsa_call({})).path_taken(), "fused");
}

TEST(DsaFrontDoorEdges, AnEmptyBatchHasNullInputs) {
  for (DsaTestCall call : all_calls()) {
    call.num_requests = 0;
    call.num_pool_rows = 0;
    DsaFrontDoor door(make_dsa_call(call));
    EXPECT_EQ(door.path_taken(), call.forced_path) << label(call);
    EXPECT_THAT(door.values("cu_seqlens_k"), ElementsAre(0)) << label(call);
    EXPECT_THAT(door.values("dsa_cu_seqlens_k"), ElementsAre(0)) << label(call);
  }
}

TEST(DsaFrontDoorEdges, AnEmptyBatchMayBeOfTheWidestRequests) {
  for (DsaTestCall call : all_calls()) {
    call.num_requests = 0;
    call.next_n = INT32_MAX;
    call.extend_len = INT32_MAX;
    DsaFrontDoor door(make_dsa_call(call));
    EXPECT_EQ(door.path_taken(), call.forced_path) << label(call);
    EXPECT_THAT(door.values("dsa_cu_seqlens_k"), ElementsAre(0)) << label(call);
  }
}

TEST(DsaFrontDoorEdges, NoPoolRowsAreTheDevicesAffair) {
  for (DsaTestCall call : all_calls()) {
    call.num_pool_rows = 0;
    DsaFrontDoor door(make_dsa_call(call));
    EXPECT_EQ(door.path_taken(), call.forced_path) << label(call);
  }
}

TEST(DsaFrontDoorEdges, NoPoolColumnsLeaveNothingToCopy) {
  for (DsaTestCall call : all_calls()) {
    call.num_columns = 0;
    call.max_len = 0;
    DsaFrontDoor door(make_dsa_call(call));
    EXPECT_EQ(door.path_taken(), call.forced_path) << label(call);
  }
}

TEST(DsaFrontDoorEdges, TablesMayBeThereWithNothingToWrite) {
  for (DsaTestCall call : all_calls()) {
    if (call.entry == DsaEntry::kPrecompute) continue;
    call.max_len = 0;
    Case c = make_dsa_call(call);
    for (const char* table : {"page_table", "real_page_table"}) {
      tensor_of(c, table).shape[1] = 3;
      tensor_of(c, table).strides = {0, 1};  // at least the width written
    }
    DsaFrontDoor door(c);
    EXPECT_EQ(door.path_taken(), call.forced_path) << label(call);
    EXPECT_THAT(door.values("page_table"), Each(kOld)) << label(call);
    EXPECT_THAT(door.values("real_page_table"), Each(kOld)) << label(call);
  }
}

TEST(DsaFrontDoorEdges, RequestsMayHaveNoRows) {
  for (DsaTestCall call : all_calls()) {
    if (call.mode != DsaMode::kDraftExtend) continue;
    call.extend_len = 0;
    DsaFrontDoor door(make_dsa_call(call));
    EXPECT_EQ(door.path_taken(), call.forced_path) << label(call);
    EXPECT_THAT(door.values("cache_seqlens"), ElementsAre(5, 5)) << label(call);
    EXPECT_THAT(door.values("dsa_cu_seqlens_k"), ElementsAre(0)) << label(call);
  }
}

TEST(DsaFrontDoorEdges, AStrideOfZeroRepeatsAnInput) {
  for (const DsaTestCall& call : all_calls()) {
    Case c = make_dsa_call(call);
    for (size_t i = 0; i < c.tensors.size(); ++i) {
      if (c.op->tensors[i].role != Role::kInput) continue;
      for (int axis = 0; axis < c.tensors[i].strides.rank(); ++axis) c.tensors[i].strides[axis] = 0;
    }
    Elements& slots = tensor_of(c, "req_to_token").elements;
    for (int64_t i = 0; i < slots.size(); ++i) slots.set(i, 7);
    DsaFrontDoor door(c);
    EXPECT_EQ(door.path_taken(), call.forced_path) << label(call);
    EXPECT_THAT(door.values("page_table"), Each(7)) << label(call);
  }
}

TEST(DsaFrontDoorEdges, ARowStrideMayBeBelowTheWidth) {
  for (const DsaTestCall& call : all_calls()) {
    if (call.entry == DsaEntry::kPrecompute || call.mode != DsaMode::kDecode) continue;
    Case c = make_dsa_call(call);
    tensor_of(c, "page_table").shape[1] = 9;  // and the stride is the 6 that are written
    DsaFrontDoor door(c);
    EXPECT_EQ(door.path_taken(), call.forced_path) << label(call);
    EXPECT_THAT(door.values("page_table"), ElementsAre(0, 1, 2, 3, 4, 5, 0, 1, 2,  //
                                                       0, 1, 2, 3, 4, 5, kOld, kOld, kOld))
        << label(call);
  }
}

TEST(DsaFrontDoorEdges, OneRowNeedsNoStride) {
  for (DsaTestCall call : all_calls()) {
    if (call.entry == DsaEntry::kPrecompute || call.mode != DsaMode::kDecode) continue;
    call.num_requests = 1;
    Case c = make_dsa_call(call);
    tensor_of(c, "page_table").strides = {0, 1};
    tensor_of(c, "real_page_table").strides = {0, 1};
    DsaFrontDoor door(c);
    EXPECT_EQ(door.path_taken(), call.forced_path) << label(call);
    EXPECT_THAT(door.values("page_table"), ElementsAre(0, 1, 2, 3, 4, 5)) << label(call);
    EXPECT_THAT(door.values("real_page_table"), ElementsAre(0, 1)) << label(call);
  }
}

TEST(DsaFrontDoorEdges, ContextLengthsMayLieApart) {
  for (const DsaTestCall& call : all_calls()) {
    if (call.entry == DsaEntry::kPrecompute || call.mode != DsaMode::kTargetVerify) continue;
    Case c = make_dsa_call(call);
    tensor_of(c, "paged_mqa_ctx_lens").strides = {3, 2};
    DsaFrontDoor door(c);
    EXPECT_EQ(door.path_taken(), call.forced_path) << label(call);
    EXPECT_THAT(door.values("paged_mqa_ctx_lens"), Each(7)) << label(call);
  }
}

TEST(DsaFrontDoorEdges, LengthsAndIndicesMayEachBeWide) {
  for (const DsaTestCall& call : all_calls()) {
    for (const char* wide : {"seq_lens", "req_pool_indices"}) {
      Case c = make_dsa_call(call);
      Elements& elements = tensor_of(c, wide).elements;
      const int64_t value = elements.at(0);
      tensor_of(c, wide).dtype = DType::kInt64;
      elements = Elements(std::vector<int64_t>(2, value));
      DsaFrontDoor door(c);
      EXPECT_EQ(door.path_taken(), call.forced_path) << label(call);
      EXPECT_THAT(door.values("cache_seqlens"), Each(call.mode == DsaMode::kTargetVerify ? 7 : 5));
    }
  }
}

TEST(DsaFrontDoorEdges, OptionalTablesMayBeLeftOut) {
  for (const DsaTestCall& call : all_calls()) {
    if (call.entry == DsaEntry::kPrecompute) continue;
    Case c = make_dsa_call(call);
    tensor_of(c, "page_table").present = false;
    if (call.mode == DsaMode::kTargetVerify) tensor_of(c, "paged_mqa_ctx_lens").present = false;
    DsaFrontDoor door(c);
    EXPECT_EQ(door.path_taken(), call.forced_path) << label(call);
    const std::vector<int32_t> pages = door.values("real_page_table");
    for (size_t i = 0; i < pages.size(); ++i) EXPECT_EQ(pages[i], static_cast<int32_t>(i % 2));
  }
}

TEST(DsaFrontDoorEdges, ScalarsMayBeAsLargeAsTheyGo) {
  for (const DsaTestCall& call : all_calls()) {
    Case c = make_dsa_call(call);
    scalar_of(c, "topk") = INT32_MAX;
    scalar_of(c, "page_size") = INT32_MAX;
    Tensor& pages = tensor_of(c, "real_page_table");
    pages.shape[1] = 1;
    pages.strides = compact_strides(pages.shape);
    DsaFrontDoor door(c);
    EXPECT_EQ(door.path_taken(), call.forced_path) << label(call);
    EXPECT_THAT(door.values("real_page_table"), Each(0)) << label(call);
  }
}

}  // namespace
}  // namespace bytegate
