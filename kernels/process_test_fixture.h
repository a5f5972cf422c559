// A host candidate that misbehaves as the case asks it to, and the fixture of the tests of isolated
// backends.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kernels/backend.h"
#include "kernels/testing/candidates.h"
#include "kernels/testing/layout_op.h"

namespace bytegate {

// What the first element of `in` asks for.
enum ProcessBehaviour : int32_t {
  kRight = 1,
  kCrash = -1,
  kAbort = -2,
  kExit = -3,
  kLoop = -4,
  kRefuse = -5,
  kPastEnd = -6,
  kPrint = -7,  // a line on stdout
  kPrintToStderr = -8,
  kFlood = -9,  // some megabytes on stdout, and as much on stderr
  kEat = -10,   // a GiB, and wait
  kRecurse = -11,
  kKillItself = -12,  // SIGKILL
  kAssert = -13,      // abort, with words
  kCloseAll = -14,    // every descriptor, and wait
  kReadAt = -15,      // an address, see make_touching_case
  kWriteAt = -16,
  kWriteAtInKernel = -17,  // of the executor, which has stacks of its own
};

// Writes in[r, c] to out[r, c], and the process that it runs in to wide[r]. Compact tensors only.
const bytegate_candidate& process_test_candidate();

Case make_process_case(int64_t rows, int64_t cols, int32_t behaviour = kRight);
// An access, kReadAt and on, of this address.
Case make_touching_case(int32_t behaviour, const volatile void* address);
// Right ones of small sizes, some of them empty.
std::vector<Case> make_process_cases(size_t count);

void expect_copied(const Case& c, const RunResult& result);
// The same of all but `except`.
void expect_all_copied(std::span<const Case> cases, std::span<const RunResult> results,
                       size_t except = SIZE_MAX);
// The process that a case with elements ran in.
int64_t worker_of(const RunResult& result);

class ProcessTest : public testing::Test {
 protected:
  ProcessTest();
  std::vector<RunResult> run_all(std::span<const Case> cases) {
    return backend_->submit(*candidate_, cases)->collect();
  }
  RunResult run_one(const Case& c) { return run_all({&c, 1}).front(); }
  // Each alone, and in the midst of many; what comes after is clean.
  void expect_named(ProcessBehaviour behaviour, RunStatus status, const std::string& message);

  std::unique_ptr<Candidate> candidate_ = open_candidate(process_test_candidate());
  std::unique_ptr<Backend> backend_;  // isolated host; a second per case
};

}  // namespace bytegate
