#include "fuzz/list_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "oracles/paged_mqa_metadata.h"

namespace bytegate {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

OpProperties properties_with_lists() {
  OpProperties properties = *find_properties(all_properties(), paged_mqa_metadata_op());
  properties.lists = {{.name = "even",
                       .source = "nobody's",
                       .cases =
                           [] {
                             return std::vector<Case>{make_paged_mqa_metadata_case({256, 256}, 2)};
                           }},
                      {.name = "uneven", .source = "nobody's", .cases = [] {
                         return std::vector<Case>{make_paged_mqa_metadata_case({256}, 1),
                                                  make_paged_mqa_metadata_case({256}, 2),
                                                  make_paged_mqa_metadata_case({1}, 2)};
                       }}};
  return properties;
}

TEST(ListRun, EveryCaseOfTheListsRunsOnce) {
  const OpProperties properties = properties_with_lists();
  const RunOutcome outcome = run_lists(properties, lists_of_name(properties, "all"), {});
  EXPECT_EQ(outcome.tally.by_source.at("even").passed, 1);
  EXPECT_EQ(outcome.tally.by_source.at("uneven").passed, 3);
  EXPECT_THAT(outcome.findings, IsEmpty());
}

TEST(ListRun, AListIsChosenByItsName) {
  const OpProperties properties = properties_with_lists();
  EXPECT_THAT(lists_of_name(properties, "even"), SizeIs(1));
  EXPECT_THAT(lists_of_name(properties, "odd"), IsEmpty());
}

TEST(ListRun, AWrongCandidateIsSeenAtTheFirstCaseThatShowsIt) {
  const OpProperties properties = properties_with_lists();
  RunOptions wrong;
  wrong.candidate = BYTEGATE_SCHEDULE_WRONG;
  const RunOutcome all = run_lists(properties, lists_of_name(properties, "all"), wrong);
  EXPECT_THAT(all.findings, SizeIs(2));
  wrong.fail_fast = true;
  const RunOutcome first = run_lists(properties, lists_of_name(properties, "all"), wrong);
  ASSERT_THAT(first.findings, SizeIs(1));
  EXPECT_EQ(first.findings[0].verdict.origin, "mismatch:schedule_metadata");
  EXPECT_EQ(first.findings[0].source, "uneven");
  EXPECT_EQ(first.findings[0].after_cases, 2);
  EXPECT_TRUE(first.failed_fast);
}

}  // namespace
}  // namespace bytegate
