// Which buffers the DSA metadata operations refuse: null or not, workspaces and overlaps.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "kernels/dsa_metadata.h"
#include "kernels/testing/dsa_op.h"

namespace bytegate {
namespace {

std::vector<DsaTestCall> all_calls(const char* path) {
  std::vector<DsaTestCall> calls;
  for (const auto mode : {DsaMode::kDecode, DsaMode::kTargetVerify, DsaMode::kDraftExtend}) {
    for (const auto entry : {DsaEntry::kMetadata, DsaEntry::kPrecompute, DsaEntry::kRefresh}) {
      if (mode == DsaMode::kDraftExtend && entry == DsaEntry::kPrecompute) continue;
      calls.push_back({.mode = mode, .entry = entry, .forced_path = path});
    }
  }
  return calls;
}

bool is_input(const Case& c, size_t tensor) {
  return c.op->tensors[tensor].role == Role::kInput;
}
std::string name_of(const Case& c, size_t tensor) {
  return std::string(c.op->tensors[tensor].name);
}

TEST(DsaFrontDoorBuffers, ATensorWithElementsMustNotBeNull) {
  for (const DsaTestCall& call : all_calls("fused")) {
    const Case c = make_dsa_call(call);
    for (size_t i = 0; i < c.tensors.size(); ++i) {
      DsaFrontDoor door(c);
      door.move(name_of(c, i), nullptr);
      EXPECT_EQ(door.refusal(), name_of(c, i) + " is null") << c.op->name;
    }
  }
}

TEST(DsaFrontDoorBuffers, ATensorWithoutElementsMustBeNull) {
  int num_empty = 0;
  for (DsaTestCall call : all_calls("fused")) {
    call.num_requests = 0;
    call.num_pool_rows = 0;
    const Case c = make_dsa_call(call);
    for (size_t i = 0; i < c.tensors.size(); ++i) {
      if (num_elements(c.tensors[i].shape) != 0) continue;
      DsaFrontDoor door(c);
      door.move(name_of(c, i), door.room());
      EXPECT_EQ(door.refusal(), name_of(c, i) + " must be null: it has no elements") << c.op->name;
      ++num_empty;
    }
  }
  // seq_lens, req_pool_indices, req_to_token, cache_seqlens, page_table, dsa_cache_seqlens and
  // real_page_table of eight, seqlens_expanded of five, extend_seq_lens and paged_mqa_ctx_lens of
  // two.
  EXPECT_EQ(num_empty, 65);
  DsaTestCall no_columns;
  no_columns.max_len = 0;
  DsaFrontDoor door(make_dsa_call(no_columns));
  door.move("page_table", door.room());
  EXPECT_EQ(door.refusal(), "page_table must be null: it has no elements");
}

TEST(DsaFrontDoorBuffers, OutputsMustNotShareABytePairByPair) {
  for (const DsaTestCall& call : all_calls("fused")) {
    const Case c = make_dsa_call(call);
    for (size_t a = 0; a < c.tensors.size(); ++a) {
      for (size_t b = 0; b < c.tensors.size(); ++b) {
        if (a == b || (is_input(c, a) && is_input(c, b))) continue;
        DsaFrontDoor door(c);
        door.move(name_of(c, a), door.room());
        door.move(name_of(c, b), door.room() + door.bytes(name_of(c, a)) - sizeof(int32_t));
        // The first output in the order of the contract, or the output before the input.
        const bool a_first = is_input(c, b) || (!is_input(c, a) && a < b);
        EXPECT_EQ(door.refusal(),
                  name_of(c, a_first ? a : b) + " overlaps " + name_of(c, a_first ? b : a));
      }
    }
  }
}

TEST(DsaFrontDoorBuffers, BuffersMayTouchPairByPair) {
  for (const DsaTestCall& call : all_calls("fused")) {
    const Case c = make_dsa_call(call);
    for (size_t a = 0; a < c.tensors.size(); ++a) {
      for (size_t b = 0; b < c.tensors.size(); ++b) {
        if (a == b) continue;
        DsaFrontDoor door(c);
        std::byte* to = door.room();
        for (const size_t i : {a, b}) {
          std::memcpy(to, door.data(name_of(c, i)), door.bytes(name_of(c, i)));
          door.move(name_of(c, i), to);
          to += door.bytes(name_of(c, i));
        }
        EXPECT_EQ(door.path_taken(), "fused") << name_of(c, a) << " " << name_of(c, b);
      }
    }
  }
}

TEST(DsaFrontDoorBuffers, TheWorkspaceMustNotShareAByte) {
  for (const DsaTestCall& call : all_calls("eager")) {
    const Case c = make_dsa_call(call);
    for (size_t i = 0; i < c.tensors.size(); ++i) {
      DsaFrontDoor door(c);
      const std::string name = name_of(c, i);
      const bool workspace_first = is_input(c, i) || name == "schedule_metadata";
      const std::string expect =
          workspace_first ? "the workspace overlaps " + name : name + " overlaps the workspace";
      door.set_workspace(door.room(), door.workspace_bytes());
      door.move(name, door.room() + door.workspace_bytes() - sizeof(int32_t));
      EXPECT_EQ(door.refusal(), expect);
      door.set_workspace(door.room() + 1024, door.workspace_bytes());
      door.move(name, door.room() + 1024 - door.bytes(name) + sizeof(int32_t));
      EXPECT_EQ(door.refusal(), expect);
    }
  }
}

TEST(DsaFrontDoorBuffers, AnOutputMayTouchTheWorkspace) {
  for (const DsaTestCall& call : all_calls("eager")) {
    DsaFrontDoor door(make_dsa_call(call));
    door.set_workspace(door.room() + 1024, door.workspace_bytes());
    door.move("cache_seqlens", door.room() + 1024 - door.bytes("cache_seqlens"));
    door.move("page_table", door.room() + 1024 + door.workspace_bytes());
    EXPECT_EQ(door.path_taken(), "eager");
  }
}

TEST(DsaFrontDoorBuffers, InputsMayShareBytes) {
  for (const char* path : {"fused", "eager"}) {
    // All are 5: of pool row 5.
    DsaFrontDoor door(make_dsa_call({.num_pool_rows = 6, .forced_path = path}));
    door.move("req_pool_indices", door.data("seq_lens"));
    EXPECT_EQ(door.path_taken(), path);
    EXPECT_THAT(door.values("page_table"),
                ::testing::ElementsAre(40, 41, 42, 43, 44, 45, 40, 41, 42, 43, 44, 45));
  }
}

TEST(DsaFrontDoorBuffers, GapsBelongToTheirTensor) {
  Case apart = make_dsa_call({});
  tensor_of(apart, "seq_lens").strides = {100};
  DsaFrontDoor in_input(apart);
  in_input.move("cache_seqlens", in_input.data("seq_lens") + 100);
  EXPECT_EQ(in_input.refusal(), "cache_seqlens overlaps seq_lens");

  Case wide = make_dsa_call({});
  tensor_of(wide, "page_table").strides = {100, 1};
  DsaFrontDoor in_rows(wide);
  in_rows.move("cache_seqlens", in_rows.data("page_table") + 100);
  EXPECT_EQ(in_rows.refusal(), "cache_seqlens overlaps page_table");

  // The last row ends with its last column, which is not written.
  Case spare = make_dsa_call({});
  tensor_of(spare, "page_table").shape = {2, 9};
  tensor_of(spare, "page_table").strides = {12, 1};
  DsaFrontDoor in_spare(spare);
  in_spare.move("page_table", in_spare.room());
  in_spare.move("cache_seqlens", in_spare.room() + (12 + 8) * sizeof(int32_t));
  EXPECT_EQ(in_spare.refusal(), "cache_seqlens overlaps page_table");
  in_spare.move("cache_seqlens", in_spare.room() + (12 + 9) * sizeof(int32_t));
  EXPECT_EQ(in_spare.path_taken(), "fused");
}

// The bad workspaces of a call that needs one.
void refuse_bad_workspaces(const Case& c) {
  DsaFrontDoor door(c);
  const size_t needed = door.workspace_bytes();
  ASSERT_GT(needed, 0U);
  const std::string must = " bytes, must have " + std::to_string(needed);
  door.set_workspace(door.workspace(), needed - 1);
  EXPECT_EQ(door.refusal(), "workspace has " + std::to_string(needed - 1) + must);
  door.set_workspace(nullptr, 0);
  EXPECT_EQ(door.refusal(), "workspace has 0" + must);
  door.set_workspace(nullptr, needed);
  EXPECT_EQ(door.refusal(), "workspace is null");
  for (const int askew : {1, 4, 8}) {
    door.set_workspace(door.workspace() + askew, needed);
    EXPECT_EQ(door.refusal(), "workspace is not aligned to 16 bytes");
  }
}

TEST(DsaFrontDoorBuffers, TheEagerChainNeedsItsWorkspace) {
  for (const DsaTestCall& call : all_calls("eager")) {
    SCOPED_TRACE(make_dsa_call(call).op->name);
    refuse_bad_workspaces(make_dsa_call(call));
  }
}

TEST(DsaFrontDoorBuffers, ARefreshOfManyRowsNeedsAWorkspaceForItsSchedule) {
  const DsaTestCall many = {.mode = DsaMode::kDraftExtend,
                            .entry = DsaEntry::kRefresh,
                            .num_requests = 1,
                            .max_len = 0,
                            .form = DsaExtendForm::kStatic,
                            .extend_len = 5000,
                            .forced_path = "fused"};
  Case c = make_dsa_call(many);
  scalar_of(c, "expanded_min") = 1;
  EXPECT_EQ(DsaFrontDoor(c).workspace_bytes(), 16U);  // two tiles
  refuse_bad_workspaces(c);
  c.forced_path = "eager";
  refuse_bad_workspaces(c);
}

TEST(DsaFrontDoorBuffers, TheFusedLaunchNeedsNoWorkspaceButChecksOne) {
  for (const DsaTestCall& call : all_calls("fused")) {
    DsaFrontDoor door(make_dsa_call(call));
    EXPECT_EQ(door.workspace_bytes(), 0U);
    door.set_workspace(door.room() + 4, 16);
    EXPECT_EQ(door.refusal(), "workspace is not aligned to 16 bytes");
    door.set_workspace(nullptr, 16);
    EXPECT_EQ(door.refusal(), "workspace is null");
    door.set_workspace(door.room(), 16);
    EXPECT_EQ(door.path_taken(), "fused");
  }
}

TEST(DsaFrontDoorBuffers, AWorkspaceOfNoSizeIsNull) {
  int32_t cu_seqlens = 0;
  int32_t dsa_cu_seqlens = 0;
  int64_t somewhere = 0;
  DsaParams params;
  params.topk = 1;
  params.page_size = 1;
  params.page_table.present = true;
  params.cu_seqlens_k = &cu_seqlens;
  params.dsa_cu_seqlens_k = &dsa_cu_seqlens;
  EXPECT_EQ(dsa_call_error(params), std::nullopt);
  EXPECT_EQ(dsa_buffers_error(params, 0), std::nullopt);
  params.workspace = &somewhere;
  EXPECT_EQ(dsa_buffers_error(params, 0), "workspace must be null: its size is 0");
}

}  // namespace
}  // namespace bytegate
