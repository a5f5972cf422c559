// What is left of a gate when it is killed, and what its successor makes of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sys/wait.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "ci/cli/testing/process.h"
#include "fuzz/interrupted.h"
#include "fuzz/journal.h"
#include "oracles/case_text.h"
#include "oracles/testing/temp_folder.h"

namespace bytegate {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;

const std::string kCommand = BYTEGATE_COMMAND;
const std::string kWrong = BYTEGATE_SCHEDULE_WRONG;
const std::string kRight = BYTEGATE_SCHEDULE_RIGHT;

void sleep_for(milliseconds time) {
  std::this_thread::sleep_for(time);
}

// The processes that this one forked.
std::vector<pid_t> children_of(pid_t pid) {
  std::vector<pid_t> children;
  for (const auto& task : fs::directory_iterator("/proc/" + std::to_string(pid) + "/task")) {
    std::ifstream list(task.path() / "children");
    children.insert(children.end(), std::istream_iterator<pid_t>(list), {});
  }
  return children;
}

class Killed : public TempFolder {
 protected:
  [[nodiscard]] std::vector<std::string> gate(const std::string& candidate,
                                              const std::string& num_cases) const {
    return {"gate",        "--op",         "paged_mqa_metadata",
            "--backend",   "host",         "--jobs",
            "2",           "--candidate",  candidate,
            "--cases",     num_cases,      "--findings",
            path("found"), "--corpus",     path("corpus"),
            "--report",    path("report"), "--minimize-seconds",
            "0.05"};
  }
  void SetUp() override {
    TempFolder::SetUp();
    fs::create_directories(path("corpus"));
    fs::copy(BYTEGATE_SEED_CASE, path("corpus"));
  }
  // Waits until a batch is on disk.
  void await_batch() const {
    for (int i = 0; i < 2000; ++i) {
      std::error_code error;
      fs::recursive_directory_iterator entry(path("found/.running"), error);
      for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
        if (entry->path().filename().string().rfind("batch-", 0) == 0) return;
      }
      sleep_for(milliseconds(5));
    }
    ADD_FAILURE() << "no batch was written";
  }
  // How many cases a look into a copy of the journals finds: in no file, and in files.
  struct Left {
    int64_t num_cases = 0;
    int64_t num_files = 0;
  };
  [[nodiscard]] Left look_into_journals() const {
    const std::string copy = path("copy");
    fs::create_directories(copy);
    fs::copy(path("found/.running"), copy + "/.running", fs::copy_options::recursive);
    const PickedUp found = pick_up(copy, BYTEGATE_VERSION, all_ops());
    EXPECT_THAT(found.errors, ::testing::IsEmpty());
    Left left;
    for (const InterruptedRun& run : found.runs) {
      left.num_cases += run.num_cases();
      left.num_files += static_cast<int64_t>(run.files.size());
    }
    fs::remove_all(copy);
    return left;
  }
  void expect_sound_files() const {
    for (const fs::path& file : files()) {
      if (file.extension() != ".case") continue;
      const LoadResult loaded = load_case(file.string(), all_ops());
      EXPECT_TRUE(loaded.value) << loaded.error;
    }
  }
  void expect_nothing_half_written() const {
    for (const fs::path& file : files()) EXPECT_NE(file.extension(), ".tmp") << file;
    EXPECT_FALSE(fs::exists(path("found/.running")));
  }
  [[nodiscard]] nlohmann::json report() const {
    std::ifstream file(path("report/report.json"));
    return nlohmann::json::parse(file);
  }
};

int64_t num_interrupted(const nlohmann::json& report) {
  const auto& sources = report["runs"][0]["sources"];
  if (!sources.contains("interrupted")) return 0;
  const auto& counts = sources["interrupted"];
  return counts["passed"].get<int64_t>() + counts["failed"].get<int64_t>() +
         counts["set_aside"].get<int64_t>();
}

TEST_F(Killed, AGateThatIsKilledAtAnyMomentLosesNoCase) {
  std::mt19937_64 random(20);
  int64_t num_all = 0;
  for (int round = 0; round < 20; ++round) {
    {
      Process killed(kCommand, gate(kWrong, "100000000"));
      await_batch();
      sleep_for(milliseconds(random() % 150));
      killed.send(SIGKILL);
      killed.wait();
    }
    expect_sound_files();
    const int64_t num_cases = look_into_journals().num_cases;
    num_all += num_cases;
    Process next(kCommand, gate(kWrong, "0"));
    const std::string text = next.read_all();
    EXPECT_EQ(next.exit_code(), 1) << text;
    if (num_cases > 0) {
      EXPECT_THAT(text, HasSubstr("picked up " + std::to_string(num_cases) + " case"));
      EXPECT_THAT(text, HasSubstr(", candidate " + kWrong + ", host)"));
      EXPECT_THAT(report()["notes"].dump(), HasSubstr("picked up "));
    }
    EXPECT_EQ(num_interrupted(report()), num_cases) << text;
    expect_sound_files();
    expect_nothing_half_written();
  }
  EXPECT_GT(num_all, 0);
}

