// Red zones between the sections of one workspace: what a candidate names, and what is made of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

#include "kernels/builtin_candidate.h"
#include "kernels/call_frame.h"
#include "kernels/call_reader.h"
#include "kernels/testing/candidates.h"
#include "kernels/testing/dsa_op.h"
#include "kernels/testing/layout_op.h"

namespace bytegate {
namespace {

using ::testing::Each;
using ::testing::Ge;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr DLDevice kHostDevice = {kDLCPU, 0};
constexpr uint64_t kWorkspaceBytes = 256;
using Section = bytegate_workspace_section;
// Two with room after each, the first one odd.
constexpr std::array<Section, 2> kSections = {Section{"counts", 0, 28}, Section{"ends", 128, 64}};

// What a candidate says of its workspace, and where `run` writes one int32 beside its sections.
struct Asked {
  std::vector<Section> sections;
  uint64_t num_sections = 0;
  int64_t write_at = -1;
};

// The one scalar of the operation carries its address.
const Asked& asked_of(const bytegate_call* call) {
  return *reinterpret_cast<const Asked*>(static_cast<intptr_t>(call->scalars[0].value));
}

int32_t answer(void*, bytegate_call* call, uint64_t* bytes) {
  const Asked& asked = asked_of(call);
  *bytes = kWorkspaceBytes;
  for (size_t i = 0; i < asked.sections.size() && i < call->max_sections; ++i) {
    call->sections[i] = asked.sections[i];
  }
  call->num_sections = asked.num_sections;
  return BYTEGATE_OK;
}

int32_t write(void*, bytegate_call* call) {
  const Asked& asked = asked_of(call);
  auto* workspace = static_cast<std::byte*>(call->workspace);
  for (const Section& section : asked.sections) {
    std::memset(workspace + section.offset, 1, section.bytes);
  }
  if (asked.write_at >= 0) std::memset(workspace + asked.write_at, 2, sizeof(int32_t));
  return BYTEGATE_OK;
}

RunResult run(const Asked& asked) {
  bytegate_candidate table = host_table("sections", write);
  table.workspace_bytes = answer;
  const auto candidate = open_candidate(table);
  Case c = make_layout_case(1, 1);
  c.scalars[0] = static_cast<int64_t>(reinterpret_cast<intptr_t>(&asked));
  const std::vector<Case> cases = {c};
  return make_host_backend({})->submit(*candidate, cases)->collect().front();
}

RunResult run_sections(int64_t write_at) {
  return run({.sections = {kSections.begin(), kSections.end()},
              .num_sections = kSections.size(),
              .write_at = write_at});
}

std::string error_of(std::vector<Section> sections) {
  const uint64_t count = sections.size();
  const RunResult result = run({.sections = std::move(sections), .num_sections = count});
  EXPECT_EQ(result.status, RunStatus::kFailed);
  return result.message;
}

TEST(WorkspaceSections, AnElementPastEachIsDamageToTheWorkspace) {
  for (const Section& section : kSections) {
    const int64_t end = static_cast<int64_t>(section.offset + section.bytes);
    const RunResult result = run_sections(end);
    ASSERT_THAT(result.steps, SizeIs(1));
    ASSERT_TRUE(result.steps[0].damage.has_value()) << section.name;
    EXPECT_EQ(result.steps[0].damage->tensor, -1);
    EXPECT_EQ(result.steps[0].damage->byte_offset, end);
  }
}

TEST(WorkspaceSections, AnElementBeforeTheSecondIsDamage) {
  const RunResult result = run_sections(124);
  ASSERT_THAT(result.steps, SizeIs(1));
  ASSERT_TRUE(result.steps[0].damage.has_value());
  EXPECT_EQ(result.steps[0].damage->byte_offset, 124);
}

TEST(WorkspaceSections, TheirOwnBytesMayChange) {
  for (const int64_t write_at : {-1, 0, 24, 128, 188}) {
    const RunResult result = run_sections(write_at);
    ASSERT_THAT(result.steps, SizeIs(1));
    EXPECT_FALSE(result.steps[0].damage.has_value()) << write_at;
  }
}

TEST(WorkspaceSections, WithoutThemTheWholeWorkspaceMayChange) {
  for (const int64_t write_at : {0, 28, 124, 252}) {
    const RunResult result = run({.write_at = write_at});
    ASSERT_THAT(result.steps, SizeIs(1));
    EXPECT_FALSE(result.steps[0].damage.has_value()) << write_at;
  }
}

TEST(WorkspaceSections, WhatCannotBeIsAnErrorThatNamesIt) {
  EXPECT_EQ(error_of({{"a", 0, 64}, {"b", 60, 8}}), "sections a and b of the workspace overlap");
  EXPECT_EQ(error_of({{"b", 60, 8}, {"a", 0, 64}}), "sections a and b of the workspace overlap");
  EXPECT_THAT(error_of({{"a", 0, 64}, {"b", 200, 57}}), HasSubstr("section b at 200 of 57 bytes"));
  EXPECT_THAT(error_of({{"a", UINT64_MAX, 2}}), HasSubstr("reaches beyond the workspace of 256"));
  EXPECT_THAT(error_of({{"a", 8, UINT64_MAX}}), HasSubstr("reaches beyond the workspace of 256"));
  EXPECT_EQ(error_of({{nullptr, 0, 8}}), "section 0 has no name");
  for (const uint64_t count : {uint64_t{kMaxSections + 1}, UINT64_MAX}) {
    EXPECT_THAT(run({.num_sections = count}).message, HasSubstr("there is room for 64"));
  }
}

TEST(WorkspaceSections, OneWithoutBytesIsNowhere) {
  const RunResult result = run({.sections = {{"a", 0, 64}, {"none", 32, 0}}, .num_sections = 2});
  EXPECT_EQ(result.status, RunStatus::kDone);
}

TEST(WorkspaceSections, AnOlderCallerIsNotAnswered) {
  std::array<Section, 1> room{};
  bytegate_call call{};
  call.struct_bytes = offsetof(bytegate_call, sections);
  call.sections = room.data();
  call.max_sections = 1;
  CallReader(call).add_section({"a", 0, 8});
  EXPECT_EQ(call.num_sections, 0U);
  call.struct_bytes = sizeof call;
  CallReader(call).add_section({"a", 0, 8});
  EXPECT_EQ(call.num_sections, 1U);
  // With more than there is room for, none is named: the rest would be taken for a red zone.
  CallReader(call).add_section({"b", 8, 8});
  EXPECT_EQ(call.num_sections, 0U);
}

CallSize size_of(const DsaTestCall& call) {
  return query_call(*open_builtin("production"), make_dsa_call(call), kHostDevice);
}

// Bytes between each section and the next one.
std::vector<size_t> red_zones(const CallSize& size) {
  std::vector<size_t> zones;
  for (size_t i = 1; i < size.sections.size(); ++i) {
    const WorkspaceSection& before = size.sections[i - 1];
    zones.push_back(size.sections[i].offset - before.offset - before.bytes);
  }
  return zones;
}

TEST(WorkspaceSections, TheEagerChainLeavesARedZoneBetweenAllOfThem) {
  for (const DsaMode mode : {DsaMode::kDecode, DsaMode::kTargetVerify, DsaMode::kDraftExtend}) {
    const CallSize size = size_of({.mode = mode, .forced_path = "eager"});
    EXPECT_EQ(size.status, BYTEGATE_OK) << size.message;
    EXPECT_THAT(size.sections, SizeIs(7));
    EXPECT_THAT(red_zones(size), Each(Ge(64U)));
  }
  EXPECT_THAT(size_of({.forced_path = "fused"}).sections, IsEmpty());
  const CallSize none = size_of({.num_requests = 0, .forced_path = "eager"});
  EXPECT_EQ(none.workspace_bytes, 0U);
}

TEST(WorkspaceSections, TheRefreshLeavesOneBeforeItsSchedule) {
  const CallSize size =
      size_of({.entry = DsaEntry::kRefresh, .num_requests = 5000, .forced_path = "eager"});
  ASSERT_EQ(size.status, BYTEGATE_OK) << size.message;
  ASSERT_THAT(size.sections, SizeIs(8));
  EXPECT_EQ(size.sections.back().name, "tile_sums");
  EXPECT_EQ(size.sections.back().bytes, 16U);
  EXPECT_THAT(red_zones(size), Each(Ge(64U)));
}

}  // namespace
}  // namespace bytegate
