// What `paged_mqa_metadata` refuses, and that it then leaves every byte alone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "kernels/call_frame.h"
#include "kernels/testing/candidates.h"
#include "kernels/testing/schedule_op.h"

namespace bytegate {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;

constexpr DLDevice kHost = {kDLCPU, 0};
constexpr int32_t kOld = -77;

// A call with buffers of its own, so that a test can see what a refusal leaves behind.
class Call {
 public:
  explicit Call(Case c) : case_(std::move(c)), frame_(case_, kHost, nullptr) {
    const size_t num_cells = static_cast<size_t>(num_elements(case_.tensors[1].shape).value());
    table_.assign(num_cells, kOld);
    const CallSize size = query_call(*candidate_, case_, kHost);
    workspace_.assign(size.workspace_bytes / sizeof(int64_t), kOld);
    lens_ = case_.tensors[0].elements;
    if (lens_.size() > 0) frame_.set_data(0, lens_.data());
    frame_.set_data(1, table_.data());
    frame_.set_workspace(workspace_.data(), size.workspace_bytes);
  }

  CallFrame& frame() { return frame_; }
  std::byte* lens() { return lens_.data(); }
  std::vector<int32_t>& table() { return table_; }
  std::vector<int64_t>& workspace() { return workspace_; }

  // The message of the refusal. Nothing may have been written.
  std::string refusal() {
    EXPECT_EQ(frame_.run(*candidate_), BYTEGATE_INVALID_ARGUMENT);
    EXPECT_THAT(table_, Each(kOld));
    EXPECT_THAT(workspace_, Each(kOld));
    EXPECT_EQ(lens_, case_.tensors[0].elements);
    EXPECT_EQ(frame_.path(), "");
    return frame_.message();
  }

