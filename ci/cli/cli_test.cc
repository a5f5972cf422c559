// The command as a person or a script sees it: what it prints, what it leaves behind, how it exits.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>

namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;

struct Ran {
  int exit_code = -1;
  std::string text;  // stdout and stderr
};

Ran run_line(const std::string& line) {
  Ran ran;
  FILE* pipe = popen((line + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return ran;
  std::array<char, 4096> chunk{};
  size_t got = 0;
  while ((got = fread(chunk.data(), 1, chunk.size(), pipe)) > 0) ran.text.append(chunk.data(), got);
  const int status = pclose(pipe);
  if (WIFEXITED(status)) ran.exit_code = WEXITSTATUS(status);
  return ran;
}

Ran bytegate(const std::string& arguments) {
  return run_line(std::string("'") + BYTEGATE_COMMAND + "' " + arguments);
}

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// A folder that is gone after the test.
class CommandLine : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    dir_ = fs::temp_directory_path() /
           ("bytegate_" + std::string(test->name()) + "_" + std::to_string(getpid()));
    fs::create_directories(dir_);
  }
  void TearDown() override { fs::remove_all(dir_); }

  std::string path(const std::string& name) const { return (dir_ / name).string(); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(dir_ / name, std::ios::binary) << text;
    return path(name);
  }
  fs::path only_case_below(const std::string& name) const {
    fs::path found;
    for (const auto& entry : fs::recursive_directory_iterator(dir_ / name)) {
      if (entry.path().extension() != ".case") continue;
      EXPECT_TRUE(found.empty()) << found << " and " << entry.path();
      found = entry.path();
    }
    return found;
  }

  fs::path dir_;
};

// Paths may hold blanks. The quoted ones are for command lines; what follows a quoted path, as in
// kCorpus + "/seed", is still part of the same word.
const std::string kCorpusPath = BYTEGATE_CORPUS;
const std::string kCorpus = "'" + kCorpusPath + "'";
const std::string kWrong = std::string("'") + BYTEGATE_SCHEDULE_WRONG + "'";
const std::string kRight = std::string("'") + BYTEGATE_SCHEDULE_RIGHT + "'";
const std::string kLibraries = std::string("'") + BYTEGATE_BAD_LIBRARIES + "'";

TEST_F(CommandLine, TheGatePassesAndItsReportSaysWhatRan) {
  const Ran ran =
      bytegate("gate --op paged_mqa_metadata --backend host --cases 12000 --corpus " + kCorpus +
               " --findings " + path("found") + " --report " + path("report"));
  EXPECT_EQ(ran.exit_code, 0) << ran.text;
  const auto report = nlohmann::json::parse(read_file(dir_ / "report/report.json"));
  EXPECT_EQ(report["exit_code"], 0);
  const auto& row = report["runs"][0];
  for (const char* name : {"tiny", "small", "multi_block"}) {
    EXPECT_GE(row["paths"][name]["passed"], 1000) << name;
    EXPECT_EQ(row["paths"][name]["failed"], 0) << name;
  }
  EXPECT_GE(row["values_used"]["num_sm"]["used"], 1000);
  EXPECT_GE(row["sources"]["trace"]["passed"], 40);
  EXPECT_EQ(row["sources"]["generated"]["passed"], 12000);
  EXPECT_EQ(row["verdicts"]["untested"], 0);
  EXPECT_GE(row["refusals"]["passed"], 10);
  EXPECT_THAT(read_file(dir_ / "report/junit.xml"), HasSubstr("<testsuites>"));
  EXPECT_THAT(read_file(dir_ / "report/summary.md"), HasSubstr("| multi_block |"));
}

TEST_F(CommandLine, TheGateRunsEveryOperationWithItsCorpus) {
  const Ran ran = bytegate("gate --backend host --cases 100 --corpus " + kCorpus + " --findings " +
                           path("found") + " --report " + path("report"));
  EXPECT_EQ(ran.exit_code, 0) << ran.text;
  EXPECT_THAT(ran.text, HasSubstr("large cases (--large runs them)"));
  const auto report = nlohmann::json::parse(read_file(dir_ / "report/report.json"));
  EXPECT_EQ(report["runs"].size(), 9U);
  for (const auto& row : report["runs"]) {
    EXPECT_EQ(row["sources"]["generated"]["passed"], 100) << row["op"];
    EXPECT_GE(row["sources"]["corpus"]["passed"], 4) << row["op"];
    EXPECT_GE(row["refusals"]["passed"], 3) << row["op"];
  }
  EXPECT_GE(report["runs"][1]["paths"]["eager"]["passed"], 1);
  EXPECT_GE(report["runs"][1]["dtypes"]["seq_lens=int64"]["passed"], 1);
  EXPECT_GE(report["runs"][1]["variants"]["tail=live"]["passed"], 1);
}

