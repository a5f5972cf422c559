// The production kernels and the baseline on the SIMT executor, against tables worked out by hand.
#include "kernels/paged_mqa_metadata.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/backend.h"
#include "kernels/testing/candidates.h"
#include "kernels/testing/schedule_op.h"

namespace bytegate {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;

RunResult run(const std::string& candidate_name, const Case& c) {
  const auto candidate = open_builtin(candidate_name);
  const auto backend = make_host_backend({});
  return backend->submit(*candidate, {&c, 1})->collect().front();
}

std::vector<int32_t> table_of(const RunResult& result) {
  EXPECT_EQ(result.status, RunStatus::kDone) << result.message;
  if (result.steps.size() != 1) return {};
  EXPECT_FALSE(result.steps[0].damage.has_value());
  EXPECT_TRUE(result.steps[0].untouched[1].empty());
  const auto values = result.steps[0].outputs[1].int32();
  return {values.begin(), values.end()};
}

struct HandWorked {
  ScheduleCall call;
  std::vector<int32_t> table;
};

std::vector<HandWorked> hand_worked_cases() {
  return {
      {{{64}, 2}, {0, 0, 0, 0, 1, 0}},
      {{{64}, 2, Remainder::kFirst}, {0, 0, 1, 0, 1, 0}},
      // W = 2, 3; S = 5; shares 1, 2, 2 and 2, 2, 1.
      {{{512, 513}, 3}, {0, 0, 0, 1, 1, 1, 2, 0}},
      {{{512, 513}, 3, Remainder::kFirst}, {0, 0, 1, 0, 1, 2, 2, 0}},
      // W = 1, 0, 3; shares 1, 1, 2.
      {{{128, 0, 768}, 3}, {0, 0, 2, 0, 2, 1, 3, 0}},
      {{{0, 1}, 4}, {1, 0, 1, 0, 1, 0, 1, 0, 2, 0}},
      {{{0, 0}, 2}, {2, 0, 2, 0, 2, 0}},
      {{{}, 2}, {0, 0, 0, 0, 0, 0}},
      {{{256, 257}, 1}, {0, 0, 2, 0}},
      {{{256, 257}, 3}, {0, 0, 1, 0, 1, 1, 2, 0}},
  };
}

class HandWorkedSchedule : public ::testing::TestWithParam<const char*> {};

TEST_P(HandWorkedSchedule, IsWhatThisPathGives) {
  for (const HandWorked& worked : hand_worked_cases()) {
    Case c = make_schedule_case(worked.call);
    c.forced_path = GetParam();
    const RunResult result = run("production", c);
    EXPECT_THAT(table_of(result), ElementsAreArray(worked.table));
    EXPECT_EQ(result.path, GetParam());
  }
}

INSTANTIATE_TEST_SUITE_P(PagedMqaMetadata, HandWorkedSchedule,
                         ::testing::Values("tiny", "small", "multi_block"),
                         [](const auto& path) { return std::string(path.param); });

TEST(PagedMqaMetadata, TheBaselineGivesTheHandWorkedSchedules) {
  for (const HandWorked& worked : hand_worked_cases()) {
    const RunResult result = run("baseline", make_schedule_case(worked.call));
    EXPECT_THAT(table_of(result), ElementsAreArray(worked.table));
    EXPECT_EQ(result.path, "baseline");
  }
}

TEST(PagedMqaMetadata, ThePathFollowsFromTheNumberOfRows) {
  const std::vector<std::pair<size_t, std::string>> paths = {
      {0, "tiny"},     {1, "tiny"},           {64, "tiny"},         {65, "small"},
      {2048, "small"}, {2049, "multi_block"}, {4097, "multi_block"}};
  for (const auto& [num_rows, path] : paths) {
    const Case c = make_schedule_case({.lens = std::vector<int32_t>(num_rows, 1), .num_sm = 2});
    EXPECT_EQ(run("production", c).path, path) << num_rows;
  }
}

TEST(PagedMqaMetadata, TotalsBeyond32BitsAreExactOnEveryPathThatTakesThem) {
  // 2048 rows of 2^23 splits: three SMs get 5726623061 each, and one split is left for the last.
  Case c = make_schedule_case({.lens = std::vector<int32_t>(2048, INT32_MAX), .num_sm = 3});
  for (const char* path : {"small", "multi_block"}) {
    c.forced_path = path;
    EXPECT_THAT(table_of(run("production", c)),
                ElementsAre(0, 0, 682, 5592405, 1365, 2796202, 2048, 0));
  }
}

TEST(PagedMqaMetadata, MoreRowsThanBlocksTimesTilesAreDealt) {
  // 2^23 rows of one split are 2048 tiles for 1024 blocks.
  constexpr int32_t kRows = 1 << 23;
  static_assert(num_tiles(kRows) == 2 * kMaxTileBlocks);
  static_assert(num_tile_blocks(kRows) == kMaxTileBlocks);
  static_assert(num_tile_blocks(kRows + 1) == (num_tiles(kRows) + 3) / 3);
  const Case c = make_schedule_case({.lens = std::vector<int32_t>(kRows, 7), .num_sm = 4});
  EXPECT_THAT(table_of(run("production", c)),
              ElementsAre(0, 0, kRows / 4, 0, kRows / 2, 0, kRows / 4 * 3, 0, kRows, 0));
}

TEST(PagedMqaMetadata, TheOrderOfLanesAndBlocksChangesNoByte) {
  std::vector<int32_t> lens(4097);
  for (size_t row = 0; row < lens.size(); ++row) {
    lens[row] = static_cast<int32_t>(row * 2654435761u % 100000);
  }
  for (const int64_t num_sm : {int64_t{1}, int64_t{132}, kMaxNumSm}) {
    Case c = make_schedule_case({.lens = lens, .num_sm = num_sm});
    const std::vector<int32_t> expect = table_of(run("production", c));
    for (uint64_t seed = 1; seed <= 6; ++seed) {
      c.seed = seed * 0x9e3779b97f4a7c15ULL;
      EXPECT_EQ(table_of(run("production", c)), expect) << c.seed;
    }
  }
}

}  // namespace
}  // namespace bytegate