 private:
  std::unique_ptr<Candidate> candidate_ = open_builtin("production");
  Case case_;
  CallFrame frame_;
  Elements lens_;
  std::vector<int32_t> table_;
  std::vector<int64_t> workspace_;
};

Case small_case() {
  return make_schedule_case({.lens = {300, 5}, .num_sm = 3});
}
Case multi_block_case() {
  return make_schedule_case({.lens = std::vector<int32_t>(5000, 300), .num_sm = 3});
}
Case with_scalar(size_t scalar, int64_t value) {
  Case c = small_case();
  c.scalars[scalar] = value;
  fit_tensors(c);
  return c;
}
Case forced(std::string path, size_t num_rows) {
  Case c = make_schedule_case({.lens = std::vector<int32_t>(num_rows, 1), .num_sm = 3});
  c.forced_path = std::move(path);
  return c;
}

TEST(PagedMqaMetadataFrontDoor, AScalarOutOfRangeIsRefusedByName) {
  EXPECT_EQ(Call(with_scalar(0, 0)).refusal(), "num_sm is 0, must be 1 .. 1024");
  EXPECT_EQ(Call(with_scalar(0, 1025)).refusal(), "num_sm is 1025, must be 1 .. 1024");
  EXPECT_EQ(Call(with_scalar(0, -1)).refusal(), "num_sm is -1, must be 1 .. 1024");
  EXPECT_EQ(Call(with_scalar(1, 32)).refusal(), "page_size is 32, must be 64");
  EXPECT_EQ(Call(with_scalar(2, 2)).refusal(), "remainder is 2, must be 0 .. 1");
}

TEST(PagedMqaMetadataFrontDoor, ANullTensorIsRefusedByName) {
  Call no_lens(small_case());
  no_lens.frame().set_data(0, nullptr);
  EXPECT_EQ(no_lens.refusal(), "context_lens is null");
  Call no_table(small_case());
  no_table.frame().set_data(1, nullptr);
  EXPECT_EQ(no_table.refusal(), "schedule_metadata is null");
}

TEST(PagedMqaMetadataFrontDoor, AnEmptyTensorMustBeNull) {
  Call call(make_schedule_case({.lens = {}, .num_sm = 2}));
  int32_t somewhere = 0;
  call.frame().set_data(0, &somewhere);
  EXPECT_EQ(call.refusal(), "context_lens must be null: it has no elements");
}

TEST(PagedMqaMetadataFrontDoor, ABadWorkspaceIsRefused) {
  // 5000 rows are two tiles: 16 bytes.
  Call short_by_one(multi_block_case());
  short_by_one.frame().set_workspace(short_by_one.workspace().data(), 15);
  EXPECT_EQ(short_by_one.refusal(), "workspace has 15 bytes, must have 16");
  Call none(multi_block_case());
  none.frame().set_workspace(nullptr, 16);
  EXPECT_EQ(none.refusal(), "workspace is null");
  Call askew(multi_block_case());
  std::vector<int64_t>& bytes = askew.workspace();
  bytes.assign(8, kOld);
  const bool even = reinterpret_cast<uintptr_t>(bytes.data()) % 16 == 0;
  askew.frame().set_workspace(bytes.data() + (even ? 1 : 0), 16);
  EXPECT_EQ(askew.refusal(), "workspace is not aligned to 16 bytes");
}

TEST(PagedMqaMetadataFrontDoor, OverlapsAreRefusedByName) {
  Call on_lens(small_case());
  on_lens.frame().set_data(1, on_lens.lens() + 4);
  EXPECT_EQ(on_lens.refusal(), "schedule_metadata overlaps context_lens");
  // Room for all of a buffer, so that it cannot reach into a neighbour by chance.
  alignas(16) std::array<int64_t, 4096> room{};
  Call on_workspace(multi_block_case());
  on_workspace.frame().set_workspace(room.data(), 16);
  on_workspace.frame().set_data(1, room.data() + 1);
  EXPECT_EQ(on_workspace.refusal(), "schedule_metadata overlaps the workspace");
  Call under_workspace(multi_block_case());
  under_workspace.frame().set_workspace(room.data() + 2, 16);
  under_workspace.frame().set_data(0, room.data());
  EXPECT_EQ(under_workspace.refusal(), "context_lens overlaps the workspace");
}

TEST(PagedMqaMetadataFrontDoor, TouchingBuffersDoNotOverlap) {
  Call call(small_case());
  std::vector<int32_t> both = {300, 5, 0, 0, 0, 0, 0, 0, 0, 0};
  call.frame().set_data(0, both.data());
  call.frame().set_data(1, both.data() + 2);
  const auto candidate = open_builtin("production");
  EXPECT_EQ(call.frame().run(*candidate), BYTEGATE_OK) << call.frame().message();
  // W = 2, 1; one split for each SM.
  EXPECT_THAT(both, ::testing::ElementsAre(300, 5, 0, 0, 0, 1, 1, 0, 2, 0));
}

TEST(PagedMqaMetadataFrontDoor, APathThatDoesNotExistOrDoesNotFitIsRefused) {
  EXPECT_EQ(Call(forced("huge", 3)).refusal(), "no dispatch path is called huge");
  EXPECT_EQ(Call(forced("", 3)).frame().message(), "");  // not forced at all
  EXPECT_EQ(Call(forced("tiny", 65)).refusal(), "path tiny takes up to 64 rows, not 65");
  EXPECT_EQ(Call(forced("small", 2049)).refusal(), "path small takes up to 2048 rows, not 2049");
}

TEST(PagedMqaMetadataFrontDoor, ALayoutThatTheContractDoesNotHaveIsRefused) {
  Case strided = small_case();
  strided.tensors[0].strides = {2};
  EXPECT_EQ(Call(strided).refusal(), "context_lens must be contiguous");
  Case wide = small_case();
  wide.tensors[0].dtype = DType::kInt64;
  EXPECT_EQ(Call(wide).refusal(), "context_lens must be int32");
  Case short_table = small_case();
  short_table.tensors[1].shape = {3, 2};
  EXPECT_EQ(Call(short_table).refusal(), "schedule_metadata must be [num_sm + 1, 2]");
  Case no_table = small_case();
  no_table.tensors[1].present = false;
  EXPECT_EQ(Call(no_table).refusal(), "tensor schedule_metadata is missing");
}

TEST(PagedMqaMetadataFrontDoor, AnotherOperationIsUnsupported) {
  static const Op other = [] {
    Op op;
    op.name = "another";
    return op;
  }();
  Case c;
  c.op = &other;
  const auto candidate = open_builtin("production");
  const CallSize size = query_call(*candidate, c, kHost);
  EXPECT_EQ(size.status, BYTEGATE_UNSUPPORTED);
  EXPECT_EQ(size.message, "no such operation here");
}

TEST(PagedMqaMetadataFrontDoor, TheCallerMayAskForNoMessage) {
  bytegate_call call{};
  call.op = "paged_mqa_metadata";
  call.device = kHost;
  const auto candidate = open_builtin("production");
  EXPECT_EQ(candidate->table().run(candidate->state(), &call), BYTEGATE_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace bytegate
