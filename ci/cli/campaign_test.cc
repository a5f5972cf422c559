// Campaigns as their users run them: what is done once stays done, whoever does it and whatever
// ends it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "ci/cli/testing/campaign_command.h"
#include "fuzz/campaign/state_folder.h"

namespace bytegate {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

const std::string kWrong = BYTEGATE_SCHEDULE_WRONG;

TEST_F(CampaignCommand, JobsChangeNoByte) {
  const Ended one = fuzz("one", {"--jobs", "1", "--streams", "2"});
  EXPECT_EQ(one.exit_code, 0) << one.output;
  EXPECT_EQ(fuzz("four", {"--jobs", "4", "--streams", "2"}).exit_code, 0);
  EXPECT_EQ(lasting("one"), lasting("four"));
  EXPECT_GT(lasting("one").size(), 12U);
}

TEST_F(CampaignCommand, ShardsCopiedTogetherAreOneCampaignOverTheirStreams) {
  EXPECT_EQ(fuzz("all", {"--jobs", "2", "--streams", "4"}).exit_code, 0);
  for (const char* shard : {"2", "0", "3", "1"}) {
    const std::string state = std::string("shard") + shard;
    EXPECT_EQ(fuzz(state, {"--shard", std::string(shard) + "/4", "--streams", "1"}).exit_code, 0);
    copy_into(state, "merged");
    copy_into(state, "merged");
  }
  EXPECT_EQ(lasting("merged"), lasting("all"));
}

TEST_F(CampaignCommand, WhatIsDoneIsNotDoneAgain) {
  EXPECT_EQ(fuzz("state", {"--jobs", "1"}).exit_code, 0);
  const auto before = lasting("state");
  const Ended again = fuzz("state", {"--jobs", "1"});
  EXPECT_EQ(again.exit_code, 0) << again.output;
  EXPECT_THAT(again.output, HasSubstr("goes on with campaign"));
  EXPECT_THAT(again.output, HasSubstr("3 slices, 0 of them now"));
  EXPECT_EQ(lasting("state"), before);
}

TEST_F(CampaignCommand, AFlawIsOneFindingOverSlicesJobsAndRuns) {
  const std::vector<std::string> more = {"--jobs", "2", "--candidate", kWrong, "--streams", "2"};
  const Ended first = fuzz("state", more);
  EXPECT_EQ(first.exit_code, 1);
  EXPECT_THAT(first.output, HasSubstr("FAIL mismatch:schedule_metadata"));
  EXPECT_THAT(first.output, HasSubstr("context_lens=[1]  (minimal)"));
  const Ended second = fuzz("state", {"--jobs", "2", "--candidate", kWrong, "--streams", "3"});
  EXPECT_EQ(second.exit_code, 1);
  EXPECT_EQ(files_in(path("state/findings/paged_mqa_metadata/regress")).size(), 1U);
  const Ended mended = fuzz("state");
  EXPECT_EQ(mended.exit_code, 0) << mended.output;
  EXPECT_THAT(mended.output, HasSubstr("no longer fails"));
}

TEST_F(CampaignCommand, WhatATargetSawFailBecomesAFinding) {
  EXPECT_EQ(fuzz("before", {"--candidate", kWrong, "--no-guided"}).exit_code, 1);
  setenv("BYTEGATE_FAKE_FAILURE", first_file("before/findings").c_str(), 1);
  const Ended ended = fuzz("state", {"--candidate", kWrong, "--no-drawn"});
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_THAT(ended.output, HasSubstr("first from: guided"));
}

TEST_F(CampaignCommand, ACrashOfATargetIsRedEvenWhereNoWorkerShowsIt) {
  setenv("BYTEGATE_FAKE", "crash", 1);
  const Ended ended = fuzz("state", {"--no-drawn", "--jobs", "1"});
  EXPECT_EQ(ended.exit_code, 3) << ended.output;
  EXPECT_THAT(ended.output, HasSubstr("FAIL crashed:target"));
  EXPECT_THAT(ended.output, HasSubstr("3 ended early"));
}

TEST_F(CampaignCommand, ADamagedSliceIsSetAsideAndDoneAgain) {
  EXPECT_EQ(fuzz("state").exit_code, 0);
  const auto whole = lasting("state");
  std::ofstream(first_file("state/slices"), std::ios::app) << "x";
  const Ended red = fuzz("state");
  EXPECT_EQ(red.exit_code, 2) << red.output;
  EXPECT_THAT(red.output, HasSubstr("is damaged"));
  EXPECT_EQ(files_in(path("state/damaged")).size(), 1U);
  fs::remove_all(path("state/damaged"));
  EXPECT_EQ(lasting("state"), whole);
}

TEST_F(CampaignCommand, FoldersOfOthersAreLeftAlone) {
  fs::create_directories(path("other"));
  std::ofstream(path("other/letter")) << "dear";
  const Ended foreign = fuzz("other");
  EXPECT_EQ(foreign.exit_code, 2);
  EXPECT_THAT(foreign.output, HasSubstr("is no state of campaigns"));
  fs::create_directories(path("newer"));
  std::ofstream(path("newer/FORMAT")) << "bytegate-state 2\n";
  const Ended newer = fuzz("newer");
  EXPECT_EQ(newer.exit_code, 2);
  EXPECT_THAT(newer.output, HasSubstr("bytegate-state 2"));
}

TEST_F(CampaignCommand, TwoProcessesDoNotRunOneStream) {
  setenv("BYTEGATE_FAKE", "hang", 1);
  Process first(BYTEGATE_COMMAND, arguments("state", {"--no-drawn"}));
  for (int i = 0; i < 1000 && !fs::exists(path("state/inputs")); ++i) {
    if (fs::exists(path("state/running/s0/guided.paged_mqa_metadata.s0.0"))) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  const Ended second = fuzz("state");
  EXPECT_EQ(second.exit_code, 2);
  EXPECT_THAT(second.output,
              HasSubstr("stream 0 is run by process " + std::to_string(first.pid())));
}

TEST_F(CampaignCommand, AMissingTargetIsNamedWithWhatBuildsIt) {
  fs::remove(path("targets/paged_mqa_metadata_fuzzer"));
  const Ended ended = fuzz("state");
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_THAT(ended.output, HasSubstr("ci/build fuzz_fast all"));
  EXPECT_EQ(fuzz("state", {"--no-guided"}).exit_code, 0);
}

}  // namespace
}  // namespace bytegate