TEST_F(Killed, CasesOfAnotherCandidateBecomeFiles) {
  // The first batch is of cases in files, so a gate may have to run on for a while. Only what a
  // dead one left is looked at: a file that grows as it is copied is none that a kill leaves.
  int64_t num_cases = 0;
  for (int i = 1; i <= 40 && num_cases == 0; ++i) {
    fs::remove_all(path("found"));
    Process killed(kCommand, gate(kRight, "100000000"));
    await_batch();
    sleep_for(milliseconds(25 * i));
    killed.send(SIGKILL);
    killed.wait();
    num_cases = look_into_journals().num_cases;
  }
  EXPECT_GT(num_cases, 0);
  Process next(kCommand, gate("production", "0"));
  EXPECT_THAT(next.read_all(),
              AllOf(HasSubstr("saved " + std::to_string(num_cases) + " cases that were running"),
                    HasSubstr(" in " + path("found/paged_mqa_metadata/interrupted"))));
  EXPECT_EQ(num_interrupted(report()), 0);
  int64_t num_saved = 0;
  for (const fs::path& file : files()) {
    num_saved += file.parent_path().filename() == "interrupted" ? 1 : 0;
  }
  EXPECT_EQ(num_saved, num_cases);
  expect_sound_files();
  expect_nothing_half_written();
}

TEST_F(Killed, ASignalEndsAGateWithAWholeReport) {
  for (const auto& [signal, name] : {std::pair{SIGTERM, "SIGTERM"}, {SIGINT, "SIGINT"}}) {
    Process gated(kCommand, gate(kRight, "100000000"));
    await_batch();
    sleep_for(milliseconds(50));
    gated.send(signal);
    const std::string text = gated.read_all();
    EXPECT_EQ(gated.exit_code(), 1) << text;
    const std::string line =
        std::string("interrupted by ") + name + " after [0-9,]+ of 100,000,001 cases";
    EXPECT_THAT(text, ContainsRegex("\n" + line + "\nFAIL "));
    const nlohmann::json json = report();
    EXPECT_EQ(json["exit_code"], 1);
    EXPECT_THAT(json["interrupted"].get<std::string>(), ContainsRegex(line));
    EXPECT_EQ(json["runs"][0]["stopped"], true);
    EXPECT_GT(json["runs"][0]["passed"], 0);
    EXPECT_TRUE(json["unmet"].empty()) << json["unmet"];
    std::ifstream summary(path("report/summary.md"));
    EXPECT_THAT(std::string(std::istreambuf_iterator<char>(summary), {}),
                ContainsRegex("\\*\\*interrupted\\*\\* " + line));
    std::ifstream junit(path("report/junit.xml"));
    EXPECT_THAT(std::string(std::istreambuf_iterator<char>(junit), {}),
                AllOf(ContainsRegex(line), HasSubstr("</testsuites>\n")));
    expect_nothing_half_written();
  }
}

TEST_F(Killed, ASecondSignalEndsItAtOnceAndTheCasesAreKept) {
  {
    Process gated(kCommand, gate(kRight, "100000000"));
    await_batch();
    // A worker that does not answer is what one would not wait for.
    // They come and go until each thread waits for one that was stopped.
    int num_unchanged = 0;
    std::vector<pid_t> workers;
    for (int i = 0; i < 2000 && num_unchanged < 20; ++i) {
      const std::vector<pid_t> before = std::exchange(workers, children_of(gated.pid()));
      num_unchanged = workers.size() >= 2 && workers == before ? num_unchanged + 1 : 0;
      for (const pid_t worker : workers) kill(worker, SIGSTOP);
      sleep_for(milliseconds(5));
    }
    gated.send(SIGTERM);
    sleep_for(milliseconds(100));
    EXPECT_TRUE(gated.alive()) << gated.read_all();
    gated.send(SIGINT);
    const int status = gated.wait();
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT) << status;
  }
  const Left left = look_into_journals();
  EXPECT_GT(left.num_cases + left.num_files, 0);
}

