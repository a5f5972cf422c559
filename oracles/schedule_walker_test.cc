#include "oracles/schedule_walker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace bytegate {
namespace {

using ::testing::HasSubstr;
using ::testing::Optional;

std::optional<std::string> walk(const std::vector<int32_t>& lens, const std::vector<int32_t>& table,
                                Remainder remainder = Remainder::kLast) {
  return walk_schedule({.context_lens = lens,
                        .num_sm = static_cast<int64_t>(table.size() / 2) - 1,
                        .remainder = remainder},
                       table);
}

TEST(ScheduleWalker, AcceptsAScheduleWorkedOutByHand) {
  EXPECT_EQ(walk({128, 0, 768}, {0, 0, 2, 0, 2, 1, 3, 0}), std::nullopt);
  EXPECT_EQ(walk({0, 0}, {2, 0, 2, 0}), std::nullopt);
  EXPECT_EQ(walk({}, {0, 0, 0, 0}), std::nullopt);
}

TEST(ScheduleWalker, NamesAStartAtAnEmptyRow) {
  EXPECT_THAT(walk({128, 0, 768}, {0, 0, 1, 0, 2, 1, 3, 0}),
              Optional(HasSubstr("row 1 is (1, 0)")));
}

TEST(ScheduleWalker, NamesSplitsThatNobodyVisits) {
  EXPECT_THAT(walk({512}, {0, 1, 1, 0}), Optional(HasSubstr("never visited")));
  EXPECT_THAT(walk({512}, {0, 0, 0, 1}), Optional(HasSubstr("last row")));
}

TEST(ScheduleWalker, NamesARowThatGoesBack) {
  EXPECT_THAT(walk({512, 256}, {0, 0, 1, 0, 0, 1, 2, 0}), Optional(HasSubstr("before the row")));
}

TEST(ScheduleWalker, NamesAnUnevenDeal) {
  EXPECT_THAT(walk({1024}, {0, 0, 0, 3, 1, 0}), Optional(HasSubstr("SM 0 gets 3")));
}

TEST(ScheduleWalker, TellsTheTwoRemaindersApart) {
  EXPECT_EQ(walk({64}, {0, 0, 0, 0, 1, 0}), std::nullopt);
  EXPECT_THAT(walk({64}, {0, 0, 1, 0, 1, 0}), Optional(HasSubstr("SM 0 gets 1")));
  EXPECT_EQ(walk({64}, {0, 0, 1, 0, 1, 0}, Remainder::kFirst), std::nullopt);
}

TEST(ScheduleWalker, SurvivesATableOfGarbage) {
  EXPECT_THAT(walk({64}, {INT32_MIN, -1, INT32_MAX, 7, 1, 0}), Optional(HasSubstr("outside")));
  EXPECT_THAT(walk({64}, {0, -1, 1, 0}), Optional(HasSubstr("has 1 splits")));
}

}  // namespace
}  // namespace bytegate
