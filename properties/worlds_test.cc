// The small worlds: what they hold, and that their numbering is one to one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "oracles/case_text.h"
#include "oracles/dsa_metadata.h"
#include "oracles/paged_mqa_metadata.h"
#include "properties/op_properties.h"
#include "properties/world_digits.h"

namespace bytegate {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const World& world_named(const Op& op, std::string_view name) {
  const auto& worlds = find_properties(all_properties(), op)->worlds;
  const auto found = std::find_if(worlds.begin(), worlds.end(),
                                  [&](const World& world) { return world.name == name; });
  EXPECT_NE(found, worlds.end()) << name;
  return *found;
}

std::vector<int32_t> lens_of(const Case& c) {
  const auto lens = view_paged_mqa_metadata(c).context_lens;
  return {lens.begin(), lens.end()};
}

int64_t num_sm_of(const Case& c) {
  return view_paged_mqa_metadata(c).num_sm;
}

// Case of two digits and a list.
Case digits_case(WorldDigits& digits) {
  Case c;
  c.scalars = {digits.next(3), digits.next(2)};
  c.dims = digits.list(2, 1, 2);
  return c;
}

TEST(WorldDigits, NumberEachCombinationOnceTheFirstDigitTurningFastest) {
  const World world = world_of<digits_case>("digits", "");
  // Lists of one or two bits: 2 + 4.
  ASSERT_EQ(world.num_cases, 3 * 2 * 6);
  std::set<std::pair<std::vector<int64_t>, std::vector<int64_t>>> seen;
  for (int64_t idx = 0; idx < world.num_cases; ++idx) {
    const Case c = world.case_at(idx);
    EXPECT_TRUE(seen.emplace(c.scalars, c.dims).second) << idx;
  }
  EXPECT_THAT(world.case_at(1).scalars, ElementsAre(1, 0));
  EXPECT_THAT(world.case_at(0).dims, ElementsAre(0));
  EXPECT_THAT(world.case_at(2 * 6).dims, ElementsAre(0, 0));
  EXPECT_THAT(world.case_at(3 * 6).dims, ElementsAre(0, 1));
}

TEST(WorldDigits, KnowAnIndexThatIsNotAmongThem) {
  WorldDigits last(35);
  digits_case(last);
  EXPECT_TRUE(last.used_up());
  WorldDigits beyond(36);
  digits_case(beyond);
  EXPECT_FALSE(beyond.used_up());
}

TEST(WorldDigits, GiveTheEmptyListWhereItIsAllowed) {
  WorldDigits first(0);
  EXPECT_THAT(first.list(7, 0, 4), IsEmpty());
  EXPECT_EQ(first.num_numbers(), 2801) << "1 + 7 + 49 + 343 + 2401";
}

TEST(ScheduleWorlds, HoldAsManyCasesAsTheirDescriptionsSay) {
  const Op& op = paged_mqa_metadata_op();
  EXPECT_EQ(world_named(op, "batches-4").num_cases, 717056);
  EXPECT_EQ(world_named(op, "batches-3-first").num_cases, 400 * 256);
  EXPECT_EQ(world_named(op, "forced-paths").num_cases, 57 * 256 * 2 * 2);
  EXPECT_EQ(world_named(op, "shapes-200").num_cases, 204800);
  EXPECT_EQ(world_named(op, "batches-6").num_cases, 140551168);
  EXPECT_EQ(world_named(op, "every-length").num_cases, 16384);
}

TEST(ScheduleWorlds, BeginWithTheEmptyBatchAndEndWithTheLongestRequests) {
  const World& world = world_named(paged_mqa_metadata_op(), "batches-4");
  EXPECT_THAT(lens_of(world.case_at(0)), IsEmpty());
  EXPECT_EQ(num_sm_of(world.case_at(0)), 1);
  EXPECT_EQ(num_sm_of(world.case_at(255)), 256);
  EXPECT_THAT(lens_of(world.case_at(256)), ElementsAre(0));
  EXPECT_THAT(lens_of(world.case_at(int64_t{256} * 8)), ElementsAre(0, 0));
  const Case last = world.case_at(world.num_cases - 1);
  EXPECT_THAT(lens_of(last), ElementsAre(INT32_MAX, INT32_MAX, INT32_MAX, INT32_MAX));
  EXPECT_EQ(num_sm_of(last), 256);
}

TEST(ScheduleWorlds, HoldEveryBatchWithEveryNumberOfMultiprocessorsOnce) {
  for (const char* name : {"batches-4", "batches-3-first"}) {
    const World& world = world_named(paged_mqa_metadata_op(), name);
    std::set<std::vector<int32_t>> batches;
    for (int64_t idx = 0; idx < world.num_cases; idx += 256) {
      const Case c = world.case_at(idx);
      EXPECT_EQ(num_sm_of(c), 1);
      EXPECT_TRUE(batches.insert(lens_of(c)).second) << idx;
    }
    EXPECT_EQ(static_cast<int64_t>(batches.size()) * 256, world.num_cases);
  }
}

TEST(ScheduleWorlds, HoldTwoHundredDistinctShapes) {
  const World& world = world_named(paged_mqa_metadata_op(), "shapes-200");
  std::set<std::vector<int32_t>> shapes;
  for (int64_t idx = 0; idx < world.num_cases; idx += 1024) {
    shapes.insert(lens_of(world.case_at(idx)));
    EXPECT_EQ(num_sm_of(world.case_at(idx + 1023)), 1024);
  }
  EXPECT_EQ(shapes.size(), 200U);
}

TEST(ScheduleWorlds, HoldEachLengthOnceInBatchesThatFollowEachOther) {
  const World& world = world_named(paged_mqa_metadata_op(), "every-length");
  int64_t next = 0;
  for (const int64_t idx : {0, 1, 2, 16383}) {
    if (idx == 16383) next = int64_t{INT32_MAX} + 1 - 131072;
    for (const int32_t len : lens_of(world.case_at(idx))) ASSERT_EQ(len, next++);
  }
  EXPECT_EQ(next, int64_t{INT32_MAX} + 1);
}

// How far apart the cases of a world are that a test looks at: all of a small one.
int64_t step_for(const World& world) {
  constexpr int64_t kMostLookedAt = 3000;
  // Odd and not a multiple of 3, so that every digit turns.
  int64_t step = world.num_cases / kMostLookedAt;
  while (step > 1 && (step % 2 == 0 || step % 3 == 0)) ++step;
  return std::max<int64_t>(step, 1);
}

TEST(Worlds, HoldNoCaseTwiceAndOnlyValidOnes) {
  for (const OpProperties& properties : all_properties()) {
    std::set<std::string_view> names;
    for (const World& world : properties.worlds) {
      EXPECT_TRUE(names.insert(world.name).second) << world.name;
      const std::string where = std::string(properties.op->name) + " " + std::string(world.name);
      ASSERT_GT(world.num_cases, 0) << where;
      if (world.name == "every-length") continue;  // has a test of its own, and large cases
      std::set<std::string> texts;
      int64_t num_looked_at = 0;
      for (int64_t idx = 0; idx < world.num_cases; idx += step_for(world)) {
        const Case c = world.case_at(idx);
        ASSERT_EQ(c.op, properties.op) << where;
        ASSERT_EQ(invalid_reason(c).value_or(""), "") << where << " " << idx << "\n"
                                                      << write_case(c);
        texts.insert(write_case(c));
        ++num_looked_at;
      }
      EXPECT_EQ(static_cast<int64_t>(texts.size()), num_looked_at) << where;
      EXPECT_EQ(invalid_reason(world.case_at(world.num_cases - 1)).value_or(""), "") << where;
    }
  }
}

TEST(Worlds, OfAllOperationsThatAHostSweepsHoldTwoMillionCases) {
  int64_t num_cases = 0;
  for (const OpProperties& properties : all_properties()) {
    EXPECT_FALSE(properties.worlds.empty()) << properties.op->name;
    for (const World& world : properties.worlds) num_cases += world.large ? 0 : world.num_cases;
  }
  EXPECT_GE(num_cases, 2000000);
}

// The numbering of these is the same in all of their operations; here every single case is told
// from every other.
TEST(Worlds, OfOneOperationHoldEachCaseOnceThroughout) {
  for (const char* name : {"lengths", "schedules"}) {
    const World& world = world_named(dsa_decode_refresh_op(), name);
    std::set<std::string> texts;
    for (int64_t idx = 0; idx < world.num_cases; ++idx)
      texts.insert(write_case(world.case_at(idx)));
    EXPECT_EQ(static_cast<int64_t>(texts.size()), world.num_cases) << name;
  }
}

}  // namespace
}  // namespace bytegate
