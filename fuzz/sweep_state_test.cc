#include "fuzz/sweep_state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "oracles/testing/temp_folder.h"

namespace bytegate {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

SweepIdentity identity() {
  return {.op = "an_op",
          .world = "small",
          .backend = "host",
          .candidate = "/a path/with check in it.so",
          .version = "0123456789abcdef"};
}

PartSet set_of(int64_t num_parts, std::initializer_list<int64_t> parts) {
  PartSet set(num_parts);
  for (const int64_t part : parts) set.add(part);
  return set;
}

class SweepState : public TempFolder {
 protected:
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }
  [[nodiscard]] SweepRecords load(int64_t num_parts = 10) const {
    return load_sweep_records(folder_.string(), identity(), num_parts);
  }
};

TEST_F(SweepState, IsReadAsItWasWritten) {
  for (const PartSet& passed :
       {set_of(10, {}), set_of(10, {0}), set_of(10, {9}), set_of(10, {0, 1, 2, 5, 7, 8, 9}),
        set_of(10, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9})}) {
    write("a.sweep", sweep_record_text(identity(), passed));
    const SweepRecords records = load();
    EXPECT_THAT(records.errors, IsEmpty());
    EXPECT_EQ(records.num_files, 1);
    EXPECT_EQ(records.passed, passed);
  }
}

TEST_F(SweepState, IsTextThatListsRunsOfParts) {
  const std::string text = sweep_record_text(identity(), set_of(10, {0, 1, 2, 5}));
  EXPECT_THAT(text, HasSubstr("bytegate-sweep 1\nop an_op\nworld small\nbackend host\n"));
  EXPECT_THAT(text, HasSubstr("parts 10\npassed 0-2\npassed 5\ncheck "));
}

TEST_F(SweepState, OfAFolderThatIsNotThereIsEmpty) {
  const SweepRecords records = load_sweep_records(path("nowhere"), identity(), 3);
  EXPECT_THAT(records.errors, IsEmpty());
  EXPECT_EQ(records.passed, PartSet(3));
}

TEST_F(SweepState, OfSeveralShardsAddsUp) {
  write("a.sweep", sweep_record_text(identity(), set_of(10, {0, 2})));
  write("b.sweep", sweep_record_text(identity(), set_of(10, {1, 2, 3})));
  EXPECT_EQ(load().passed, set_of(10, {0, 1, 2, 3}));
  EXPECT_EQ(load().num_files, 2);
}

TEST_F(SweepState, OfOtherSweepsAndOtherFilesAreLeftAlone) {
  SweepIdentity other = identity();
  other.world = "another";
  write("a.sweep", sweep_record_text(other, set_of(10, {0})));
  other = identity();
  other.candidate = "production";
  other.version = "of that";
  write("b.sweep", sweep_record_text(other, set_of(10, {0})));
  write("notes.txt", "hello");
  const SweepRecords records = load();
  EXPECT_THAT(records.errors, IsEmpty());
  EXPECT_EQ(records.num_files, 0);
  EXPECT_EQ(records.passed, PartSet(10));
}

TEST_F(SweepState, OfAnotherBuildIsAnErrorThatNamesTheFile) {
  SweepIdentity other = identity();
  other.version = "fedcba9876543210";
  write("old.sweep", sweep_record_text(other, set_of(10, {0})));
  const SweepRecords records = load();
  EXPECT_THAT(records.errors,
              ElementsAre(AllOf(HasSubstr("old.sweep"), HasSubstr("another build"))));
  EXPECT_EQ(records.passed, PartSet(10));
}

TEST_F(SweepState, ThatIsDamagedAnywhereIsAnErrorThatNamesTheFile) {
  const std::string whole = sweep_record_text(identity(), set_of(10, {0, 1, 2, 5}));
  for (size_t i = 0; i < whole.size(); ++i) {
    std::string damaged = whole;
    damaged[i] = static_cast<char>(damaged[i] ^ 1);
    write("a.sweep", damaged);
    EXPECT_THAT(load().errors, ElementsAre(HasSubstr("a.sweep: is damaged"))) << i;
    write("a.sweep", whole.substr(0, i));
    EXPECT_THAT(load().errors, ElementsAre(HasSubstr("a.sweep: is damaged"))) << i;
  }
}

TEST_F(SweepState, WithPartsThatTheWorldDoesNotHaveIsAnError) {
  write("a.sweep", sweep_record_text(identity(), set_of(12, {11})));
  EXPECT_THAT(load().errors, ElementsAre(HasSubstr("a.sweep")));
}

TEST_F(SweepState, HasAFileForEachShardOfEachSweep) {
  const std::string first = sweep_record_path("d", identity(), {.first = 0, .count = 2});
  EXPECT_THAT(first, HasSubstr("d/an_op.small.host."));
  EXPECT_NE(first, sweep_record_path("d", identity(), {.first = 1, .count = 2}));
  SweepIdentity other = identity();
  other.candidate = "production";
  EXPECT_NE(first, sweep_record_path("d", other, {.first = 0, .count = 2}));
}

TEST_F(SweepState, DependsOnTheBytesOfTheCandidateAndOnTheWorld) {
  const World world = {.name = "w", .holds = "this", .num_cases = 0};
  const World other = {.name = "w", .holds = "that", .num_cases = 0};
  const auto version = [](const World& of, const std::string& candidate,
                          const std::string& on = "here") {
    return sweep_version(of, build_digest(candidate), on);
  };
  write("lib.so", "one");
  const std::string before = version(world, path("lib.so"));
  EXPECT_EQ(version(world, path("lib.so")), before);
  EXPECT_NE(version(other, path("lib.so")), before);
  EXPECT_NE(version(world, path("lib.so"), "there"), before);
  EXPECT_NE(version(world, "production"), before);
  write("lib.so", "two");
  EXPECT_NE(version(world, path("lib.so")), before);
  EXPECT_THAT(build_digest(path("none.so")).error, HasSubstr("none.so"));
}

}  // namespace
}  // namespace bytegate
