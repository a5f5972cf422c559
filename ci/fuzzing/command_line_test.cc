#include "ci/cli/command_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

namespace bytegate::cli {
namespace {

using testing::Contains;
using testing::Field;
using testing::HasSubstr;

TEST(ParsedLine, ACommandIsReadAndNotRun) {
  const ParsedLine line = parse_command_line({"gate", "--cases", "10", "--candidate", "/none.so"});
  EXPECT_NE(line.run, nullptr);
  EXPECT_EQ(line.out + line.err, "");
}

TEST(ParsedLine, ACommandRunsAfterItsLineIsGone) {
  const auto run = parse_command_line({"list", "no_such_operation"}).run;
  ASSERT_NE(run, nullptr);
  EXPECT_EQ(run(), 2);
}

TEST(ParsedLine, HelpAndTheVersionGoToStdout) {
  EXPECT_THAT(parse_command_line({"--version"}).out, HasSubstr("bytegate 0"));
  const ParsedLine help = parse_command_line({"trace", "--help"});
  EXPECT_THAT(help.out, HasSubstr("--step-ms"));
  EXPECT_EQ(help.exit_code, 0);
  EXPECT_EQ(help.run, nullptr);
}

TEST(ParsedLine, WhatIsWrongIsNamedOnStderr) {
  for (const auto& [words, named] : std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{}, "subcommand"},
           {{"frobnicate"}, "subcommand"},
           {{"gate", "--frobnicate"}, "--frobnicate"},
           {{"gate", "--cases", "many"}, "--cases"},
           {{"gate", "--cases"}, "--cases"},
           {{"gate", "--no-corpus", "--large"}, "--no-corpus"},
           {{"replay"}, "path"}}) {
    const ParsedLine line = parse_command_line(words);
    EXPECT_EQ(line.run, nullptr) << named;
    EXPECT_EQ(line.exit_code, 2) << named;
    EXPECT_THAT(line.err, HasSubstr(named));
  }
}

TEST(ParsedLine, KnowsEveryCommandAndItsOptions) {
  const std::vector<KnownCommand> known = known_commands();
  EXPECT_THAT(known, Contains(Field(&KnownCommand::words, std::vector<std::string>{})));
  EXPECT_THAT(known,
              Contains(Field(&KnownCommand::words, std::vector<std::string>{"corpus", "show"})));
  bool found = false;
  for (const KnownCommand& command : known) {
    if (command.words != std::vector<std::string>{"gate"}) continue;
    for (const KnownOption& option : command.options) {
      found = found || (option.name == "--cases" && option.takes_value);
      EXPECT_FALSE(option.name == "--fail-fast" && option.takes_value);
    }
  }
  EXPECT_TRUE(found);
}

}  // namespace
}  // namespace bytegate::cli
