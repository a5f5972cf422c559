// Dictionaries that engines can read, and seeds that reach what they are for.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "ci/cli/command_line.h"
#include "ci/fuzzing/dictionaries.h"
#include "ci/fuzzing/seeds.h"
#include "fuzz/guided/case_bytes.h"
#include "oracles/case_text.h"
#include "properties/op_properties.h"

namespace bytegate {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Optional;

TEST(Dictionaries, WordsAreEscapedAndWrittenOnce) {
  EXPECT_EQ(dictionary_text({"b", "a\n", "b", "", "\"\\", "\xff"}),
            "\"\\\"\\\\\"\n\"a\\x0a\"\n\"b\"\n\"\\xff\"\n");
}

TEST(Dictionaries, WhatAnEngineWouldRefuseIsNamed) {
  EXPECT_EQ(broken_dictionary("# comment\n\nname=\"a\\x00\\\"\"\n\"b\"\n"), std::nullopt);
  for (const char* line :
       {"word", "\"", "\"\"", "\"a\\n\"", "\"\\x0\"", "\"a\"b\"", "\"a\" ", "\"\\\"", "\"\xff\""}) {
    EXPECT_THAT(broken_dictionary("\"a\"\n" + std::string(line) + "\n"),
                Optional(HasSubstr("line 2")))
        << line;
  }
  EXPECT_THAT(broken_dictionary("# nothing\n"), Optional(HasSubstr("no words")));
}

TEST(Dictionaries, NameEveryOperationAndCommand) {
  for (const char* target : {"case_text_fuzzer", "command_line_fuzzer"}) {
    const std::string text = dictionary_text(dictionary_words(target));
    EXPECT_EQ(broken_dictionary(text), std::nullopt);
    for (const Op* op : all_ops()) {
      EXPECT_THAT(text, HasSubstr("\"" + std::string(op->name) + "\""));
    }
  }
  EXPECT_THAT(dictionary_words("command_line_fuzzer"), testing::Contains("\n--cases\n"));
}

TEST(Seeds, OfCaseTextAreCasesOfEveryOperation) {
  const SeedCases corpus = load_seed_cases(BYTEGATE_CORPUS);
  EXPECT_THAT(corpus.errors, IsEmpty());
  std::set<std::string> ops;
  std::set<std::string> names;
  for (const Seed& seed : case_text_seeds(corpus)) {
    const ParseResult read = read_case(seed.bytes, all_ops());
    ASSERT_TRUE(read.value) << seed.name;
    ops.insert(std::string(read.value->op->name));
    EXPECT_TRUE(names.insert(seed.name).second) << seed.name;
    EXPECT_EQ(seed.name.find('/'), std::string::npos) << seed.name;
    EXPECT_LE(seed.bytes.size(), kMaxSeedBytes);
  }
  EXPECT_EQ(ops.size(), all_ops().size());
}

TEST(Seeds, OfAnOperationAreReadAsItsCases) {
  const SeedCases corpus = load_seed_cases(BYTEGATE_CORPUS);
  for (const Op* op : all_ops()) {
    const Seeds seeds = op_seeds(corpus, *op);
    EXPECT_THAT(seeds, testing::Not(IsEmpty())) << op->name;
    for (const Seed& seed : seeds) {
      const auto kept = std::find(corpus.names.begin(), corpus.names.end(), seed.name);
      ASSERT_NE(kept, corpus.names.end());
      const Case& c = corpus.cases[static_cast<size_t>(kept - corpus.names.begin())];
      const Case read =
          case_of_bytes(*op, std::vector<uint8_t>(seed.bytes.begin(), seed.bytes.end()));
      EXPECT_EQ(case_digest(read), case_digest(case_of_bytes(*op, *bytes_of_case(c)))) << seed.name;
      EXPECT_EQ(read.expect, c.expect) << seed.name;
    }
  }
}

TEST(Seeds, OfAFolderThatIsNotThereAreAnError) {
  EXPECT_THAT(load_seed_cases("no/such/folder").errors, testing::SizeIs(1));
}

TEST(Seeds, OfTheCommandLineAreDistinct) {
  const Seeds seeds = command_line_seeds();
  std::set<std::string> bytes;
  std::set<std::string> names;
  for (const Seed& seed : seeds) {
    EXPECT_TRUE(bytes.insert(seed.bytes).second) << seed.name;
    EXPECT_TRUE(names.insert(seed.name).second) << seed.name;
  }
  EXPECT_GT(seeds.size(), cli::known_commands().size());
}

}  // namespace
}  // namespace bytegate
