// `bytegate corpus` as a person or a script sees it.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>

#include "ci/cli/testing/process.h"
#include "oracles/testing/temp_folder.h"

namespace bytegate {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

namespace fs = std::filesystem;

const std::string kCorpus = BYTEGATE_CORPUS;
const std::string kSplitEdges = kCorpus + "/paged_mqa_metadata/seed/split_edges.case";

class CorpusCommand : public TempFolder {
 protected:
  struct Ran {
    int exit_code = -1;
    std::string text;  // stdout and stderr
  };
  static Ran corpus(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "corpus");
    Process process(BYTEGATE_COMMAND, arguments);
    Ran ran;
    ran.text = process.read_all();
    ran.exit_code = process.exit_code();
    return ran;
  }
  void write(const std::string& name, const std::string& text) const {
    fs::create_directories(fs::path(path(name)).parent_path());
    std::ofstream(path(name), std::ios::binary) << text;
  }
};

TEST_F(CorpusCommand, ShowDrawsTheSchedule) {
  const Ran ran = corpus({"show", kSplitEdges});
  EXPECT_EQ(ran.exit_code, 0);
  EXPECT_THAT(ran.text, HasSubstr("  schedule 11 splits of 6 requests over 9 SMs"));
  EXPECT_THAT(ran.text, HasSubstr("    SM 7  2  ef  4:1 5:0\n    SM 8  2  ff  5:1..2\n"));
}

TEST_F(CorpusCommand, ShowDrawsEveryStepOfAReplay) {
  const Ran ran = corpus({"show", kCorpus + "/dsa_decode_refresh/seed/bucket_of_4_replayed.case"});
  EXPECT_EQ(ran.exit_code, 0);
  EXPECT_THAT(ran.text,
              AllOf(HasSubstr("  step     1\n  changed  seq_lens\n    [256, 513, 1, 1]\n"),
                    HasSubstr("  tables   4 rows of 4 requests, pages of 64 tokens\n"),
                    HasSubstr("  .. 5 steps in all\n")));
}

TEST_F(CorpusCommand, ShowSaysWhatIsWrongWithAnInvalidCall) {
  const Ran ran = corpus({"show", kCorpus + "/paged_mqa_metadata/refused"});
  EXPECT_EQ(ran.exit_code, 0);
  EXPECT_THAT(ran.text, AllOf(HasSubstr("fault    context_lens is null"),
                              HasSubstr("outside the contract: ")));
}

TEST_F(CorpusCommand, ShowNamesWhatItCannotRead) {
  write("broken.case", "bytegate-case 1\nop nobodys\n");
  const Ran ran = corpus({"show", folder_.string()});
  EXPECT_EQ(ran.exit_code, 2);
  EXPECT_THAT(ran.text, HasSubstr("broken.case: line 2: op"));
}

TEST_F(CorpusCommand, StatsCountAsTextAndAsJson) {
  const std::string dir = kCorpus + "/dsa_decode_precompute";
  const Ran text = corpus({"stats", dir});
  EXPECT_EQ(text.exit_code, 0);
  EXPECT_THAT(text.text,
              AllOf(HasSubstr("dsa_decode_precompute\n  expect    bytes "), HasSubstr("\nop  ")));
  const Ran json = corpus({"stats", dir, "--json"});
  EXPECT_EQ(json.exit_code, 0);
  int64_t num_files = 0;
  const nlohmann::json parsed = nlohmann::json::parse(json.text);
  for (const auto& row : parsed["ops"]) {
    EXPECT_EQ(row["passed"], row["files"]) << row["op"];
    num_files += row["files"].get<int64_t>();
  }
  int64_t num_cases = 0;
  for (const auto& entry : fs::recursive_directory_iterator(dir)) {
    num_cases += entry.path().extension() == ".case" ? 1 : 0;
  }
  EXPECT_EQ(num_files, num_cases);
}

TEST_F(CorpusCommand, MergeEndsWithAnErrorWhenAFileIsDamaged) {
  write("a/broken.case", "bytegate-case 1\n");
  fs::copy_file(kSplitEdges, path("a/x.case"));
  const Ran ran = corpus({"merge", path("a"), "--into", path("b")});
  EXPECT_EQ(ran.exit_code, 2);
  EXPECT_THAT(ran.text, AllOf(HasSubstr("a/broken.case: "), HasSubstr("1 cases taken")));
  EXPECT_EQ(corpus({"merge", path("b"), "--into", path("c")}).exit_code, 0);
}

TEST_F(CorpusCommand, PruneWritesOrRemovesOnlyWhatItWasToldTo) {
  const std::string from = path("from");
  ASSERT_EQ(corpus({"merge", kCorpus + "/paged_mqa_metadata", "--into", from}).exit_code, 0);
  const auto count = [](const std::string& dir) {
    int64_t num = 0;
    for (const auto& entry : fs::recursive_directory_iterator(dir)) num += !entry.is_directory();
    return num;
  };
  const int64_t num_before = count(from);
  const Ran preview = corpus({"prune", from});
  EXPECT_EQ(preview.exit_code, 0) << preview.text;
  EXPECT_THAT(preview.text, HasSubstr("nothing was written"));
  EXPECT_EQ(count(from), num_before);
  EXPECT_EQ(corpus({"prune", from, "--into", path("to")}).exit_code, 0);
  EXPECT_EQ(count(from), num_before);
  EXPECT_LT(count(path("to")), num_before);
  const Ran again = corpus({"prune", from, "--into", path("to")});
  EXPECT_EQ(again.exit_code, 2);
  EXPECT_THAT(again.text, HasSubstr("is there and not empty"));
  EXPECT_EQ(corpus({"prune", from, "--delete"}).exit_code, 0);
  EXPECT_EQ(count(from), count(path("to")));
}

