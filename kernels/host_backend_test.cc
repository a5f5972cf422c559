#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "kernels/arena.h"
#include "kernels/backend.h"
#include "kernels/call_reader.h"
#include "kernels/testing/candidates.h"
#include "kernels/testing/layout_op.h"

namespace bytegate {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::SizeIs;
using Index = LayoutIndex;
using Run = int32_t (*)(void*, bytegate_call*);

std::vector<RunResult> run_all(const bytegate_candidate& table, const std::vector<Case>& cases,
                               const BackendOptions& options = {}) {
  const auto candidate = open_candidate(table);
  const auto backend = make_host_backend(options);
  return backend->submit(*candidate, cases)->collect();
}

RunResult run_one(Run run, const Case& c, const BackendOptions& options = {}) {
  return run_all(host_table("test", run), {c}, options).front();
}

// Writes in[r, c] to out[r, c] and the row number to wide[r].
int32_t copy(void*, bytegate_call* call) {
  CallReader reader(*call);
  const DLTensor& in = *reader.tensor("in", 2, 32);
  const DLTensor& out = *reader.tensor("out", 2, 32);
  const DLTensor& wide = *reader.tensor("wide", 1, 64);
  for (int64_t row = 0; row < in.shape[0]; ++row) {
    for (int64_t col = 0; col < in.shape[1]; ++col) {
      static_cast<int32_t*>(out.data)[row * out.strides[0] + col * out.strides[1]] =
          static_cast<int32_t*>(in.data)[row * in.strides[0] + col * in.strides[1]];
    }
    static_cast<int64_t*>(wide.data)[row] = row;
  }
  return BYTEGATE_OK;
}

TEST(HostBackend, StridedTensorsGoInAndOut) {
  Case c = make_layout_case(2, 3);
  c.tensors[Index::kIn].strides = {1, 7};
  c.tensors[Index::kOut].strides = {9, 2};
  const RunResult result = run_one(copy, c);
  ASSERT_EQ(result.status, RunStatus::kDone) << result.message;
  ASSERT_THAT(result.steps, SizeIs(1));
  EXPECT_THAT(result.steps[0].outputs[Index::kOut].int32(), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(result.steps[0].outputs[Index::kWide].int64(), ElementsAre(0, 1));
  EXPECT_FALSE(result.steps[0].damage.has_value());
}

// Copies all but the last `kept` columns of `in`, and `kExtra` of those.
template <int64_t kExtra>
int32_t copy_columns(void*, bytegate_call* call) {
  CallReader reader(*call);
  const DLTensor& in = *reader.tensor("in", 2, 32);
  const DLTensor& out = *reader.tensor("out", 2, 32);
  EXPECT_NE(out.data, nullptr);
  const int64_t columns = std::max<int64_t>(in.shape[1] - reader.scalar("kept") + kExtra, 0);
  EXPECT_EQ(out.shape[1], in.shape[1]);
  for (int64_t row = 0; row < in.shape[0]; ++row) {
    for (int64_t col = 0; col < columns; ++col) {
      static_cast<int32_t*>(out.data)[row * out.strides[0] + col] =
          static_cast<int32_t*>(in.data)[row * in.strides[0] + col];
    }
  }
  return BYTEGATE_OK;
}

TEST(HostBackend, ACandidateSeesEveryColumnAndOnlyTheWrittenOnesComeBack) {
  const RunResult result = run_one(copy_columns<0>, keeping_columns(make_layout_case(2, 3), 1));
  ASSERT_EQ(result.status, RunStatus::kDone) << result.message;
  EXPECT_THAT(result.steps[0].outputs[Index::kOut].int32(), ElementsAre(1, 2, 4, 5));
  EXPECT_FALSE(result.steps[0].damage.has_value());
}

TEST(HostBackend, AColumnTooManyIsDamageEvenWithTheRightValue) {
  const RunResult result = run_one(copy_columns<1>, keeping_columns(make_layout_case(2, 3), 1));
  ASSERT_TRUE(result.steps[0].damage.has_value());
  EXPECT_EQ(result.steps[0].damage->kind, Damage::Kind::kGap);
  EXPECT_EQ(result.steps[0].damage->tensor, Index::kOut);
  EXPECT_EQ(result.steps[0].damage->byte_offset, 8);
}

TEST(HostBackend, AnOutputWithoutAWrittenColumnIsThereAndComesBackEmpty) {
  const RunResult result = run_one(copy_columns<0>, keeping_columns(make_layout_case(2, 3), 3));
  EXPECT_EQ(result.steps[0].outputs[Index::kOut].size(), 0);
  EXPECT_FALSE(result.steps[0].damage.has_value());
}

TEST(HostBackend, TheCallCarriesEverythingTheContractNames) {
  Case c = make_layout_case(2, 0);
  c.forced_path = "somewhere";
  c.seed = 77;
  const auto run = [](void*, bytegate_call* call) -> int32_t {
    EXPECT_EQ(call->struct_bytes, sizeof(bytegate_call));
    EXPECT_STREQ(call->op, "layout");
    EXPECT_EQ(call->num_scalars, 1u);
    EXPECT_STREQ(call->scalars[0].name, "kept");
    EXPECT_EQ(call->scalars[0].value, 0);
    EXPECT_EQ(call->num_tensors, 3u);
    EXPECT_EQ(call->device.device_type, kDLCPU);
    EXPECT_EQ(call->stream, nullptr);
    EXPECT_EQ(call->workspace, nullptr);
    EXPECT_EQ(call->workspace_bytes, 0u);
    EXPECT_STREQ(call->forced_path, "somewhere");
    EXPECT_EQ(call->executor->seed, 77u);
    EXPECT_EQ(call->executor->max_switches, 1234u);
    EXPECT_EQ(call->executor->arch, 80);
    // Null if and only if there are no elements.
    EXPECT_EQ(call->tensors[0].tensor->data, nullptr);
    EXPECT_EQ(call->tensors[1].tensor->data, nullptr);
    EXPECT_NE(call->tensors[2].tensor->data, nullptr);
    EXPECT_EQ(call->tensors[0].tensor->byte_offset, 0u);
    call->path_taken = "nowhere";
    return BYTEGATE_OK;
  };
  const RunResult result = run_one(run, c, {.arch = 80, .max_switches = 1234});
  EXPECT_EQ(result.status, RunStatus::kDone);
  EXPECT_EQ(result.path, "nowhere");
}

TEST(HostBackend, EachStatusOfRunHasItsMeaning) {
  static int32_t status = BYTEGATE_OK;
  const auto run = [](void*, bytegate_call* call) -> int32_t {
    return CallReader(*call).report(status, "because");
  };
  const std::vector<std::pair<int32_t, RunStatus>> meanings = {
      {BYTEGATE_INVALID_ARGUMENT, RunStatus::kRefused},
      {BYTEGATE_UNSUPPORTED, RunStatus::kFailed},
      {BYTEGATE_LAUNCH_FAILED, RunStatus::kFailed},
      {BYTEGATE_FAULT, RunStatus::kFault},
      {BYTEGATE_HUNG, RunStatus::kHung},
      {99, RunStatus::kFailed}};
  for (const auto& [given, expect] : meanings) {
    status = given;
    const RunResult result = run_one(run, make_layout_case(1, 1));
    EXPECT_EQ(result.status, expect) << given;
    EXPECT_EQ(result.message, "because");
    EXPECT_THAT(result.steps, SizeIs(0));
  }
}

TEST(HostBackend, AMessageWithoutItsEndIsCut) {
  const auto run = [](void*, bytegate_call* call) -> int32_t {
    std::memset(call->message, 'x', call->message_bytes);
    return BYTEGATE_INVALID_ARGUMENT;
  };
  EXPECT_THAT(run_one(run, make_layout_case(1, 1)).message, Each('x'));
}

TEST(HostBackend, WhatIsDeclaredUnsupportedIsNotRun) {
  bytegate_candidate table = host_table("picky", [](void*, bytegate_call*) -> int32_t {
    ADD_FAILURE() << "it was run";
    return BYTEGATE_OK;
  });
  table.supports = [](void*, bytegate_call* call) -> int32_t {
    EXPECT_EQ(call->tensors[0].tensor->data, nullptr);
    EXPECT_EQ(call->tensors[0].tensor->shape[0], 2);
    return CallReader(*call).report(BYTEGATE_UNSUPPORTED, "not mine");
  };
  const RunResult result = run_all(table, {make_layout_case(2, 2)}).front();
  EXPECT_EQ(result.status, RunStatus::kUnsupported);
  EXPECT_EQ(result.message, "not mine");
}

TEST(HostBackend, TheWorkspaceIsAlignedPoisonedAndOnlyThereWhenAskedFor) {
  static std::vector<std::vector<unsigned char>> seen;
  seen.clear();
  bytegate_candidate table = host_table("worker", [](void*, bytegate_call* call) -> int32_t {
    EXPECT_EQ(call->workspace_bytes, 48u);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(call->workspace) % 16, 0u);
    const auto* bytes = static_cast<const unsigned char*>(call->workspace);
    seen.emplace_back(bytes, bytes + call->workspace_bytes);
    std::memset(call->workspace, 0, call->workspace_bytes);
    return copy(nullptr, call);
  });
  table.workspace_bytes = [](void*, bytegate_call*, uint64_t* bytes) -> int32_t {
    *bytes = 48;
    return BYTEGATE_OK;
  };
  Case c = make_layout_case(2, 2);
  c.later_steps.resize(1);
  const RunResult result = run_all(table, {c}).front();
  ASSERT_THAT(result.steps, SizeIs(2));
  EXPECT_FALSE(result.steps[0].damage.has_value());
  ASSERT_THAT(seen, SizeIs(2));
  for (size_t word = 0; word < 48; word += 4) {
    EXPECT_NE(std::memcmp(&seen[0][word], &seen[1][word], 4), 0) << word;
  }
}

TEST(HostBackend, StepsRunInOrderUntilOneFails) {
  Case c = make_layout_case(1, 2);
  for (const int32_t value : {50, 60}) {
    c.later_steps.push_back(
        {.changes = {{.tensor = Index::kIn,
                      .elements = Elements(std::vector<int32_t>{value, value + 1})}}});
  }
  const RunResult all = run_one(copy, c);
  ASSERT_THAT(all.steps, SizeIs(3));
  EXPECT_THAT(all.steps[1].outputs[Index::kOut].int32(), ElementsAre(50, 51));
  EXPECT_THAT(all.steps[2].outputs[Index::kOut].int32(), ElementsAre(60, 61));
  const auto fails_at_50 = [](void* state, bytegate_call* call) -> int32_t {
    CallReader reader(*call);
    if (*static_cast<int32_t*>(reader.tensor("in", 2, 32)->data) == 50) {
      return reader.report(BYTEGATE_FAULT, "fifty");
    }
    return copy(state, call);
  };
  const RunResult some = run_one(fails_at_50, c);
  EXPECT_EQ(some.status, RunStatus::kFault);
  EXPECT_THAT(some.steps, SizeIs(1));
}

TEST(HostBackend, CasesOfOneSpanDoNotInfluenceEachOther) {
  const std::vector<Case> cases = {make_layout_case(1, 1), make_layout_case(40, 50),
                                   make_layout_case(1, 1)};
  const auto results = run_all(host_table("copy", copy), cases);
  ASSERT_THAT(results, SizeIs(3));
  EXPECT_EQ(results[1].steps[0].outputs[Index::kOut].at(1999), 2000);
  EXPECT_EQ(results[0].steps[0].outputs, results[2].steps[0].outputs);
}

// Where a call fault cannot be expressed there is nothing to refuse.
RunResult run_fault(CallFault fault, const Case& valid) {
  Case c = valid;
  c.expect = Expect::kRefused;
  c.call_faults = {fault};
  return run_one(copy, c);
}

TEST(HostBackend, AFaultThatCannotBeExpressedIsVacuous) {
  const Case empty = make_layout_case(2, 0);
  const Case full = make_layout_case(2, 2);
  EXPECT_EQ(run_fault({.kind = CallFaultKind::kShortWorkspace}, full).status, RunStatus::kVacuous);
  EXPECT_EQ(run_fault({.kind = CallFaultKind::kNull, .tensor = Index::kIn}, empty).status,
            RunStatus::kVacuous);
  const CallFault overlap = {
      .kind = CallFaultKind::kOverlap, .tensor = Index::kWide, .other = Index::kIn};
  EXPECT_EQ(run_fault(overlap, empty).status, RunStatus::kVacuous);
  EXPECT_EQ(run_fault(overlap, full).status, RunStatus::kDone);
  // An output has elements even where none of them is written.
  const CallFault null_out = {.kind = CallFaultKind::kNull, .tensor = Index::kOut};
  Case none_written = keeping_columns(full, 2);
  none_written.expect = Expect::kRefused;
  none_written.call_faults = {null_out};
  const auto sees_null = [](void*, bytegate_call* call) -> int32_t {
    EXPECT_EQ(CallReader(*call).tensor("out", 2, 32)->data, nullptr);
    return CallReader(*call).report(BYTEGATE_INVALID_ARGUMENT, "null");
  };
  EXPECT_EQ(run_one(sees_null, none_written).status, RunStatus::kRefused);
}

TEST(HostBackend, MemoryThatIsNotThereIsSaidToBeExhausted) {
  // An output of 2^50 elements, which no input has to have.
  Case c = make_layout_case(0, 0);
  c.op = &layout_op();
  c.dims = {int64_t{1} << 50, 0};
  fit_tensors(c);
  const RunResult result = run_one(copy, c);
  EXPECT_EQ(result.status, RunStatus::kExhausted);
}

}  // namespace
}  // namespace bytegate
