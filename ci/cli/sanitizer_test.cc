// `gate --sanitizer` with tools that are scripts: good ones, broken ones, and ones that lie.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "ci/cli/sanitizer_tool.h"

namespace bytegate::cli {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::chrono::minutes kLimit{2};

struct Ran {
  int exit_code = -1;
  std::string text;
};

Ran run_words(const std::vector<std::string>& words) {
  Ran ran;
  ran.exit_code = run_child(words, kLimit, [&](std::string_view bytes) {
                    ran.text += bytes;
                    return true;
                  }).exit_code;
  return ran;
}

// Leaves the program under the tool, and where it starts, in "$@" and $first.
constexpr const char* kStart = R"(#!/bin/bash
if [[ $1 == --version ]]; then
  printf 'NVIDIA (R) Compute Sanitizer\nVersion 2025.3.1.0 (build 1)\n'
  exit 0
fi
echo "$*" >>"$0.calls"
[[ $* =~ --first\ ([0-9]+) ]] && first=${BASH_REMATCH[1]}
while [[ $1 != -- ]]; do shift; done
shift
)";

// Runs the program; `at NUMBER` is called when a case has started.
constexpr const char* kFilter = R"(
echo '========= COMPUTE-SANITIZER'
"$@" 2>&1 | while IFS= read -r line; do
  printf '%s\n' "$line"
  if [[ $line == $'bytegate-case\t'* ]]; then at "${line#*$'\t'}"; fi
done
)";

constexpr const char* kReport = R"(
report() {
  echo '========= Invalid __global__ read of size 4 bytes'
  echo '=========     at void bytegate::tiny_kernel<(int)4>(const int *)+0x90 in a.cu:3'
  echo '=========     Address 0x7f2a0c000404 is out of bounds'
  echo '=========     and is 1 bytes after the nearest allocation at 0x7f2a0c000000 of size 4 bytes'
  echo '========='
}
)";

// What a program says that runs nothing.
constexpr const char* kPretend = R"(
begin() { printf '\nbytegate-begin\tnothing\n'; }
start() { printf '\nbytegate-case\t%s\n' "$1"; }
pass() { printf '\nbytegate-verdict\t%s\tpass\t\ttiny\t\n' "$1"; }
)";

constexpr int kNumCases = 7;  // one of the corpus, six generated
const std::string kKept = "one_request.case";