TEST_F(CorpusCommand, PruneRemovesNothingOfAFolderThatItCannotReadInFull) {
  const std::string from = path("from");
  ASSERT_EQ(corpus({"merge", kCorpus + "/paged_mqa_metadata/trace", "--into", from}).exit_code, 0);
  write("from/broken.case", "bytegate-case 1\n");
  const Ran ran = corpus({"prune", from, "--delete"});
  EXPECT_EQ(ran.exit_code, 2);
  EXPECT_THAT(ran.text, AllOf(HasSubstr("nothing is pruned"), Not(HasSubstr("drop"))));
}

TEST_F(CorpusCommand, PruneKeepsWhatCoverageAndKillsAskFor) {
  const std::string from = path("from");
  ASSERT_EQ(corpus({"merge", kCorpus + "/paged_mqa_metadata/trace", "--into", from}).exit_code, 0);
  nlohmann::json coverage = {{"format", "bytegate-coverage 1"},
                             {"cases", nlohmann::json::object()}};
  nlohmann::json kills = {{"format", "bytegate-kills 1"}, {"faults", nlohmann::json::object()}};
  int64_t num_cases = 0;
  for (const auto& entry : fs::recursive_directory_iterator(from)) {
    if (entry.is_directory()) continue;
    const std::string name = fs::relative(entry.path(), from);
    coverage["cases"][name] = {1, 2};
    kills["cases"].push_back(name);
    kills["faults"]["fault-" + std::to_string(++num_cases)] = {name};
  }
  write("coverage.json", coverage.dump());
  write("kills.json", kills.dump());
  const Ran covered = corpus({"prune", from, "--coverage", path("coverage.json")});
  EXPECT_EQ(covered.exit_code, 0) << covered.text;
  EXPECT_THAT(covered.text, HasSubstr("drop"));
  const Ran killed = corpus({"prune", from, "--kills", path("kills.json"), "--verbose"});
  EXPECT_EQ(killed.exit_code, 0) << killed.text;
  EXPECT_THAT(killed.text, AllOf(Not(HasSubstr("drop")), HasSubstr("kills fault-")));
}

TEST_F(CorpusCommand, PruneRefusesEvidenceOfAnotherCorpus) {
  write("other.json", R"({"format": "bytegate-coverage 1", "cases": {"nobody/0123.case": [1]}})");
  write("kills.json", R"({"format": "bytegate-kills 2"})");
  const std::string dir = kCorpus + "/dsa_decode_precompute";
  const Ran other = corpus({"prune", dir, "--coverage", path("other.json")});
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_THAT(other.text, HasSubstr("does not hold the case nobody/0123.case"));
  const Ran format = corpus({"prune", dir, "--kills", path("kills.json")});
  EXPECT_EQ(format.exit_code, 2);
  EXPECT_THAT(format.text, HasSubstr("is not \"bytegate-kills 1\""));
}

TEST_F(CorpusCommand, ImportTellsCasesTracesAndInputsApart) {
  write("t.jsonl", R"({"timestamp": 0, "input_length": 300, "output_length": 2})"
                   "\n");
  write("in/0a1b", "any bytes");
  write("in/0a1c", "any other bytes");
  const std::string into = path("into");
  const Ran ran = corpus({"import", kSplitEdges, path("t.jsonl"), path("in"), "--op",
                          "paged_mqa_metadata", "--into", into});
  EXPECT_EQ(ran.exit_code, 0) << ran.text;
  EXPECT_THAT(ran.text, AllOf(HasSubstr("split_edges.case (case files): 1 taken"),
                              HasSubstr("t.jsonl (trace, paged_mqa_metadata): "),
                              HasSubstr("in (inputs): ")));
  const Ran again = corpus({"import", into, "--into", into});
  EXPECT_EQ(again.exit_code, 0) << again.text;
  EXPECT_THAT(again.text, HasSubstr("0 cases taken"));
  Process replay(BYTEGATE_COMMAND, {"replay", into, "--backend", "host"});
  const std::string replayed = replay.read_all();
  EXPECT_EQ(replay.exit_code(), 0) << replayed;
}

TEST_F(CorpusCommand, ImportAsksWhoseInputsTheyAre) {
  write("in/0a1b", "any bytes");
  const Ran ran = corpus({"import", path("in"), path("gone"), "--into", path("into")});
  EXPECT_EQ(ran.exit_code, 2);
  EXPECT_THAT(ran.text, AllOf(HasSubstr("need its --op"), HasSubstr("gone: no such file")));
}

}  // namespace
}  // namespace bytegate
