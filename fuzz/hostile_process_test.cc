// Candidates that do something to the workspace, to the answer, or to their process.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "fuzz/testing/hostile_case.h"
#include "kernels/simt/sanitizer.h"

namespace bytegate {
namespace {

struct Expected {
  Hostility hostility;
  std::string origin;
};

void expect_origins(Mode mode, const std::vector<Expected>& all,
                    const BackendOptions& options = {}) {
  Case c = case_with_workspace();
  c.mode = mode;
  for (const Expected& expected : all) {
    EXPECT_EQ(expected.origin, origin_of_runs(c, expected.hostility, -1, options))
        << hostility_name(expected.hostility);
  }
}

TEST(HostileProcesses, ProductionItselfPassesInEveryMode) {
  for (const ModeSpec& spec : kModes) expect_origins(spec.mode, {{Hostility::kNone, ""}});
}

TEST(HostileProcesses, WhatReachesBesideTheWorkspaceIsNamed) {
  expect_origins(Mode::kPlain, {{Hostility::kReadAfterWorkspace, "overread:workspace"},
                                {Hostility::kWriteAfterWorkspace, "overrun:workspace"},
                                {Hostility::kWriteBeforeWorkspace, "overrun:workspace"},
                                {Hostility::kAddOldWorkspace, "mismatch:schedule_metadata"}});
  expect_origins(Mode::kGuardBefore,
                 {{Hostility::kWriteBeforeWorkspace, "overrun:workspace@guard_before"}});
}

TEST(HostileProcesses, AWorkspaceThatIsTakenAlthoughItIsTooShortIsNamed) {
  expect_origins(Mode::kPlain, {{Hostility::kTakeShortWorkspace, ""}});
  expect_origins(Mode::kShortWorkspace,
                 {{Hostility::kTakeShortWorkspace, "accepted:workspace@short_workspace"}});
}

TEST(HostileProcesses, AWrongAnswerIsNamed) {
  expect_origins(Mode::kPlain, {{Hostility::kRefuse, "refused"},
                                {Hostility::kFail, "refused"},
                                {Hostility::kAnswerNonsense, "refused"},
                                {Hostility::kNameWildPath, "crashed"}});
}

TEST(HostileProcesses, AnEndOfTheProcessIsNamed) {
  expect_origins(Mode::kPlain, {{Hostility::kAbort, "crashed"},
                                {Hostility::kThrow, "crashed"},
                                {Hostility::kExitZero, "exited"},
                                {Hostility::kCrash, "crashed"},
                                {Hostility::kWildWrite, "crashed"},
                                {Hostility::kOverflowStack, "crashed"},
                                {Hostility::kTrap, "crashed"},
                                {Hostility::kKillItself, "crashed"}});
  if (simt::sanitizer::kActive) return;  // ends the process by itself, with a code of its own
  expect_origins(Mode::kPlain, {{Hostility::kFreeTwice, "crashed"}});
}

TEST(HostileProcesses, WhatPrintsIsNoisy) {
  expect_origins(Mode::kPlain, {{Hostility::kPrint, "noisy"}, {Hostility::kComplain, "noisy"}});
}

TEST(HostileProcesses, WhatDoesNotEndIsNamed) {
  expect_origins(Mode::kPlain, {{Hostility::kLoop, "hung"}, {Hostility::kSleep, "hung"}},
                 {.case_limit = std::chrono::milliseconds(100)});
}

TEST(HostileProcesses, WhatNoGpuWouldRunIsNamed) {
  expect_origins(Mode::kPlain, {{Hostility::kDivergeAtBarrier, "crashed"},
                                {Hostility::kWaitForNobody, "hung"},
                                {Hostility::kLoadMisaligned, "crashed"}});
  if (simt::sanitizer::kActive) return;  // sees it first
  expect_origins(Mode::kPlain, {{Hostility::kOverrunSharedMemory, "crashed"}});
}

TEST(HostileProcesses, WhatTakesAllMemoryIsNamed) {
  if (simt::sanitizer::kActive) GTEST_SKIP() << "the sanitizer's own memory counts";
  expect_origins(Mode::kPlain, {{Hostility::kTakeAllMemory, "exhausted"}},
                 {.worker_memory_bytes = size_t{256} << 20});
}

}  // namespace
}  // namespace bytegate