class Sanitizer : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    dir_ = fs::temp_directory_path() /
           ("bytegate_" + std::string(test->name()) + "_" + std::to_string(getpid()));
    fs::create_directories(dir_ / "corpus");
    write("corpus/" + kKept,
          "bytegate-case 1\nop paged_mqa_metadata\nscalar num_sm 2\nscalar page_size 64\n"
          "scalar remainder last\ndim B 1\ntensor context_lens int32 [1] = 1\n"
          "tensor schedule_metadata int32 [3, 2]\nend\n");
  }
  void TearDown() override { fs::remove_all(dir_); }

  std::string path(const std::string& name) const { return (dir_ / name).string(); }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(dir_ / name, std::ios::binary) << text;
  }
  std::string read(const std::string& name) const {
    std::ifstream file(dir_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  // The gate with this script as the tool.
  Ran gate(const std::string& script, const std::vector<std::string>& more = {},
           const std::string& checker = "memcheck") const {
    write("tool", kStart + script);
    fs::permissions(path("tool"), fs::perms::owner_all);
    std::vector<std::string> words = {BYTEGATE_COMMAND,
                                      "gate",
                                      "--sanitizer",
                                      checker,
                                      "--sanitizer-path",
                                      path("tool"),
                                      "--bare-backend",
                                      "host",
                                      "--op",
                                      "paged_mqa_metadata",
                                      "--cases",
                                      std::to_string(num_generated_),
                                      "--corpus",
                                      path("corpus"),
                                      "--findings",
                                      path("found"),
                                      "--report",
                                      path("report")};
    words.insert(words.end(), more.begin(), more.end());
    return run_words(words);
  }
  nlohmann::json row() const {
    return nlohmann::json::parse(read("report/report.json"))["runs"].at(0);
  }
  int num_calls() const {
    const std::string calls = read("tool.calls");
    return static_cast<int>(std::count(calls.begin(), calls.end(), '\n'));
  }

  fs::path dir_;
  int num_generated_ = kNumCases - 1;
};

std::string summary(int count) {
  return "\necho '========= ERROR SUMMARY: " + std::to_string(count) + " errors'\n";
}

const std::string kQuiet = std::string("at() { :; }\n") + kFilter;

TEST_F(Sanitizer, ACleanRunPassesAndTheReportSaysWhatRan) {
  const Ran ran = gate(kQuiet + summary(0));
  EXPECT_EQ(ran.exit_code, 0) << ran.text;
  const nlohmann::json checker = row()["checker"];
  EXPECT_EQ(checker["tool"], "memcheck");
  EXPECT_EQ(checker["version"], "Version 2025.3.1.0 (build 1)");
  EXPECT_THAT(std::string(checker["command"]), HasSubstr("--tool memcheck --leak-check no"));
  EXPECT_EQ(checker["asked"], kNumCases);
  EXPECT_EQ(checker["ran"], kNumCases);
  EXPECT_EQ(checker["processes"], 1);
  EXPECT_EQ(row()["passed"], kNumCases);
  EXPECT_EQ(row()["sources"]["corpus"]["passed"], 1);
  EXPECT_THAT(read("report/summary.md"), HasSubstr("| paged_mqa_metadata | memcheck |"));
  EXPECT_THAT(std::string(checker["again"]), HasSubstr("--sanitizer memcheck --op"));
}

TEST_F(Sanitizer, AReportBecomesTheVerdictOfItsCaseWhichIsSavedAndReplays) {
  const Ran ran = gate(kReport + std::string("at() { if [[ $1 == 3 ]]; then report; fi; }\n") +
                       kFilter + summary(1));
  EXPECT_EQ(ran.exit_code, 1) << ran.text;
  EXPECT_THAT(ran.text, HasSubstr("FAIL overread:memcheck/tiny_kernel on cuda (1 case,"));
  EXPECT_EQ(row()["passed"], kNumCases - 1);
  const nlohmann::json finding = row()["findings"].at(0);
  EXPECT_THAT(std::string(finding["message"]), HasSubstr("1 bytes after the nearest allocation"));
  EXPECT_THAT(std::string(finding["replay"]),
              AllOf(HasSubstr("--tool memcheck"), HasSubstr("run-bare"), HasSubstr("--file ")));
  EXPECT_THAT(read(fs::relative(std::string(finding["file"]), dir_)),
              AllOf(HasSubstr("origin overread:memcheck/tiny_kernel"),
                    Not(HasSubstr("not seen when the case is run alone"))));
  const Ran replayed = run_words({"/bin/bash", "-c", finding["replay"]});
  EXPECT_EQ(replayed.exit_code, 0) << replayed.text;
  EXPECT_THAT(replayed.text, AllOf(HasSubstr("bytegate-done\t1"), HasSubstr("\tpass\t")));
}

TEST_F(Sanitizer, AReportThatCameLateIsGivenToTheCaseThatShowsItAlone) {
  // All at once, the report for case 3 comes when case 4 has started.
  const Ran late = gate(kReport +
                        std::string("at() {\n"
                                    "  if [[ $first == 0 && $1 == 4 ]]; then report; fi\n"
                                    "  if [[ $first == 3 && $1 == 3 ]]; then report; fi\n"
                                    "}\n") +
                        kFilter + summary(1));
  EXPECT_EQ(late.exit_code, 1) << late.text;
  const std::string blamed = row()["findings"].at(0)["case"];
  fs::remove_all(path("found"));
  gate(kReport + std::string("at() { if [[ $1 == 3 ]]; then report; fi; }\n") + kFilter +
       summary(1));
  EXPECT_EQ(row()["findings"].at(0)["case"], blamed);
}

TEST_F(Sanitizer, AReportThatNoCaseShowsAloneIsKeptWithANote) {
  const Ran ran =
      gate(kReport + std::string("at() { if [[ $first == 0 && $1 == 4 ]]; then report; fi; }\n") +
           kFilter + summary(1));
  EXPECT_EQ(ran.exit_code, 1) << ran.text;
  EXPECT_THAT(read(fs::relative(std::string(row()["findings"].at(0)["file"]), dir_)),
              HasSubstr("not seen when the case is run alone"));
}

TEST_F(Sanitizer, WordsThatAToolHoldsBackUntilItsEndAreGivenToTheirCaseByHalves) {
  const Ran ran =
      gate(kReport + std::string("echo '========= COMPUTE-SANITIZER'\n"
                                 "out=$(\"$@\" 2>&1)\nprintf '%s\\n' \"$out\"\nnum=0\n"
                                 "for bad in 3 5; do\n"
                                 "  if grep -q $'^bytegate-case\\t'$bad$ <<<\"$out\"; then\n"
                                 "    report\n    num=$((num + 1))\n  fi\ndone\n"
                                 "echo \"========= ERROR SUMMARY: $num errors\"\n"));
  EXPECT_EQ(ran.exit_code, 1) << ran.text;
  EXPECT_THAT(ran.text, AllOf(HasSubstr("FAIL overread:memcheck/tiny_kernel on cuda (2 cases,"),
                              Not(HasSubstr("UNMET"))));
  EXPECT_EQ(row()["checker"]["ran"], kNumCases);
  EXPECT_EQ(row()["passed"], kNumCases - 2);
}

TEST_F(Sanitizer, AWrongCandidateIsCaughtUnderTheToolToo) {
  const Ran ran = gate(kQuiet + summary(0), {"--candidate", BYTEGATE_SCHEDULE_WRONG});
  EXPECT_EQ(ran.exit_code, 1) << ran.text;
  EXPECT_THAT(ran.text, HasSubstr("FAIL mismatch:schedule_metadata on cuda"));
  EXPECT_THAT(std::string(row()["findings"].at(0)["replay"]), HasSubstr("--candidate "));
}

TEST_F(Sanitizer, AProgramThatSpeaksOfOtherCasesIsRed) {
  for (const char* other : {"1", "999999999999999"}) {
    const Ran ran =
        gate(std::string(kPretend) + "echo '========= COMPUTE-SANITIZER'\nbegin\n" + "start " +
             other + "\npass " + other + "\nprintf '\\nbytegate-done\\t1\\n'\n" + summary(0));
    EXPECT_EQ(ran.exit_code, 1) << ran.text;
    EXPECT_THAT(ran.text, HasSubstr("the program ran other cases than it was to"));
  }
}

TEST_F(Sanitizer, ACaseThatEndsTheProgramIsNamedAndTheRestStillRuns) {
  const Ran ran =
      gate(std::string("set -o pipefail\nat() { if [[ $1 == 2 ]]; then exit 9; fi; }\n") + kFilter +
           "code=$?" + summary(0) + "exit $code\n");
  EXPECT_EQ(ran.exit_code, 3) << ran.text;
  EXPECT_THAT(ran.text, AllOf(HasSubstr("FAIL crashed:memcheck on cuda (1 case,"),
                              HasSubstr("before it was done")));
  EXPECT_EQ(row()["checker"]["ran"], kNumCases);
  EXPECT_EQ(row()["checker"]["processes"], 2);
  EXPECT_EQ(row()["passed"], kNumCases - 1);
}

TEST_F(Sanitizer, ACaseThatNeverEndsIsKilledAndTheRestStillRuns) {
  const Ran ran = gate(std::string(kPretend) +
                           "echo '========= COMPUTE-SANITIZER'\nbegin\nnum=0\n"
                           "for ((i = first; i < 7; ++i)); do\n"
                           "  start $i\n  if [[ $i == 2 ]]; then sleep 1000; fi\n  pass $i\n"
                           "  num=$((num + 1))\ndone\n"
                           "printf '\\nbytegate-done\\t%s\\n' $num\n" +
                           summary(0),
                       {"--checker-seconds", "2"});
  EXPECT_EQ(ran.exit_code, 3) << ran.text;
  EXPECT_THAT(ran.text, HasSubstr("FAIL hung:memcheck on cuda (1 case,"));
  EXPECT_EQ(row()["passed"], kNumCases - 1);
}

TEST_F(Sanitizer, AProgramThatDiesAgainAndAgainIsGivenUp) {
  num_generated_ = 30;
  const Ran ran = gate(std::string(kPretend) +
                       "echo '========= COMPUTE-SANITIZER'\nbegin\nstart $first\nexit 5\n");
  EXPECT_EQ(ran.exit_code, 3) << ran.text;
  EXPECT_THAT(ran.text,
              AllOf(HasSubstr("given up after 16 restarts"), HasSubstr("only 17 of 31 cases ran")));
  EXPECT_EQ(num_calls(), 17);
}

struct Trouble {
  std::string script;
  std::string said;
};

TEST_F(Sanitizer, AToolThatDidNotDoItsWorkIsRed) {
  const std::string run = "\"$@\"\n";
  const std::string banner = "echo '========= COMPUTE-SANITIZER'\n";
  for (const Trouble& trouble : {
           Trouble{run + summary(0), "the tool's banner never came"},
           Trouble{banner + run, "the tool's summary never came"},
           Trouble{banner + run + summary(4), "summary says 4 errors, but only 0 could be read"},
           Trouble{
               banner + "echo '========= Error: No attachable process found'\n" + run + summary(0),
               "the tool says: Error: No attachable process found"},
           Trouble{"exit 1\n", "the program exited with 1 before its first case"},
           Trouble{"exit 0\n", "only 0 of 7 cases ran"},
           Trouble{"kill -9 $$\n", "the program died of signal 9 before its first case"},
           Trouble{banner + "\"$@\" | head -n 8" + summary(0), "before it was done"},
       }) {
    const Ran ran = gate(trouble.script);
    EXPECT_THAT(ran.exit_code, AllOf(Not(0), Not(2))) << ran.text;
    EXPECT_THAT(ran.text, HasSubstr("UNMET paged_mqa_metadata under memcheck: "));
    EXPECT_THAT(ran.text, HasSubstr(trouble.said)) << trouble.script;
  }
}

TEST_F(Sanitizer, AnAbsentBackendIsAMissingOne) {
  const Ran ran = gate(
      "echo '========= COMPUTE-SANITIZER'\n"
      "printf '\\nbytegate-absent\\tno device\\n'\nexit 4\n" +
      summary(0));
  EXPECT_EQ(ran.exit_code, 4) << ran.text;
  EXPECT_THAT(ran.text, HasSubstr("no backend under the tool: no device"));
}

TEST_F(Sanitizer, AMissingToolIsAMissingBackendAndNamed) {
  const Ran ran = run_words({BYTEGATE_COMMAND, "gate", "--sanitizer", "racecheck", "--corpus",
                             path("corpus"), "--sanitizer-path", path("nowhere")});
  EXPECT_EQ(ran.exit_code, 4);
  EXPECT_THAT(ran.text,
              AllOf(HasSubstr("compute-sanitizer is missing"), HasSubstr(path("nowhere"))));
}

TEST_F(Sanitizer, WhereTheToolIsLookedForIsSaid) {
  const Ran ran = run_words({"/usr/bin/env", "PATH=" + path("empty"), "CUDA_HOME=" + path("home"),
                             BYTEGATE_COMMAND, "gate", "--sanitizer", "memcheck", "--corpus",
                             path("corpus"), "--op", "paged_mqa_metadata", "--cases", "0"});
  if (fs::exists("/usr/local/cuda/bin/compute-sanitizer")) GTEST_SKIP() << "a toolkit has one";
  EXPECT_EQ(ran.exit_code, 4);
  EXPECT_THAT(ran.text, AllOf(HasSubstr(path("empty/compute-sanitizer")),
                              HasSubstr(path("home/bin/compute-sanitizer")),
                              HasSubstr("/usr/local/cuda/bin/compute-sanitizer")));
}

TEST_F(Sanitizer, EachCheckerIsCalledWithItsOptions) {
  for (const CheckerSpec& checker : checkers()) {
    const std::string name(checker.name);
    const Ran ran = gate(kQuiet + summary(0), {}, name);
    EXPECT_EQ(ran.exit_code, 0) << ran.text;
    EXPECT_THAT(read("tool.calls"), HasSubstr("--tool " + name + " "));
  }
  // Where everything is filled beforehand, nothing is left to be seen.
  EXPECT_THAT(read("tool.calls"), HasSubstr("--leave-unwritten"));
  EXPECT_EQ(num_calls(), 4);
}

TEST_F(Sanitizer, OptionsThatItHasNoUseForAreRefused) {
  for (const char* option : {"--shard=0/2", "--seconds=1", "--large", "--jobs=2"}) {
    EXPECT_EQ(gate("exit 1\n", {option}).exit_code, 2) << option;
  }
  EXPECT_EQ(gate("exit 1\n", {}, "thoughtcheck").exit_code, 2);
}

TEST(RunChild, WhatTakesNoStepIsKilledWithItsChildren) {
  const ChildEnd end = run_child({"/bin/bash", "-c", "sleep 1000 & yes"},
                                 std::chrono::milliseconds(200), [](auto) { return false; });
  EXPECT_TRUE(end.too_slow);
  EXPECT_EQ(end.how, "died of signal 9");
}

TEST(RunChild, AProgramThatIsNotThereExitsWithItsReason) {
  std::string text;
  const ChildEnd end = run_child({"/nowhere/at/all"}, kLimit, [&](std::string_view bytes) {
    text += bytes;
    return true;
  });
  EXPECT_EQ(end.exit_code, 127);
  EXPECT_THAT(text, HasSubstr("No such file"));
}

}  // namespace
}  // namespace bytegate::cli