TEST_F(Killed, ASignalEndsAReplayBetweenTwoCases) {
  for (int i = 0; i < 2000; ++i) {
    fs::copy(BYTEGATE_SEED_CASE, path("corpus/" + std::to_string(i) + ".case"));
  }
  Process replay(kCommand, {"replay", path("corpus"), "--backend", "host", "--candidate", kRight});
  // It waits for its reader long before it is done.
  std::string text = replay.read_some();
  replay.send(SIGTERM);
  text += replay.read_all();
  EXPECT_EQ(replay.exit_code(), 1);
  EXPECT_THAT(text, ContainsRegex("\ninterrupted by SIGTERM after [0-9,]+ of 2,001 cases\n"));
}

TEST_F(Killed, ASignalEndsATraceWithAWholeReport) {
  std::ofstream(path("trace.csv")) << "TIMESTAMP,ContextTokens,GeneratedTokens\n"
                                      "2023-11-16 18:17:03.9799600,4808,10000000\n";
  Process traced(kCommand, {"trace", path("trace.csv"), "--op", "paged_mqa_metadata", "--backend",
                            "host", "--findings", path("found"), "--report", path("report")});
  await_batch();
  traced.send(SIGTERM);
  const std::string text = traced.read_all();
  EXPECT_EQ(traced.exit_code(), 1) << text;
  EXPECT_THAT(text, ContainsRegex("\ninterrupted by SIGTERM after [0-9,]+ cases\n"));
  EXPECT_EQ(report()["runs"][0]["stopped"], true);
  expect_nothing_half_written();
}

TEST_F(Killed, CasesThatAreInFilesAreNamed) {
  {
    const Journal::Result opened = Journal::open(path("found"),
                                                 {.version = BYTEGATE_VERSION,
                                                  .op = "paged_mqa_metadata",
                                                  .candidate = kRight,
                                                  .backend = "host",
                                                  .pid = 7},
                                                 1);
    EXPECT_FALSE(opened.journal->write(0, std::vector<std::string>{"a.case", "b.case"}));
  }
  Process next(kCommand, gate("production", "0"));
  EXPECT_THAT(next.read_all(), HasSubstr("2 cases that were running when a run ended (pid 7, "
                                         "candidate " +
                                         kRight + ", host) are kept in a.case, b.case\n"));
  expect_nothing_half_written();
}

TEST_F(Killed, AFileThatWasHalfWrittenIsRemovedAndSaid) {
  fs::create_directories(path("found/paged_mqa_metadata/regress"));
  std::ofstream(path("found/paged_mqa_metadata/regress/.bytegate-1-0.tmp")) << "bytegate-case 1\n";
  Process next(kCommand, gate("production", "0"));
  EXPECT_THAT(next.read_all(), HasSubstr("removed 1 file that was half written"));
  expect_nothing_half_written();
}

TEST_F(Killed, AJournalOfAnotherVersionIsKeptAndTheGateGoesOn) {
  {
    const Journal::Result opened = Journal::open(path("found"),
                                                 {.version = "0.0.1",
                                                  .op = "paged_mqa_metadata",
                                                  .candidate = kRight,
                                                  .backend = "host",
                                                  .pid = 7},
                                                 1);
    EXPECT_FALSE(opened.journal->write(0, std::vector<std::string>{"a.case"}));
  }
  Process next(kCommand, gate("production", "0"));
  const std::string aside = path("found/.running/unreadable-run-7-0-0");
  const std::string text = next.read_all();
  EXPECT_THAT(text, HasSubstr("is a journal of bytegate 0.0.1, which this one does not read; kept "
                              "as " +
                              aside + "\n"));
  EXPECT_EQ(next.exit_code(), 0) << text;
  EXPECT_THAT(report()["notes"].dump(), HasSubstr(aside));
  EXPECT_TRUE(fs::exists(aside + "/batch-0"));
}

TEST_F(Killed, AJournalThatCannotBeReadIsAnError) {
  fs::create_directories(path("found/.running/run-1-0"));
  std::ofstream(path("found/.running/run-1-0/owner")) << "somebody";
  Process next(kCommand, gate("production", "0"));
  EXPECT_THAT(next.read_all(), ContainsRegex("ERROR .*run-1-0: does not say whose journal it is"));
  EXPECT_EQ(next.exit_code(), 2);
}

}  // namespace
}  // namespace bytegate
