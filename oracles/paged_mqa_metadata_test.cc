#include "oracles/paged_mqa_metadata.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace bytegate {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;

std::vector<int32_t> schedule(const std::vector<int32_t>& lens, int64_t num_sm,
                              Remainder remainder = Remainder::kLast) {
  const Case c = make_paged_mqa_metadata_case(lens, num_sm, remainder);
  return expected_outputs(c)[PagedMqaMetadataIndex::kScheduleMetadata].int32_vector();
}

TEST(PagedMqaMetadataOracle, OneSplitOverTwoSmsGoesToTheLast) {
  EXPECT_THAT(schedule({64}, 2), ElementsAre(0, 0, 0, 0, 1, 0));
}

TEST(PagedMqaMetadataOracle, OneSplitOverTwoSmsGoesToTheFirstInTheFirstVariant) {
  EXPECT_THAT(schedule({64}, 2, Remainder::kFirst), ElementsAre(0, 0, 1, 0, 1, 0));
}

TEST(PagedMqaMetadataOracle, TheLastSmsTakeTheRemainder) {
  // W = 2, 3; S = 5; shares 1, 2, 2.
  EXPECT_THAT(schedule({512, 513}, 3), ElementsAre(0, 0, 0, 1, 1, 1, 2, 0));
  // Shares 2, 2, 1.
  EXPECT_THAT(schedule({512, 513}, 3, Remainder::kFirst), ElementsAre(0, 0, 1, 0, 1, 2, 2, 0));
}

TEST(PagedMqaMetadataOracle, ARowOfZeroLengthOwnsNoStart) {
  // W = 1, 0, 3; shares 1, 1, 2.
  EXPECT_THAT(schedule({128, 0, 768}, 3), ElementsAre(0, 0, 2, 0, 2, 1, 3, 0));
}

TEST(PagedMqaMetadataOracle, IdleSmsStartAtTheFirstNonEmptyRow) {
  EXPECT_THAT(schedule({0, 1}, 4), ElementsAre(1, 0, 1, 0, 1, 0, 1, 0, 2, 0));
}

TEST(PagedMqaMetadataOracle, NoWorkGivesTheSentinelEverywhere) {
  EXPECT_THAT(schedule({0, 0}, 2), ElementsAre(2, 0, 2, 0, 2, 0));
  EXPECT_THAT(schedule({}, 2), ElementsAre(0, 0, 0, 0, 0, 0));
}

TEST(PagedMqaMetadataOracle, SplitsAreCutAtMultiplesOf256) {
  EXPECT_THAT(schedule({256, 257}, 1), ElementsAre(0, 0, 2, 0));
  EXPECT_THAT(schedule({256, 257}, 3), ElementsAre(0, 0, 1, 0, 1, 1, 2, 0));
}

TEST(PagedMqaMetadataOracle, TotalsBeyond32BitsAreExact) {
  // 2048 rows of 2^23 splits: S = 2^34, 2^32 splits = 512 rows for each of four SMs.
  const std::vector<int32_t> lens(2048, INT32_MAX);
  EXPECT_THAT(schedule(lens, 4), ElementsAre(0, 0, 512, 0, 1024, 0, 1536, 0, 2048, 0));
  // Three SMs: 5726623061 each and one split left for the last.
  EXPECT_THAT(schedule(lens, 3), ElementsAre(0, 0, 682, 5592405, 1365, 2796202, 2048, 0));
}

}  // namespace
}  // namespace bytegate
