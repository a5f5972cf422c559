#include "fuzz/corpus/merge.h"

#include <gmock/gmock.h>

#include <fstream>
#include <iterator>
#include <map>

#include "fuzz/corpus/files.h"
#include "oracles/case_text.h"
#include "oracles/paged_mqa_metadata.h"
#include "oracles/testing/temp_folder.h"
#include "properties/op_properties.h"

namespace bytegate {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

namespace fs = std::filesystem;

Case case_of(int32_t len, const std::string& origin = "", const std::string& note = "") {
  Case c = make_paged_mqa_metadata_case({len}, 2);
  c.origin = origin;
  c.note = note;
  return c;
}

class Merge : public TempFolder {
 protected:
  // A folder of these cases, under names that say nothing.
  std::string folder_of(const std::string& name, const std::vector<Case>& cases) const {
    fs::create_directories(path(name));
    for (size_t i = 0; i < cases.size(); ++i) {
      save_case(path(name) + "/" + std::to_string(i) + ".case", cases[i]);
    }
    return path(name);
  }
  std::string merged(const std::string& name, const std::vector<std::string>& from) const {
    const MergeOutcome outcome = merge_corpora(from, path(name), all_ops());
    EXPECT_THAT(outcome.errors, ElementsAre());
    return path(name);
  }
  static std::map<std::string, std::string> contents(const std::string& dir) {
    std::map<std::string, std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(dir)) {
      if (entry.is_directory()) continue;
      std::ifstream file(entry.path(), std::ios::binary);
      files[fs::relative(entry.path(), dir)] = {std::istreambuf_iterator<char>(file), {}};
    }
    return files;
  }
};

TEST_F(Merge, NamesEachCaseByItsContent) {
  const Case c = case_of(7);
  const std::string into = merged("into", {folder_of("a", {c, c})});
  const auto files = contents(into);
  ASSERT_EQ(files.size(), 1U);
  EXPECT_EQ(files.begin()->first, "paged_mqa_metadata/" + case_digest(c) + ".case");
  EXPECT_EQ(files.begin()->second, write_case(c));
}

TEST_F(Merge, GivesTheSameBytesInAnyOrderAnyNumberOfTimesAndInAnyGroups) {
  const std::string a = folder_of("a", {case_of(1), case_of(2, "", "b"), case_of(3)});
  const std::string b = folder_of("b", {case_of(2, "", "a"), case_of(3, "mismatch:x"), case_of(4)});
  const std::string c = folder_of("c", {case_of(2), case_of(3, "crashed"), case_of(5)});
  const auto expect = contents(merged("abc", {a, b, c}));
  EXPECT_EQ(expect.size(), 5U);
  EXPECT_EQ(contents(merged("cba", {c, b, a})), expect);
  EXPECT_EQ(contents(merged("abab", {a, b, a, c, b, c})), expect);
  EXPECT_EQ(contents(merged("abc", {a, b, c})), expect) << "again into the same folder";
  const std::string ab = merged("ab", {a, b});
  const std::string bc = merged("bc", {b, c});
  EXPECT_EQ(contents(merged("ab_c", {ab, c})), expect);
  EXPECT_EQ(contents(merged("a_bc", {a, bc})), expect);
}

TEST_F(Merge, OfCasesThatDifferInOriginOrNoteKeepsTheOneThatSaysMore) {
  const std::string a =
      folder_of("a", {case_of(3, "", "a note"), case_of(3, "crashed"), case_of(3)});
  const auto files = contents(merged("into", {a}));
  ASSERT_EQ(files.size(), 1U);
  EXPECT_THAT(files.begin()->second, HasSubstr("origin crashed"));
}

TEST_F(Merge, LeavesNamedFilesOfTheFolderWhereTheyAre) {
  const std::string into = folder_of("into", {case_of(1)});
  merged("into", {folder_of("a", {case_of(1, "crashed"), case_of(2)})});
  const auto files = contents(into);
  EXPECT_EQ(files.size(), 2U);
  EXPECT_EQ(files.at("0.case"), write_case(case_of(1)));
}

TEST_F(Merge, NormalisesTexts) {
  const Case c = case_of(300);
  std::string text = write_case(c);
  text.insert(text.find("scalar"), "# by hand\r\n\n");
  fs::create_directories(path("a"));
  std::ofstream(path("a/x.case"), std::ios::binary) << text;
  EXPECT_EQ(contents(merged("into", {path("a")})).begin()->second, write_case(c));
}

TEST_F(Merge, SkipsDamagedFilesAndNamesThem) {
  const std::string a = folder_of("a", {case_of(1), case_of(2)});
  std::ofstream(a + "/0.case") << "bytegate-case 1\nop paged_mqa_metadata\nscalar num_sm";
  const MergeOutcome outcome = merge_corpora({a, path("gone")}, path("into"), all_ops());
  EXPECT_EQ(outcome.counts.num_taken, 1);
  EXPECT_THAT(outcome.errors,
              ElementsAre(HasSubstr("a/0.case"), HasSubstr("gone: no such file or folder")));
}

TEST_F(Merge, NeverReplacesAnotherContentUnderACasesName) {
  const Case c = case_of(1);
  const std::string taken = "into/paged_mqa_metadata/" + case_digest(c) + ".case";
  fs::create_directories(path("into/paged_mqa_metadata"));
  save_case(path(taken), case_of(9));
  const MergeOutcome outcome =
      merge_corpora({folder_of("a", {c, case_of(9), case_of(2)})}, path("into"), all_ops());
  EXPECT_THAT(outcome.errors, ElementsAre(HasSubstr(taken + ": the name of another content")));
  EXPECT_EQ(outcome.counts.num_taken, 1);
  EXPECT_EQ(contents(path("into")).size(), 2U);
  EXPECT_EQ(load_case(path(taken), all_ops()).value, case_of(9));
}

TEST(CorpusNames, AreAMachinesWhenTheyEndInADigest) {
  EXPECT_TRUE(is_machine_name("op/0123456789abcdef.case"));
  EXPECT_TRUE(is_machine_name("op/regress/mismatch-out-0123456789abcdef.case"));
  EXPECT_FALSE(is_machine_name("op/seed/split_edges.case"));
  EXPECT_FALSE(is_machine_name("op/seed/rows_0123456789abcdef.case"));
  EXPECT_FALSE(is_machine_name("op/0123456789ABCDEF.case"));
}

}  // namespace
}  // namespace bytegate