TEST_F(CommandLine, AWrongCandidateIsNamedMinimisedAndReplayed) {
  const Ran ran = bytegate("gate --cases 200 --corpus " + kCorpus + " --candidate " + kWrong +
                           " --findings " + path("found"));
  EXPECT_EQ(ran.exit_code, 1) << ran.text;
  EXPECT_THAT(ran.text, AllOf(HasSubstr("FAIL mismatch:schedule_metadata"),
                              ContainsRegex("field schedule_metadata, index \\[1, 0\\], expect 0, "
                                            "actual 1; 1 of 6 elements differ"),
                              HasSubstr("B=1 num_sm=2 page_size=64 remainder=last "
                                        "context_lens=[1]  (minimal)")));
  const fs::path file = only_case_below("found");
  ASSERT_FALSE(file.empty()) << ran.text;
  const std::string replay = "replay " + file.string() + " --candidate " + kWrong;
  EXPECT_THAT(ran.text, ContainsRegex("replay .*bytegate'? replay " + file.string()));
  const Ran again = bytegate(replay);
  EXPECT_EQ(again.exit_code, 1) << again.text;
  EXPECT_THAT(again.text, HasSubstr("expect 0, actual 1"));
  const Ran production = bytegate("replay " + file.string());
  EXPECT_EQ(production.exit_code, 0) << production.text;
}

TEST_F(CommandLine, WithoutAnOracleProductionPassesAndEveryRelationApplies) {
  const Ran ran =
      bytegate("gate --without-oracle --op paged_mqa_metadata --backend host --corpus " + kCorpus +
               " --cases 5000 --findings " + path("found") + " --report " + path("report"));
  EXPECT_EQ(ran.exit_code, 0) << ran.text;
  EXPECT_THAT(ran.text, HasSubstr("no oracle was asked"));
  const auto report = nlohmann::json::parse(read_file(dir_ / "report/report.json"));
  EXPECT_EQ(report["without_oracle"], true);
  const auto& relations = report["runs"][0]["relations"];
  EXPECT_GE(relations.size(), 16U);
  for (const auto& relation : relations.items()) EXPECT_GT(relation.value(), 20) << relation.key();
}

TEST_F(CommandLine, WithoutAnOracleAWrongCandidateIsNamedMinimisedAndReplayed) {
  const Ran ran =
      bytegate("gate --without-oracle --backend host --cases 100 --corpus " + kCorpus +
               "/paged_mqa_metadata/trace --candidate " + kWrong + " --findings " + path("found"));
  EXPECT_EQ(ran.exit_code, 1) << ran.text;
  EXPECT_THAT(ran.text, AllOf(HasSubstr("FAIL invariant on host"),
                              HasSubstr("B=1 num_sm=2 page_size=64 remainder=last "
                                        "context_lens=[1]  (minimal)")));
  const fs::path file = only_case_below("found");
  ASSERT_FALSE(file.empty()) << ran.text;
  EXPECT_EQ(bytegate("replay " + file.string() + " --candidate " + kWrong).exit_code, 1);
}

TEST_F(CommandLine, ACaseThatBrokeARelationIsHeldToItWhenItIsReplayed) {
  // Right by itself; what the relation makes of it is not.
  const std::string file =
      write("relation.case",
            "bytegate-case 1\nop paged_mqa_metadata\norigin invariant:other_remainder\n"
            "scalar num_sm 2\nscalar page_size 64\nscalar remainder first\ndim B 1\n"
            "tensor context_lens int32 [1] = 1\ntensor schedule_metadata int32 [3, 2]\nend\n");
  const Ran wrong = bytegate("replay " + file + " --backend host --candidate " + kWrong);
  EXPECT_EQ(wrong.exit_code, 1) << wrong.text;
  EXPECT_THAT(wrong.text, HasSubstr("mismatch:schedule_metadata"));
  EXPECT_EQ(bytegate("replay " + file + " --backend host").exit_code, 0);
}

TEST_F(CommandLine, ARightCandidatePassesTheGate) {
  const Ran ran = bytegate("gate --backend host --cases 500 --candidate " + kRight + " --corpus " +
                           kCorpus + " --findings " + path("found"));
  EXPECT_EQ(ran.exit_code, 0) << ran.text;
  EXPECT_THAT(ran.text, HasSubstr("not run: dsa_decode_metadata on host: the candidate does not "
                                  "have this operation"));
  const Ran asked =
      bytegate("gate --op dsa_decode_metadata --backend host --cases 20 --candidate " + kRight +
               " --findings " + path("found"));
  EXPECT_EQ(asked.exit_code, 1) << asked.text;
}

