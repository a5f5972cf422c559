#include "kernels/output_trap.h"

#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <functional>
#include <string>

namespace bytegate {
namespace {

// What is taken in a new process after `write`, as told by `take` there or, if it dies, here.
std::optional<std::string> written_by(const std::function<void(OutputTrap&)>& write) {
  OutputTrap trap;
  EXPECT_TRUE(trap.open());
  const pid_t child = fork();
  if (child == 0) {
    trap.redirect();
    write(trap);
    std::fflush(stdout);
    _exit(0);
  }
  EXPECT_EQ(waitpid(child, nullptr, 0), child);
  return trap.take_written();
}

TEST(OutputTrap, NothingWrittenIsNothing) {
  EXPECT_EQ(written_by([](OutputTrap&) {}), std::nullopt);
}

TEST(OutputTrap, TheFirstLineThatIsNotEmptyIsKept) {
  const auto lines = [](OutputTrap&) { std::puts("\nfirst\nsecond"); };
  EXPECT_EQ(written_by(lines), "first");
  const auto to_stderr = [](OutputTrap&) { std::fputs("oops", stderr); };
  EXPECT_EQ(written_by(to_stderr), "oops");
}

TEST(OutputTrap, WhatCannotBePrintedIsEscapedAndALongLineIsCut) {
  const auto odd = [](OutputTrap&) { std::fputs("a\x1b[31m\\\xff", stdout); };
  EXPECT_EQ(written_by(odd), "a\\x1b[31m\\x5c\\xff");
  const auto wide = [](OutputTrap&) { std::puts(std::string(1000, 'x').c_str()); };
  EXPECT_EQ(written_by(wide), std::string(200, 'x') + "...");
}

TEST(OutputTrap, WhatWasTakenIsNotFoundAgain) {
  const auto twice = [](OutputTrap& trap) {
    std::printf("first");
    if (trap.take() != "first" || trap.take() != std::nullopt) return;
    std::printf("second");
    if (trap.take() == "second") std::printf("right");
  };
  EXPECT_EQ(written_by(twice), "right");
}

TEST(OutputTrap, AFloodIsHeldBackAndLeavesNothingBehind) {
  const auto flood = [](OutputTrap& trap) {
    const std::string line(1000, 'y');
    for (int i = 0; i < 100000; ++i) std::puts(line.c_str());
    trap.take();
    std::puts("quiet again");
  };
  EXPECT_EQ(written_by(flood), "quiet again");
}

}  // namespace
}  // namespace bytegate
