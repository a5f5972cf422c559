#include "oracles/schedule_consumer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "oracles/schedule_walker.h"

namespace bytegate {
namespace {

using ::testing::HasSubstr;
using ::testing::Optional;

std::optional<std::string> watch(const std::vector<int32_t>& lens,
                                 const std::vector<int32_t>& table,
                                 ScheduleConsumer consumer = consume_rows) {
  return watch_consumer(
      {.context_lens = lens, .num_sm = static_cast<int64_t>(table.size() / 2) - 1}, table,
      consumer);
}

// Loads the length of its start before it knows whether there is work.
void consume_hastily(const ScheduleRows& rows, const ReadLen& read_len, const VisitSplits& visit) {
  read_len(rows.row);
  consume_rows(rows, read_len, visit);
}

// Holds an index to the last request: -1 where there is none.
void consume_clamped(const ScheduleRows& rows, const ReadLen& read_len, const VisitSplits& visit) {
  read_len(rows.end_row - 1);
  consume_rows(rows, read_len, visit);
}

TEST(ScheduleConsumer, VisitsASchedulesSplitsOnceEach) {
  EXPECT_EQ(watch({128, 0, 768}, {0, 0, 2, 0, 2, 1, 3, 0}), std::nullopt);
  EXPECT_EQ(watch({0, 0}, {2, 0, 2, 0}), std::nullopt);
  EXPECT_EQ(watch({}, {0, 0, 0, 0}), std::nullopt);
}

TEST(ScheduleConsumer, ReadsNoLengthWithoutWorkWhereverItStarts) {
  // Idle SMs at the sentinel, as the older remainder has them, and at a row with work.
  const std::vector<int32_t> sentinel = {0, 0, 1, 0, 1, 0, 1, 0};
  const std::vector<int32_t> real_row = {0, 0, 0, 0, 0, 0, 1, 0};
  EXPECT_EQ(watch({64}, sentinel), std::nullopt);
  EXPECT_EQ(watch({64}, real_row), std::nullopt);
  EXPECT_THAT(watch({64}, sentinel, consume_hastily),
              Optional(HasSubstr("SM 1 reads the length of request 1 of 1")));
  EXPECT_THAT(watch({64}, real_row, consume_hastily),
              Optional(HasSubstr("SM 0 has no work, but reads the length of request 0")));
}

TEST(ScheduleConsumer, AHastyOneIsNamedWhereNoRequestHasWork) {
  EXPECT_THAT(watch({0, 0}, {2, 0, 2, 0}, consume_hastily),
              Optional(HasSubstr("SM 0 reads the length of request 2 of 2")));
  EXPECT_THAT(watch({}, {0, 0, 0, 0}, consume_hastily),
              Optional(HasSubstr("SM 0 reads the length of request 0 of 0")));
  EXPECT_THAT(watch({}, {0, 0, 0, 0}, consume_clamped),
              Optional(HasSubstr("SM 0 reads the length of request -1 of 0")));
}

TEST(ScheduleConsumer, AStartAtAnEmptyRowMakesAnSmReadForNothing) {
  EXPECT_THAT(watch({0, 64}, {0, 0, 1, 0, 2, 0}),
              Optional(HasSubstr("SM 0 has no work, but reads the length of request 0")));
}

TEST(ScheduleConsumer, SplitsThatAreLeftOutOrVisitedAgainAreNamed) {
  EXPECT_THAT(watch({512}, {0, 1, 1, 0}), Optional(HasSubstr("split 0 of request 0 is next")));
  EXPECT_THAT(watch({512}, {0, 0, 0, 1}), Optional(HasSubstr("split 1 of request 0 is never")));
  EXPECT_THAT(watch({512, 256}, {0, 0, 1, 0, 0, 1, 2, 0}),
              Optional(HasSubstr("SM 2 visits split 1 of request 0, but split 0 of request 1")));
  EXPECT_THAT(watch({512, 256}, {0, 0, 0, 7, 2, 0}),
              Optional(HasSubstr("SM 0 visits split 6 of request 0, which it does not have")));
}

TEST(ScheduleConsumer, SurvivesATableOfGarbage) {
  EXPECT_THAT(watch({64}, {INT32_MIN, -1, INT32_MAX, 7, 1, 0}),
              Optional(HasSubstr("reads the length of request -2147483648 of 1")));
  std::mt19937_64 random(3);
  for (int i = 0; i < 2000; ++i) {
    std::vector<int32_t> table(8);
    for (int32_t& value : table) {
      value = static_cast<int32_t>(random() % 2 == 0 ? random() : random() % 4);
    }
    watch({300, 0, 64}, table);
  }
}

TEST(ScheduleConsumer, AgreesWithTheWalkerOnWhatTheOracleDeals) {
  std::mt19937_64 random(4);
  for (int i = 0; i < 500; ++i) {
    std::vector<int32_t> lens(random() % 9);
    for (int32_t& len : lens) len = static_cast<int32_t>(random() % 3 == 0 ? 0 : random() % 2000);
    for (const Remainder remainder : {Remainder::kLast, Remainder::kFirst}) {
      const PagedMqaMetadataCase c = {.context_lens = lens,
                                      .num_sm = static_cast<int64_t>(random() % 12) + 1,
                                      .remainder = remainder};
      std::vector<int32_t> table(2 * static_cast<size_t>(c.num_sm + 1));
      paged_mqa_metadata_oracle(c, table);
      EXPECT_EQ(watch_consumer(c, table), std::nullopt);
      EXPECT_EQ(walk_schedule(c, table), std::nullopt);
    }
  }
}

}  // namespace
}  // namespace bytegate