TEST_F(CommandLine, MinimizeMakesAFailingCaseSmall) {
  const std::string file = kCorpus + "/paged_mqa_metadata/seed/split_edges.case";
  const Ran ran =
      bytegate("minimize " + file + " --candidate " + kWrong + " --out " + path("small.case"));
  EXPECT_EQ(ran.exit_code, 1) << ran.text;
  EXPECT_THAT(read_file(dir_ / "small.case"),
              AllOf(HasSubstr("scalar num_sm 2\n"), HasSubstr("int32 [1] = 1\n")));
  EXPECT_EQ(bytegate("minimize " + file + " --out " + path("none.case")).exit_code, 0);
  EXPECT_FALSE(fs::exists(dir_ / "none.case"));
}

TEST_F(CommandLine, BadCaseFilesAreUsageErrorsThatNameTheLine) {
  const std::string good = read_file(kCorpusPath + "/paged_mqa_metadata/seed/split_edges.case");
  const Ran truncated = bytegate("replay " + write("cut.case", good.substr(0, good.size() / 2)));
  EXPECT_EQ(truncated.exit_code, 2);
  EXPECT_THAT(truncated.text, ContainsRegex("cut.case.*line [0-9]+"));
  const Ran garbage = bytegate("replay " + write("garbage.case", std::string("\x00\xff\x7f{", 4)));
  EXPECT_EQ(garbage.exit_code, 2);
  EXPECT_THAT(garbage.text, HasSubstr("line 1"));
  EXPECT_EQ(bytegate("replay " + path("missing.case")).exit_code, 2);
  EXPECT_EQ(bytegate("replay " + dir_.string() + "/nothing").exit_code, 2);
}

TEST_F(CommandLine, ABadFileInTheCorpusMakesTheGateRed) {
  write("bad.case", "bytegate-case 9\n");
  const Ran ran = bytegate("gate --cases 100 --corpus " + dir_.string());
  EXPECT_EQ(ran.exit_code, 2) << ran.text;
  EXPECT_THAT(ran.text, HasSubstr("bad.case"));
}

TEST_F(CommandLine, ACorpusThatWasAskedForAndIsNotThereIsAnError) {
  const Ran ran = bytegate("gate --cases 10 --corpus " + path("nowhere"));
  EXPECT_EQ(ran.exit_code, 2) << ran.text;
  EXPECT_THAT(ran.text, HasSubstr("no such file or folder"));
}

TEST_F(CommandLine, UnusableCandidatesAreUsageErrorsEachWithItsReason) {
  const auto gate = [](const std::string& library) {
    return bytegate("gate --cases 10 --candidate " + library);
  };
  const Ran no_symbol = gate(kLibraries + "/no_symbol.so");
  EXPECT_EQ(no_symbol.exit_code, 2);
  EXPECT_THAT(no_symbol.text, HasSubstr("no symbol bytegate_get_candidate"));
  const Ran other_version = gate(kLibraries + "/other_version.so");
  EXPECT_EQ(other_version.exit_code, 2);
  EXPECT_THAT(other_version.text, HasSubstr("interface version"));
  const Ran aborts = gate(kLibraries + "/aborts_in_constructor.so");
  EXPECT_EQ(aborts.exit_code, 2);
  EXPECT_THAT(aborts.text, HasSubstr("does not load: killed by signal 6"));
  EXPECT_EQ(gate(path("missing.so")).exit_code, 2);
}

TEST_F(CommandLine, ACandidateThatCrashesIsAVerdictAndTheRunGoesOn) {
  const std::string crashes = kLibraries + "/crashes.so";
  const Ran ran =
      bytegate("gate --op paged_mqa_metadata --cases 40 --minimize-seconds 0.2 --candidate " +
               crashes + " --findings " + path("found") + " --report " + path("report"));
  EXPECT_EQ(ran.exit_code, 3) << ran.text;
  EXPECT_THAT(ran.text, AllOf(HasSubstr("FAIL crashed"), HasSubstr("signal 11")));
  const auto report = nlohmann::json::parse(read_file(dir_ / "report/report.json"));
  EXPECT_GE(report["runs"][0]["verdicts"]["crashed"], 40);
  const fs::path file = only_case_below("found");
  EXPECT_EQ(bytegate("replay " + file.string() + " --candidate " + crashes).exit_code, 3);
}

