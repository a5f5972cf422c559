#include "fuzz/sweep.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <map>

#include "oracles/paged_mqa_metadata.h"
#include "oracles/testing/temp_folder.h"
#include "properties/world_digits.h"

namespace bytegate {
namespace {

using ::testing::Each;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;

const OpProperties& properties() {
  return *find_properties(all_properties(), paged_mqa_metadata_op());
}

// At most one request of 0, 1, 256 or 257 tokens, num_sm 1..4.
Case tiny_case(WorldDigits& digits) {
  constexpr std::array<int32_t, 4> kLens = {0, 1, 256, 257};
  const int64_t num_sm = 1 + digits.next(4);
  std::vector<int32_t> lens;
  for (const int64_t idx : digits.list(4, 0, 1)) lens.push_back(kLens[static_cast<size_t>(idx)]);
  return make_paged_mqa_metadata_case(std::move(lens), num_sm);
}
const World kTiny = world_of<tiny_case>("tiny", "");

// One request; large enough for some parts.
Case row_case(WorldDigits& digits) {
  return make_paged_mqa_metadata_case({static_cast<int32_t>(digits.next(2000))}, 3);
}
const World kRows = world_of<row_case>("rows", "");

World without_cases() {
  World world = kTiny;
  world.num_cases = 0;
  return world;
}

PartSet all_of(const World& world) {
  return parts_of_shard(divide(world), {.first = 0, .count = 1});
}

// How often the source hands out each case: its only length.
std::map<int32_t, int> handed_out(Sweep& sweep) {
  std::map<int32_t, int> times;
  CaseSource source = sweep.source();
  while (std::optional<CaseBatch> batch = source()) {
    for (const Case& c : batch->make()) ++times[view_paged_mqa_metadata(c).context_lens[0]];
  }
  return times;
}

class SweepTest : public TempFolder {
 protected:
  [[nodiscard]] RunOptions options(const std::string& candidate = "production") const {
    RunOptions made;
    made.candidate = candidate;
    made.findings_dir = folder_.string();
    made.version = "1";
    return made;
  }
};

TEST(WorldParts, CoverTheWorldInWholeBatches) {
  const World& world = properties().worlds[0];
  const WorldParts parts = divide(world);
  EXPECT_EQ(parts.part_cases % parts.batch_cases, 0);
  EXPECT_LE(parts.num_parts(), kMaxWorldParts);
  EXPECT_GT(parts.num_parts(), kMaxWorldParts / 2);
  EXPECT_EQ(num_cases_of(parts, parts_of_shard(parts, {.first = 0, .count = 1})), 717056);
}

TEST(WorldParts, OfLargeCasesAreSmall) {
  const World& every_length = properties().worlds.back();
  ASSERT_EQ(every_length.name, "every-length");
  EXPECT_LE(divide(every_length).batch_cases, 8);
  EXPECT_LE(divide(every_length).part_cases, 21);
}

TEST(WorldParts, OfAWorldWithoutCasesAreNone) {
  EXPECT_EQ(divide(without_cases()).num_parts(), 0);
}

TEST(WorldParts, OfShardsAreDisjointAndTogetherAll) {
  const WorldParts parts = divide(properties().worlds[0]);
  for (const int64_t count : {1, 2, 7, 5000}) {
    PartSet together(parts.num_parts());
    int64_t num_cases = 0;
    for (int64_t first = 0; first < count; ++first) {
      const PartSet shard = parts_of_shard(parts, {.first = first, .count = count});
      num_cases += num_cases_of(parts, shard);
      together.add_all(shard);
    }
    EXPECT_EQ(num_cases, parts.num_cases) << count;
    EXPECT_EQ(num_cases_of(parts, together), parts.num_cases) << count;
  }
}

TEST(SweepSource, HandsOutEachCaseOfTheWorldOnce) {
  Sweep sweep({.world = &kRows, .wanted = all_of(kRows), .passed = {}});
  const auto times = handed_out(sweep);
  EXPECT_THAT(times, SizeIs(2000));
  EXPECT_THAT(times, Each(Pair(::testing::_, 1)));
}

TEST(SweepSource, HandsOutNothingThatPassedBefore) {
  const WorldParts parts = divide(kRows);
  PartSet passed(parts.num_parts());
  passed.add(1);
  Sweep sweep({.world = &kRows, .wanted = all_of(kRows), .passed = passed});
  const auto times = handed_out(sweep);
  EXPECT_THAT(times, SizeIs(static_cast<size_t>(2000 - parts.cases_of(1))));
  EXPECT_EQ(times.count(static_cast<int32_t>(parts.first_case(1))), 0U);
}

TEST(SweepSource, StopsAtTheDeadlineAndSaysSo) {
  Sweep sweep(
      {.world = &kRows, .wanted = all_of(kRows), .passed = {}, .deadline = Sweep::Clock::now()});
  EXPECT_THAT(handed_out(sweep), IsEmpty());
  EXPECT_TRUE(sweep.out_of_time());
}

TEST_F(SweepTest, EveryCaseOfAWorldPasses) {
  int num_kept = 0;
  PartSet kept;
  Sweep sweep({.world = &kRows,
               .wanted = all_of(kRows),
               .passed = {},
               .keep = [&](const PartSet& passed) -> std::optional<std::string> {
                 ++num_kept;
                 kept = passed;
                 return std::nullopt;
               }});
  const RunOutcome outcome = run(properties(), sweep.source(), options());
  EXPECT_EQ(sweep.num_judged(), 2000);
  EXPECT_EQ(outcome.tally.by_source.at("world rows").passed, 2000);
  EXPECT_EQ(outcome.generated.all.passed, 0);
  sweep.finish();
  EXPECT_GE(num_kept, 1);
  EXPECT_EQ(kept, all_of(kRows));
  EXPECT_THAT(files(), IsEmpty()) << "the cases can be made again, and need no journal";
}

// A remainder of r in num_sm goes to the first SMs: wrong wherever r > 0. One split (of 1 or 256
// tokens) leaves one on 2, 3 and 4 SMs; two splits (257) leave two on 3 and 4. That is 3 + 3 + 2;
// nothing can be wrong with no work.
TEST_F(SweepTest, APlantedFlawIsSeenInExactlyTheCasesThatItTouches) {
  Sweep sweep({.world = &kTiny, .wanted = all_of(kTiny), .passed = {}});
  const RunOutcome outcome = run(properties(), sweep.source(), options(BYTEGATE_SCHEDULE_WRONG));
  EXPECT_EQ(sweep.num_judged(), 20);
  EXPECT_EQ(outcome.tally.all.failed, 8);
  EXPECT_EQ(outcome.tally.all.passed, 12);
  ASSERT_THAT(outcome.findings, SizeIs(1));
  EXPECT_EQ(outcome.findings[0].verdict.origin, "mismatch:schedule_metadata");
  EXPECT_EQ(outcome.findings[0].source, "world tiny");
  EXPECT_EQ(outcome.findings[0].num_failures, 8);
  EXPECT_THAT(files(), SizeIs(1));
}

TEST_F(SweepTest, APartWithAFailureDoesNotCountAsPassed) {
  Sweep sweep({.world = &kTiny, .wanted = all_of(kTiny), .passed = {}});
  run(properties(), sweep.source(), options(BYTEGATE_SCHEDULE_WRONG));
  EXPECT_EQ(num_cases_of(sweep.parts(), sweep.passed()), 0);
}

TEST_F(SweepTest, WhatCannotBeKeptIsSaid) {
  Sweep sweep({.world = &kTiny, .wanted = all_of(kTiny), .passed = {}, .keep = [](const PartSet&) {
                 return std::optional<std::string>("no room");
               }});
  run(properties(), sweep.source(), options());
  sweep.finish();
  EXPECT_EQ(sweep.keep_error(), "no room");
}

TEST_F(SweepTest, ARunThatIsStoppedHasJudgedFewerCases) {
  RunOptions stopping = options();
  int num_asked = 0;
  stopping.stop = [&] { return ++num_asked > 2; };
  Sweep sweep({.world = &kRows, .wanted = all_of(kRows), .passed = {}});
  EXPECT_TRUE(run(properties(), sweep.source(), stopping).stopped);
  EXPECT_EQ(sweep.num_judged(), 2 * sweep.parts().batch_cases);
}

}  // namespace
}  // namespace bytegate
