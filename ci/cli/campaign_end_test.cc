// How campaigns end: by a signal, by the clock, or at a target that does not do as it should.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "ci/cli/testing/campaign_command.h"
#include "fuzz/campaign/campaign.h"
#include "fuzz/campaign/state_folder.h"

namespace bytegate {
namespace {

namespace fs = std::filesystem;
using std::chrono::steady_clock;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

class EndOfCampaign : public CampaignCommand {
 protected:
  void await_file(Process& process, const std::string& name) const {
    const auto deadline = steady_clock::now() + std::chrono::seconds(60);
    while (process.alive() && !fs::exists(path(name)) && steady_clock::now() < deadline) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    EXPECT_TRUE(fs::exists(path(name))) << name;
  }
  [[nodiscard]] nlohmann::json report_in(const std::string& folder) const {
    std::ifstream file(path(folder) + "/report.json");
    return nlohmann::json::parse(file, nullptr, false);
  }
  // Guided slices of the fake target, not through the command.
  [[nodiscard]] CampaignOptions guided_alone() const {
    CampaignOptions options;
    options.state = path("state");
    for (const OpProperties& one : all_properties()) {
      if (one.op->name == "paged_mqa_metadata") options.ops = {&one};
    }
    options.targets = {{"paged_mqa_metadata", targets_ + "/paged_mqa_metadata_fuzzer"}};
    return options;
  }
  // Whatever was under way is done by the next process, as if nothing had been.
  void expect_next_run_completes(const std::string& state) const {
    unsetenv("BYTEGATE_FAKE");
    const Ended next = fuzz(state, {"--jobs", "2"});
    EXPECT_EQ(next.exit_code, 0) << next.output;
    EXPECT_EQ(fuzz("undisturbed", {"--jobs", "2"}).exit_code, 0);
    EXPECT_EQ(lasting(state), lasting("undisturbed"));
  }
};

TEST_F(EndOfCampaign, AnInterruptWritesTheReportAndTheNextRunGoesOn) {
  for (const int signal : {SIGINT, SIGTERM}) {
    const std::string name = signal == SIGINT ? "SIGINT" : "SIGTERM";
    setenv("BYTEGATE_FAKE", "hang", 1);
    Process process(BYTEGATE_COMMAND,
                    arguments(name, {"--jobs", "2", "--report", path(name + "-report")}));
    await_file(process, name + "/running/s0/guided.paged_mqa_metadata.s0.0/kept/300");
    const auto begin = steady_clock::now();
    process.send(signal);
    const std::string output = process.read_all();
    EXPECT_EQ(process.exit_code(), 1) << output;
    EXPECT_LT(steady_clock::now() - begin, std::chrono::seconds(30));
    EXPECT_THAT(output, HasSubstr("interrupted by " + name + " after "));
    const nlohmann::json report = report_in(name + "-report");
    ASSERT_TRUE(report.is_object());
    EXPECT_EQ(report["exit_code"], 1);
    expect_next_run_completes(name);
  }
}

TEST_F(EndOfCampaign, WhenTheTimeIsOverASliceThatStillRunsIsGivenUp) {
  setenv("BYTEGATE_FAKE", "hang", 1);
  const auto begin = steady_clock::now();
  const Ended ended = fuzz("state", {"--jobs", "2", "--seconds", "1"});
  EXPECT_LT(steady_clock::now() - begin, std::chrono::seconds(30));
  EXPECT_EQ(ended.exit_code, 1) << ended.output;
  EXPECT_THAT(ended.output, HasSubstr("the time ran out before the last round"));
  EXPECT_THAT(ended.output, HasSubstr("guided paged_mqa_metadata on host: no slice of it"));
  expect_next_run_completes("state");
}

TEST_F(EndOfCampaign, ASliceThatEndsWithinThePatienceAfterTheTimeIsOverCounts) {
  setenv("BYTEGATE_FAKE", "slow", 1);
  CampaignOptions options = guided_alone();
  options.slice_runs = 80000;  // takes the fake target 4 s
  options.deadline = steady_clock::now() + std::chrono::seconds(3);
  options.patience = std::chrono::minutes(5);
  const CampaignOutcome outcome = run_campaign(options);
  EXPECT_THAT(files_in(path("state/slices/" + outcome.id)), SizeIs(1));
}

TEST_F(EndOfCampaign, ATargetAtItsLimitsIsShownAndIsNoPass) {
  for (const char* limit : {"timeout", "memory"}) {
    setenv("BYTEGATE_FAKE", limit, 1);
    const Ended ended = fuzz(limit, {"--jobs", "1"});
    EXPECT_EQ(ended.exit_code, 1) << ended.output;
    EXPECT_THAT(ended.output, HasSubstr("3 ended early, at a crash or a hang"));
    EXPECT_THAT(ended.output, HasSubstr("3 slices ended early, and no finding says why"));
    EXPECT_THAT(ended.output, HasSubstr("drawn paged_mqa_metadata on host: 3 slices"));
  }
}

TEST_F(EndOfCampaign, ATargetThatNeverEndsIsEndedAndNamed) {
  setenv("BYTEGATE_FAKE", "hang", 1);
  CampaignOptions options = guided_alone();
  options.num_rounds = 1;
  options.slice_runs = 100;
  options.slice_limit = std::chrono::milliseconds(200);
  const CampaignOutcome outcome = run_campaign(options);
  EXPECT_THAT(outcome.errors,
              ElementsAre(HasSubstr("something ended the target 3 times in slice 0")));
  EXPECT_THAT(files_in(path("state/slices/" + outcome.id)), IsEmpty());
}

TEST_F(EndOfCampaign, ATargetThatCannotBeRunIsNamed) {
  const std::string target = targets_ + "/paged_mqa_metadata_fuzzer";
  fs::permissions(target, fs::perms::owner_read | fs::perms::owner_write);
  const Ended ended = fuzz("state", {"--no-drawn"});
  EXPECT_NE(ended.exit_code, 0) << ended.output;
  EXPECT_THAT(ended.output, HasSubstr(target + " cannot be run"));
}

TEST_F(EndOfCampaign, AFolderWithoutTargetsIsNamedWithWhatBuildsThem) {
  targets_ = path("nowhere");
  const Ended ended = fuzz("state");
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_THAT(ended.output,
              AllOf(HasSubstr(targets_ + "/paged_mqa_metadata_fuzzer: no such target"),
                    HasSubstr("ci/build fuzz_fast all"), HasSubstr("--no-guided")));
  EXPECT_FALSE(fs::exists(path("state"))) << "a campaign that was refused leaves nothing";
}

TEST_F(EndOfCampaign, AReportIsThreeFilesThatNameWhatFailed) {
  const Ended ended =
      fuzz("state", {"--candidate", BYTEGATE_SCHEDULE_WRONG, "--report", path("red")});
  EXPECT_EQ(ended.exit_code, 1);
  const nlohmann::json report = report_in("red");
  ASSERT_TRUE(report.is_object());
  EXPECT_EQ(report["exit_code"], 1);
  const std::string flaw = "mismatch:schedule_metadata";
  EXPECT_THAT(report.dump(), HasSubstr(flaw));
  EXPECT_THAT(file_bytes(path("red/junit.xml")).value_or(""),
              AllOf(HasSubstr("<failure"), HasSubstr(flaw)));
  EXPECT_THAT(file_bytes(path("red/summary.md")).value_or(""),
              AllOf(HasSubstr("FAIL"), HasSubstr(flaw)));
  EXPECT_EQ(fuzz("right", {"--report", path("green")}).exit_code, 0);
  EXPECT_EQ(report_in("green")["exit_code"], 0);
  EXPECT_THAT(file_bytes(path("green/junit.xml")).value_or("<failure"), Not(HasSubstr("<failure")));
  EXPECT_THAT(file_bytes(path("green/summary.md")).value_or(""), HasSubstr("pass"));
}

}  // namespace
}  // namespace bytegate