TEST_F(CommandLine, ATimeLimitCutsTheSearchAndNeverTheCorpus) {
  const Ran ran = bytegate("gate --op paged_mqa_metadata --backend host --seconds 0.001 --corpus " +
                           kCorpus + " --findings " + path("found"));
  EXPECT_EQ(ran.exit_code, 0) << ran.text;
  EXPECT_THAT(ran.text, HasSubstr("the time ran out before the last generated case"));
  EXPECT_THAT(ran.text, HasSubstr("trace 48"));
}

constexpr const char* kTrace =
    "TIMESTAMP,ContextTokens,GeneratedTokens\n"
    "2023-11-16 18:17:03.9799600,4808,10\n"
    "2023-11-16 18:17:04.0319600,3180,8\n";

TEST_F(CommandLine, ATraceIsGatedBatchByBatch) {
  const Ran ran = bytegate("trace " + write("trace.csv", kTrace) + " --backend host --findings " +
                           path("found") + " --report " + path("report"));
  EXPECT_EQ(ran.exit_code, 0) << ran.text;
  const auto report = nlohmann::json::parse(read_file(dir_ / "report/report.json"));
  EXPECT_EQ(report["runs"][0]["sources"]["trace"]["passed"], 10);
}

TEST_F(CommandLine, ATraceIsWrittenAsCases) {
  const Ran ran = bytegate("trace " + write("trace.csv", kTrace) + " --note 'from a test' --out " +
                           path("cases"));
  EXPECT_EQ(ran.exit_code, 0) << ran.text;
  EXPECT_THAT(read_file(dir_ / "cases/trace-b2.case"), HasSubstr("note from a test\n"));
  EXPECT_EQ(bytegate("replay --backend host " + path("cases")).exit_code, 0);
}

TEST_F(CommandLine, ATraceWithAMissingColumnIsNamed) {
  const Ran ran = bytegate("trace " + write("trace.csv", "TIMESTAMP,ContextTokens\n1,2\n"));
  EXPECT_EQ(ran.exit_code, 2);
  EXPECT_THAT(ran.text, AllOf(HasSubstr("trace.csv"), HasSubstr("GeneratedTokens")));
}

TEST_F(CommandLine, PagesOfATraceMustHaveRoomForATokenAndSlotsForTheRun) {
  const std::string trace = "trace " + write("trace.csv", kTrace);
  for (const std::string& mode : {std::string(), " --out " + path("cases")}) {
    const Ran empty = bytegate(trace + " --page-size 0" + mode);
    EXPECT_EQ(empty.exit_code, 2) << empty.text;
    EXPECT_THAT(empty.text, HasSubstr("page_size: 0 is not in 1 .. 2147483647"));
    const Ran large = bytegate(trace + " --page-size 2147483647" + mode);
    EXPECT_EQ(large.exit_code, 2) << large.text;
    EXPECT_THAT(large.text, HasSubstr("slots end at 2147483647"));
  }
  const Ran small = bytegate(trace + " --page-size 1 --backend host --findings " + path("found"));
  EXPECT_EQ(small.exit_code, 0) << small.text;
}

TEST_F(CommandLine, UsageErrorsExitWithTwo) {
  for (const char* arguments :
       {"", "frobnicate", "gate --shard 2/2", "gate --backend tpu", "gate --op nothing",
        "gate --cases -1", "replay", "gate --no-such-option",
        "gate --without-oracle --sanitizer memcheck", "gate --require-gpu --backend host"}) {
    const Ran ran = bytegate(arguments);
    EXPECT_EQ(ran.exit_code, 2) << arguments << "\n" << ran.text;
    EXPECT_FALSE(ran.text.empty()) << arguments;
  }
}

TEST_F(CommandLine, EveryCommandExplainsItself) {
  for (const char* command : {"", "list", "doctor", "gate", "sweep", "replay", "minimize", "trace",
                              "corpus", "corpus show"}) {
    const Ran ran = bytegate(std::string(command) + " --help");
    EXPECT_EQ(ran.exit_code, 0) << command;
    EXPECT_THAT(ran.text, HasSubstr("--help")) << command;
  }
  EXPECT_THAT(bytegate("list").text, HasSubstr("paged_mqa_metadata"));
  const Ran listed = bytegate("list dsa_decode_metadata nothing");
  EXPECT_EQ(listed.exit_code, 2);
  EXPECT_THAT(listed.text, AllOf(HasSubstr("tail  full | live"),
                                 HasSubstr("there is no operation "
                                           "nothing"),
                                 HasSubstr("int32 or int64, rank 1, any stride of axis 0")));
  EXPECT_THAT(bytegate("corpus show " + kCorpus + "/paged_mqa_metadata/seed/split_edges.case").text,
              HasSubstr("expect   schedule_metadata"));
}

