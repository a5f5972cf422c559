// `bytegate sweep` as a person or a script sees it, also when it is killed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

#include "oracles/testing/temp_folder.h"

namespace bytegate {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string kWrong = std::string("'") + BYTEGATE_SCHEDULE_WRONG + "'";
const std::string kRight = std::string("'") + BYTEGATE_SCHEDULE_RIGHT + "'";
// 1,296 x 2 cases are few; 102,400 take seconds.
const std::string kSmallWorld = "--op dsa_decode_precompute --world layouts-both";
const std::string kSlowWorld = "--op paged_mqa_metadata --world batches-3-first";

struct Ran {
  int exit_code = -1;
  std::string text;
};

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class SweepCommand : public TempFolder {
 protected:
  [[nodiscard]] std::string line(const std::string& arguments) const {
    return std::string("'") + BYTEGATE_COMMAND + "' sweep --backend host --findings '" +
           path("found") + "' --report '" + path("report") + "' " + arguments;
  }
  [[nodiscard]] Ran sweep(const std::string& arguments) const {
    Ran ran;
    FILE* pipe = popen((line(arguments) + " 2>&1").c_str(), "r");
    if (pipe == nullptr) return ran;
    std::array<char, 4096> chunk{};
    size_t got = 0;
    while ((got = fread(chunk.data(), 1, chunk.size(), pipe)) > 0) {
      ran.text.append(chunk.data(), got);
    }
    const int status = pclose(pipe);
    if (WIFEXITED(status)) ran.exit_code = WEXITSTATUS(status);
    return ran;
  }
  [[nodiscard]] nlohmann::json row(size_t idx = 0) const {
    return nlohmann::json::parse(read_file(folder_ / "report/report.json"))["runs"][idx];
  }
  [[nodiscard]] std::string state() const { return " --state '" + path("state") + "'"; }
  [[nodiscard]] fs::path only_record() const {
    fs::path found;
    for (const auto& entry : fs::directory_iterator(folder_ / "state")) {
      EXPECT_TRUE(found.empty()) << entry.path();
      found = entry.path();
    }
    return found;
  }
  [[nodiscard]] bool has_record() const {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder_ / "state", error)) {
      if (entry.path().extension() == ".sweep") return true;
    }
    return false;
  }
  // Starts a sweep and kills it as soon as it has recorded something.
  void sweep_and_kill(const std::string& arguments) const {
    const pid_t pid = fork();
    if (pid == 0) {
      const std::string command = "exec " + line(arguments) + " >/dev/null 2>&1";
      execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
      _exit(127);
    }
    ASSERT_GT(pid, 0);
    int status = 0;
    while (!has_record()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      ASSERT_EQ(waitpid(pid, &status, WNOHANG), 0) << "it ended before it was killed";
    }
    kill(pid, SIGKILL);
    waitpid(pid, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status)) << "it ended before it was killed";
  }
};

TEST_F(SweepCommand, SaysThatEveryCaseOfAWorldRan) {
  const Ran ran = sweep(kSmallWorld);
  EXPECT_EQ(ran.exit_code, 0) << ran.text;
  EXPECT_THAT(ran.text,
              AllOf(HasSubstr("world dsa_decode_precompute layouts-both on host: 1,296 of 1,296 "
                              "cases ran\n"),
                    HasSubstr("1 of 1 world in full, 1,296 cases\n")));
  const auto sweep_row = row()["sweep"];
  EXPECT_EQ(sweep_row["complete"], true);
  EXPECT_EQ(sweep_row["ran"], 1296);
  EXPECT_EQ(row()["sources"]["world layouts-both"]["passed"], 1296);
  EXPECT_THAT(read_file(folder_ / "report/summary.md"), HasSubstr("1,296 of 1,296 cases ran"));
  EXPECT_THAT(read_file(folder_ / "report/junit.xml"),
              HasSubstr("dsa_decode_precompute.host.layouts-both"));
}

TEST_F(SweepCommand, ShowsAndSavesWhatFails) {
  const Ran ran = sweep(kSlowWorld + " --shard 1/100 --candidate " + kWrong);
  EXPECT_EQ(ran.exit_code, 0) << "its remainder is the first one's: " << ran.text;
  const Ran wrong =
      sweep("--op paged_mqa_metadata --world batches-4 --shard 1/500 --candidate " + kWrong);
  EXPECT_EQ(wrong.exit_code, 1);
  EXPECT_THAT(wrong.text, AllOf(HasSubstr("FAIL mismatch:schedule_metadata on host"),
                                HasSubstr("first from: world batches-4"), HasSubstr("(minimal)"),
                                HasSubstr("  replay ")));
  EXPECT_TRUE(fs::exists(folder_ / "found/paged_mqa_metadata/regress"));
}

