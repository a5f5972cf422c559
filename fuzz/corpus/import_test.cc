#include "fuzz/corpus/import.h"

#include <gmock/gmock.h>

#include <fstream>

#include "fuzz/finding.h"
#include "oracles/case_text.h"
#include "oracles/paged_mqa_metadata.h"
#include "oracles/testing/temp_folder.h"

namespace bytegate {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

namespace fs = std::filesystem;

// One request, whose length is the number of bytes.
Case decode_size(const Op&, std::span<const uint8_t> bytes) {
  return make_paged_mqa_metadata_case({static_cast<int32_t>(bytes.size())}, 1);
}

class Import : public TempFolder {
 protected:
  void write(const std::string& name, const std::string& text) const {
    fs::create_directories(fs::path(path(name)).parent_path());
    std::ofstream(path(name), std::ios::binary) << text;
  }
  std::vector<std::string> inputs_of(const std::string& dir) const {
    std::vector<std::string> names;
    for (const std::string& file : find_inputs(path(dir)).files) {
      names.push_back(fs::relative(file, path(dir)).string());
    }
    return names;
  }
  CaseSink sink() const { return {path("into"), all_ops()}; }
};

TEST_F(Import, TakesEveryFileOfALibFuzzerCorpus) {
  write("in/0a1b", "x");
  write("in/crash-17", "xy");
  write("in/.lock", "");
  write("in/README.txt", "no input");
  write("in/kept.case", "no input");
  fs::create_symlink("/etc/hostname", path("in/link"));
  EXPECT_THAT(inputs_of("in"), ElementsAre("0a1b", "crash-17"));
}

TEST_F(Import, TakesTheQueuesAndCrashesOfAnAflOutput) {
  write("out/main/queue/id:000000,time:0,orig:a", "x");
  write("out/main/queue/.state/redundant_edges/id:000000", "");
  write("out/main/crashes/id:000001,sig:06", "xy");
  write("out/main/crashes/README.txt", "");
  write("out/main/fuzzer_stats", "");
  write("out/second/queue/id:000007", "xyz");
  write("out/second/cmdline", "");
  EXPECT_THAT(inputs_of("out"),
              ElementsAre("main/crashes/id:000001,sig:06", "main/queue/id:000000,time:0,orig:a",
                          "second/queue/id:000007"));
  EXPECT_THAT(inputs_of("out/main"),
              ElementsAre("crashes/id:000001,sig:06", "queue/id:000000,time:0,orig:a"));
  EXPECT_THAT(inputs_of("out/main/queue"), ElementsAre("id:000000,time:0,orig:a"));
}

TEST_F(Import, CountsInputsThatAreTakenKnownAndRejected) {
  write("in/a", "12345");
  write("in/b", "54321");
  write("in/c", std::string(kMaxInputBytes + 1, 'x'));
  write("in/d", "");
  CaseSink into = sink();
  const ImportCounts counts =
      import_inputs(find_inputs(path("in")), paged_mqa_metadata_op(), decode_size, into);
  EXPECT_EQ(counts.cases.num_taken, 2);
  EXPECT_EQ(counts.cases.num_duplicates, 1);
  EXPECT_EQ(counts.cases.num_rejected, 1);
  EXPECT_THAT(counts.rejected, ElementsAre(HasSubstr("in/c: more than 1048576 bytes")));
}

TEST_F(Import, TakesFindingsWithTheirOrigin) {
  const Case c = make_paged_mqa_metadata_case({300}, 4);
  ASSERT_EQ(save_finding(path("found"), c, "crashed", "").error, "");
  write("found/paged_mqa_metadata/regress/broken.case", "bytegate-case 1\n");
  write("found/.running/1/owner", "");
  CaseSink into = sink();
  const ImportCounts counts = import_cases(path("found"), into, all_ops());
  EXPECT_EQ(counts.cases.num_taken, 1);
  EXPECT_EQ(counts.cases.num_rejected, 1);
  EXPECT_THAT(counts.rejected, ElementsAre(HasSubstr("broken.case")));
  const LoadResult taken =
      load_case(path("into/paged_mqa_metadata/" + case_digest(c) + ".case"), all_ops());
  ASSERT_TRUE(taken.value) << taken.error;
  EXPECT_EQ(taken.value->origin, "crashed");
}

TEST_F(Import, TakesDecodeStepsOfATrace) {
  write("t.jsonl",
        "{\"timestamp\": 0, \"input_length\": 300, \"output_length\": 2}\n"
        "{\"timestamp\": 1, \"input_length\": 5, \"output_length\": 3}\n");
  write("t.csv", "TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:15:46.6805900,7,x\n");
  for (const OpProperties& properties : all_properties()) {
    CaseSink into = sink();
    const ImportCounts counts = import_trace(path("t.jsonl"), properties, {}, into);
    EXPECT_THAT(counts.rejected, IsEmpty()) << properties.op->name;
    EXPECT_GE(counts.cases.num_taken, 2) << properties.op->name;
    const ImportCounts again = import_trace(path("t.jsonl"), properties, {}, into);
    EXPECT_EQ(again.cases.num_duplicates, counts.cases.num_taken);
    EXPECT_EQ(again.cases.num_taken, 0);
    const ImportCounts bad = import_trace(path("t.csv"), properties, {}, into);
    EXPECT_EQ(bad.cases.num_rejected, 1);
    EXPECT_THAT(bad.rejected, ElementsAre(HasSubstr("t.csv: line 2")));
  }
}

}  // namespace
}  // namespace bytegate