TEST_F(CommandLine, TheHelpOfTheGateSaysHowManyCasesOperationsAskFor) {
  EXPECT_THAT(bytegate("gate --help").text,
              ContainsRegex("as many as the operation asks for, ([0-9]+ .. )?100000\\)"));
}

TEST_F(CommandLine, AGateThatFailsFastEndsAtItsFirstFailureAndSaysAfterHowManyCases) {
  const Ran ran = bytegate("gate --op paged_mqa_metadata --backend host --jobs 1 --fail-fast" +
                           std::string(" --no-corpus --candidate ") + kWrong + " --findings " +
                           path("found") + " --report " + path("report"));
  EXPECT_EQ(ran.exit_code, 1) << ran.text;
  EXPECT_THAT(ran.text, AllOf(HasSubstr("corpus: --no-corpus"), HasSubstr("(minimal)"),
                              HasSubstr("after the first failure (--fail-fast)")));
  const auto row = nlohmann::json::parse(read_file(dir_ / "report/report.json"))["runs"][0];
  EXPECT_EQ(row["failed_fast"], true);
  EXPECT_EQ(row["findings"][0]["source"], "generated");
  EXPECT_LE(row["findings"][0]["after_cases"], 16);
  EXPECT_LE(row["passed"].get<int64_t>() + row["failed"].get<int64_t>(), 64);
}

TEST_F(CommandLine, AListOfAnotherSuiteIsRunInTheStead) {
  const std::string gate = "gate --op paged_mqa_metadata --backend host --list ";
  const Ran ran = bytegate(gate + "sglang-gate --report " + path("report"));
  EXPECT_EQ(ran.exit_code, 0) << ran.text;
  const auto row = nlohmann::json::parse(read_file(dir_ / "report/report.json"))["runs"][0];
  EXPECT_EQ(row["sources"]["sglang-gate"]["passed"], 39);
  EXPECT_EQ(bytegate(gate + "sglang-gate --candidate " + kWrong).exit_code, 1);
  EXPECT_EQ(bytegate(gate + "sglang-gate --without-oracle").exit_code, 2);
  EXPECT_EQ(bytegate("gate --backend host --list all --candidate " + kRight).exit_code, 0);
  const Ran unknown = bytegate(gate + "nobodys");
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_THAT(unknown.text, HasSubstr("--list nobodys: no such list; there are: sglang-gate"));
  EXPECT_THAT(bytegate("list paged_mqa_metadata").text, HasSubstr("list    sglang-gate: "));
}

TEST_F(CommandLine, AMissingGpuIsAnErrorOnlyWhenItWasAskedFor) {
  const Ran doctor = bytegate("doctor");
  EXPECT_EQ(doctor.exit_code, 0) << doctor.text;
  if (doctor.text.find("cuda  ready") != std::string::npos) return;
  EXPECT_EQ(bytegate("doctor --require-gpu").exit_code, 4);
  EXPECT_EQ(bytegate("gate --cases 10 --backend cuda").exit_code, 4);
  EXPECT_EQ(bytegate("gate --cases 10 --require-gpu").exit_code, 4);
  const Ran both = bytegate("gate --cases 10 --findings " + path("found"));
  EXPECT_EQ(both.exit_code, 0) << both.text;
  EXPECT_THAT(both.text, HasSubstr("not run: cuda: "));
}

TEST_F(CommandLine, ShardsTogetherAreTheWholeRun) {
  std::map<std::string, int64_t> num_passed;
  for (const char* shard : {"0/3", "1/3", "2/3"}) {
    const std::string dir = path(std::string("report") + shard[0]);
    const Ran ran = bytegate("gate --backend host --cases 100 --shard " + std::string(shard) +
                             " --findings " + path("found") + " --report " + dir);
    EXPECT_EQ(ran.exit_code, 0) << ran.text;
    const auto report = nlohmann::json::parse(read_file(dir + "/report.json"));
    for (const auto& row : report["runs"]) {
      num_passed[row["op"].get<std::string>()] +=
          row["sources"]["generated"]["passed"].get<int64_t>();
    }
  }
  EXPECT_EQ(num_passed.size(), 9U);
  for (const auto& [op, count] : num_passed) EXPECT_EQ(count, 100) << op;
}

}  // namespace