TEST_F(SweepCommand, OfTwoShardsOneAfterTheOtherIsTheWholeWorld) {
  const std::string world = "--op dsa_decode_precompute --world lengths" + state();
  const Ran first = sweep(world + " --shard 0/2");
  EXPECT_EQ(first.exit_code, 0) << first.text;
  EXPECT_THAT(first.text, HasSubstr("shard 0/2 of a world of 19,656, of which"));
  const int64_t num_first = row()["sweep"]["ran"];
  const Ran second = sweep(world + " --shard 1/2");
  EXPECT_EQ(second.exit_code, 0) << second.text;
  EXPECT_THAT(second.text, HasSubstr("of which 19,656 have passed so far"));
  const int64_t num_second = row()["sweep"]["ran"];
  EXPECT_EQ(num_first + num_second, 19656);
  const Ran both = sweep(world);
  EXPECT_EQ(both.exit_code, 0) << both.text;
  EXPECT_THAT(both.text, AllOf(HasSubstr("resumes dsa_decode_precompute lengths on host"),
                               HasSubstr("19,656 of 19,656 cases ran, 19,656 of them before")));
  EXPECT_EQ(row()["sweep"]["ran"], 0);
}

TEST_F(SweepCommand, ThatWasKilledGoesOnWhereItWas) {
  // Several seconds, of which one goes by before the first record.
  const std::string world = "--op paged_mqa_metadata --world shapes-200 --shard 0/3" + state();
  sweep_and_kill("--jobs 1 " + world);
  const Ran ran = sweep(world);
  EXPECT_EQ(ran.exit_code, 0) << ran.text;
  EXPECT_THAT(ran.text, AllOf(HasSubstr("resumes paged_mqa_metadata shapes-200 on host: "),
                              HasSubstr(" cases ran, ")));
  const auto sweep_row = row()["sweep"];
  const int64_t num_asked = sweep_row["asked"];
  const int64_t num_before = sweep_row["before"];
  EXPECT_EQ(sweep_row["complete"], true);
  EXPECT_GT(num_before, 0);
  EXPECT_LT(num_before, num_asked);
  EXPECT_EQ(row()["passed"], num_asked - num_before) << "each case once";
  EXPECT_EQ(sweep_row["passed_ever"], num_asked);
}

TEST_F(SweepCommand, ThatFailedFailsAgainWithItsState) {
  const std::string world =
      "--op paged_mqa_metadata --world batches-4 --shard 1/500 --candidate " + kWrong + state();
  EXPECT_EQ(sweep(world).exit_code, 1);
  const Ran again = sweep(world);
  EXPECT_EQ(again.exit_code, 1);
  EXPECT_THAT(again.text, HasSubstr("FAIL mismatch:schedule_metadata"));
}

TEST_F(SweepCommand, DoesNotTrustADamagedRecord) {
  EXPECT_EQ(sweep(kSmallWorld + state()).exit_code, 0);
  std::ofstream(only_record(), std::ios::app) << "passed 0\n";
  const Ran ran = sweep(kSmallWorld + state());
  EXPECT_EQ(ran.exit_code, 2);
  EXPECT_THAT(ran.text, AllOf(HasSubstr(only_record().filename().string()),
                              HasSubstr("is damaged, or no record of a sweep")));
}

TEST_F(SweepCommand, OfOneCandidateSaysNothingOfAnother) {
  const std::string world = "--op paged_mqa_metadata --world batches-4 --shard 0/500" + state();
  EXPECT_EQ(sweep(world).exit_code, 0);
  const Ran ran = sweep(world + " --candidate " + kRight);
  EXPECT_EQ(ran.exit_code, 0) << ran.text;
  EXPECT_THAT(ran.text, Not(HasSubstr("resumes")));
  EXPECT_EQ(row()["sweep"]["before"], 0);
}

TEST_F(SweepCommand, ThatRanOutOfTimeIsRed) {
  const Ran ran = sweep(kSlowWorld + " --seconds 0.2");
  EXPECT_EQ(ran.exit_code, 1) << ran.text;
  EXPECT_THAT(ran.text, AllOf(HasSubstr("the time ran out before its last case"),
                              HasSubstr("UNMET world paged_mqa_metadata batches-3-first on host: "
                                        "only "),
                              HasSubstr("0 of 1 world in full")));
}

TEST_F(SweepCommand, OfAShardWithoutCasesIsRed) {
  const Ran ran = sweep(kSmallWorld + " --shard 99/100");
  EXPECT_EQ(ran.exit_code, 1) << ran.text;
  EXPECT_THAT(ran.text, AllOf(HasSubstr("no case of it is in shard 99/100"),
                              HasSubstr("UNMET no world was swept")));
}

TEST_F(SweepCommand, NamesTheWorldsThereAreWhenAskedForAnother) {
  const Ran ran = sweep("--op paged_mqa_metadata --world batches-5");
  EXPECT_EQ(ran.exit_code, 2);
  EXPECT_THAT(ran.text, HasSubstr("--world batches-5: no such world; there are: batches-4, "));
}

TEST_F(SweepCommand, SaysWhyAStateFolderCannotBeMade) {
  const Ran ran = sweep(kSmallWorld + " --state /proc/nothing");
  EXPECT_EQ(ran.exit_code, 2);
  EXPECT_THAT(ran.text, HasSubstr("--state /proc/nothing: "));
}

}  // namespace
}  // namespace bytegate
