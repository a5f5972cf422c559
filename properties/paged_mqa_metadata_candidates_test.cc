// The candidates for `paged_mqa_metadata` on the host backend, judged by the oracle.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "kernels/testing/candidates.h"
#include "kernels/testing/schedule_candidates.h"
#include "oracles/paged_mqa_metadata.h"
#include "properties/check.h"
#include "properties/paged_mqa_metadata.h"

namespace bytegate {
namespace {

using Index = PagedMqaMetadataIndex;

std::vector<Verdict> check_with(Candidate& candidate, const std::vector<Case>& cases) {
  const auto backend = make_host_backend({});
  return check(cases, candidate, *backend, paged_mqa_metadata_properties());
}

void expect_pass(Candidate& candidate, const std::vector<Case>& cases) {
  const std::vector<Verdict> verdicts = check_with(candidate, cases);
  ASSERT_EQ(verdicts.size(), cases.size());
  for (size_t i = 0; i < cases.size(); ++i) {
    EXPECT_TRUE(verdicts[i].passed())
        << describe(verdicts[i]) << " with B = " << cases[i].dims[0]
        << ", num_sm = " << cases[i].scalars[Index::kNumSm] << ", seed = " << cases[i].seed;
  }
}

// Lengths that are neither equal nor multiples of a split, every seventh of them 0.
std::vector<int32_t> uneven_lens(size_t num_rows) {
  std::vector<int32_t> lens(num_rows);
  for (size_t row = 0; row < num_rows; ++row) {
    lens[row] = row % 7 == 3 ? 0 : static_cast<int32_t>(row * 2654435761u % 70001);
  }
  return lens;
}

std::vector<Case> boundary_cases() {
  std::vector<Case> cases;
  for (const size_t num_rows : {0, 1, 64, 65, 2048, 2049, 4096, 4097}) {
    for (const int64_t num_sm : {int64_t{1}, int64_t{132}, kMaxNumSm}) {
      for (const Remainder remainder : {Remainder::kLast, Remainder::kFirst}) {
        cases.push_back(make_paged_mqa_metadata_case(uneven_lens(num_rows), num_sm, remainder));
      }
    }
  }
  return cases;
}

// Totals of 2^34 and 2^40 splits.
std::vector<Case> longest_cases() {
  return {make_paged_mqa_metadata_case(std::vector<int32_t>(2048, INT32_MAX), 132),
          make_paged_mqa_metadata_case(std::vector<int32_t>(131072, INT32_MAX), 132)};
}

TEST(PagedMqaMetadataCandidates, ProductionIsRightAtEveryBoundaryOfItsPaths) {
  expect_pass(*open_builtin("production"), boundary_cases());
}

TEST(PagedMqaMetadataCandidates, TheBaselineIsRightAtEveryBoundary) {
  expect_pass(*open_builtin("baseline"), boundary_cases());
}

TEST(PagedMqaMetadataCandidates, EveryPathIsRightForEveryNumberOfRowsItTakes) {
  std::vector<Case> cases;
  for (Case c : boundary_cases()) {
    for (const char* path : {"tiny", "small", "multi_block"}) {
      if (std::string_view(path) == "tiny" && c.dims[0] > 64) continue;
      if (std::string_view(path) == "small" && c.dims[0] > 2048) continue;
      c.forced_path = path;
      cases.push_back(c);
    }
  }
  const auto production = open_builtin("production");
  expect_pass(*production, cases);
  const std::vector<Verdict> verdicts = check_with(*production, cases);
  for (size_t i = 0; i < cases.size(); ++i) EXPECT_EQ(verdicts[i].path, cases[i].forced_path);
}

TEST(PagedMqaMetadataCandidates, TotalsBeyond32BitsPass) {
  expect_pass(*open_builtin("production"), longest_cases());
  expect_pass(*open_builtin("baseline"), longest_cases());
}

TEST(PagedMqaMetadataCandidates, ATotalIn32BitsIsCaughtThereAndNowhereElse) {
  const auto narrow = open_candidate(narrow_total_candidate());
  expect_pass(*narrow, boundary_cases());
  for (const Verdict& verdict : check_with(*narrow, longest_cases())) {
    EXPECT_EQ(verdict.origin, "mismatch:schedule_metadata") << describe(verdict);
  }
}

TEST(PagedMqaMetadataCandidates, NoOrderOfLanesAndBlocksChangesAByte) {
  std::vector<Case> cases;
  for (const size_t num_rows : {33, 700, 9000}) {
    for (uint64_t seed = 1; seed <= 8; ++seed) {
      cases.push_back(
          make_paged_mqa_metadata_case(uneven_lens(num_rows), static_cast<int64_t>(7 + seed)));
      cases.back().seed = seed << 32 | seed;
    }
  }
  expect_pass(*open_builtin("production"), cases);
  expect_pass(*open_builtin("baseline"), cases);
}

TEST(PagedMqaMetadataCandidates, StepsOfOtherLengthsPass) {
  Case c = make_paged_mqa_metadata_case(uneven_lens(5000), 132);
  std::vector<int32_t> reversed = uneven_lens(5000);
  std::reverse(reversed.begin(), reversed.end());
  c.later_steps = {
      {.changes = {{.tensor = Index::kContextLens, .elements = Elements(reversed)}}},
      {.changes = {{.tensor = Index::kContextLens, .elements = Elements(DType::kInt32, 5000)}}}};
  expect_pass(*open_builtin("production"), {c});
}

// ---- refusals, and the examples

Case refused(Case c) {
  c.expect = Expect::kRefused;
  return c;
}

std::vector<Case> refused_cases() {
  const Case valid = make_paged_mqa_metadata_case(uneven_lens(5000), 3);
  std::vector<Case> cases;
  const auto with_scalar = [&](int scalar, int64_t value) {
    Case c = valid;
    c.scalars[static_cast<size_t>(scalar)] = value;
    fit_tensors(c);
    cases.push_back(refused(c));
  };
  for (const int64_t value : {0, -1, 1025}) with_scalar(Index::kNumSm, value);
  for (const int64_t value : {0, 32, 128}) with_scalar(Index::kPageSize, value);
  for (const int64_t value : {-1, 2}) with_scalar(Index::kRemainder, value);
  const auto with_fault = [&](CallFault fault) {
    Case c = valid;
    c.call_faults = {fault};
    cases.push_back(refused(c));
  };
  with_fault({.kind = CallFaultKind::kNull, .tensor = Index::kContextLens});
  with_fault({.kind = CallFaultKind::kNull, .tensor = Index::kScheduleMetadata});
  with_fault({.kind = CallFaultKind::kOverlap,
              .tensor = Index::kScheduleMetadata,
              .other = Index::kContextLens});
  with_fault({.kind = CallFaultKind::kOverlap,
              .tensor = Index::kContextLens,
              .other = Index::kScheduleMetadata});
  return cases;
}

Case short_workspace() {
  Case c = make_paged_mqa_metadata_case(uneven_lens(5000), 3);
  c.call_faults = {{.kind = CallFaultKind::kShortWorkspace}};
  return refused(c);
}

TEST(PagedMqaMetadataCandidates, ProductionAndBaselineRefuseEveryInvalidCall) {
  std::vector<Case> cases = refused_cases();
  cases.push_back(short_workspace());
  expect_pass(*open_builtin("production"), cases);
  expect_pass(*open_builtin("baseline"), cases);
}

TEST(ScheduleExamples, TheRightOnePassesAndRefusesWhatItMust) {
  const auto right = load_candidate(BYTEGATE_SCHEDULE_RIGHT);
  expect_pass(*right, boundary_cases());
  expect_pass(*right, longest_cases());
  expect_pass(*right, refused_cases());
  // It has no workspace that could be too short.
  EXPECT_EQ(check_with(*right, {short_workspace()})[0].kind, VerdictKind::kVacuous);
}

TEST(ScheduleExamples, TheWrongOneIsCaughtWhereTheRemainderIsLast) {
  const auto wrong = load_candidate(BYTEGATE_SCHEDULE_WRONG);
  const Case last = make_paged_mqa_metadata_case({1}, 2);
  const Case first = make_paged_mqa_metadata_case({1}, 2, Remainder::kFirst);
  const auto verdicts = check_with(*wrong, {last, first});
  EXPECT_EQ(describe(verdicts[0]),
            "mismatch:schedule_metadata at schedule_metadata[1, 0]: expect 0, actual 1 (1 of 6 "
            "differ)");
  EXPECT_TRUE(verdicts[1].passed()) << describe(verdicts[1]);
  expect_pass(*wrong, refused_cases());
}

TEST(ScheduleExamples, BothTakeNoOtherOperation) {
  static const Op other = [] {
    Op op = paged_mqa_metadata_op();
    op.name = "another";
    return op;
  }();
  OpProperties properties = paged_mqa_metadata_properties();
  properties.op = &other;
  Case c = make_paged_mqa_metadata_case({1}, 2);
  c.op = &other;
  const auto backend = make_host_backend({});
  for (const char* path : {BYTEGATE_SCHEDULE_RIGHT, BYTEGATE_SCHEDULE_WRONG}) {
    const auto example = load_candidate(path);
    EXPECT_EQ(check({&c, 1}, *example, *backend, properties)[0].kind, VerdictKind::kUnsupported);
  }
}

}  // namespace
}  // namespace bytegate
