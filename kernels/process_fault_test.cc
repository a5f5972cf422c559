// Accesses that are stopped, and what the worker says of them before it dies.
#include <gmock/gmock.h>

#include <sys/mman.h>
#include <unistd.h>

#include <chrono>
#include <memory>

#include "kernels/process_backend.h"
#include "kernels/process_test_fixture.h"

namespace bytegate {
namespace {

constexpr int kTensor = 1;

// A page that can be read, between two that cannot be touched. Its region is of the page's last 16
// bytes.
class ProcessFaultTest : public ProcessTest {
 protected:
  ProcessFaultTest() {
    EXPECT_NE(range_, MAP_FAILED);
    EXPECT_EQ(mprotect(begin() + page_, page_, PROT_READ), 0);
    auto faults = std::make_shared<FaultMap>();
    faults->add({.guard_begin = begin(),
                 .guard_end = begin() + 3 * page_,
                 .buffer = buffer(),
                 .bytes = 16,
                 .tensor = kTensor,
                 .read_only = true});
    backend_ = make_process_backend(
                   [] {
                     return MadeBackend{make_host_backend({}), ""};
                   },
                   {.limit = std::chrono::seconds(5), .faults = faults})
                   .backend;
  }
  ~ProcessFaultTest() override { munmap(range_, 3 * page_); }

  [[nodiscard]] std::byte* begin() const { return static_cast<std::byte*>(range_); }
  [[nodiscard]] std::byte* buffer() const { return begin() + 2 * page_ - 16; }

  void expect_trespass(int32_t behaviour, int64_t offset, Damage::Kind kind) {
    const Case culprit = make_touching_case(behaviour, buffer() + offset);
    std::vector<Case> cases = make_process_cases(40);
    cases[20] = culprit;
    const std::vector<RunResult> results = run_all(cases);
    expect_all_copied(cases, results, 20);
    for (const RunResult& result : {results[20], run_one(culprit)}) {
      EXPECT_EQ(result.status, RunStatus::kFault);
      EXPECT_EQ(result.message, "killed by signal 11 (Segmentation fault)");
      ASSERT_TRUE(result.trespass.has_value());
      EXPECT_EQ(result.trespass->kind, kind);
      EXPECT_EQ(result.trespass->tensor, kTensor);
      EXPECT_EQ(result.trespass->byte_offset, offset);
    }
  }

  size_t page_ = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  void* range_ = mmap(nullptr, 3 * page_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
};

TEST_F(ProcessFaultTest, AReadPastTheEndNamesTheBuffer) {
  expect_trespass(kReadAt, 16, Damage::Kind::kRead);
}

TEST_F(ProcessFaultTest, AReadFarBeforeTheBeginningNamesTheBuffer) {
  expect_trespass(kReadAt, -static_cast<int64_t>(page_), Damage::Kind::kRead);
}

#if defined(__x86_64__)
TEST_F(ProcessFaultTest, AWritePastTheEndNamesTheBuffer) {
  expect_trespass(kWriteAt, 20, Damage::Kind::kWrite);
}

TEST_F(ProcessFaultTest, AWriteOnAFiberOfTheExecutorNamesTheBuffer) {
  expect_trespass(kWriteAtInKernel, 16, Damage::Kind::kWrite);
}
#endif

TEST_F(ProcessFaultTest, AWriteIntoAReadOnlyBufferIsNamed) {
  expect_trespass(kWriteAt, 4, Damage::Kind::kWrite);
}

TEST_F(ProcessFaultTest, AnAddressBesideNoBufferIsNobodys) {
  const RunResult result = run_one(make_process_case(1, 1, kCrash));
  EXPECT_EQ(result.status, RunStatus::kFault);
  EXPECT_FALSE(result.trespass.has_value());
  EXPECT_THAT(result.message, testing::MatchesRegex("killed by signal 11 \\(Segmentation fault\\): "
                                                    "an? (write|access) at address 0x40"));
}

TEST_F(ProcessFaultTest, AFaultIsForgottenWithItsWorker) {
  run_one(make_touching_case(kReadAt, buffer() + 16));
  const RunResult result = run_one(make_process_case(1, 1, kAbort));
  EXPECT_EQ(result.message, "killed by signal 6 (Aborted)");
  EXPECT_FALSE(result.trespass.has_value());
}

TEST_F(ProcessFaultTest, AWorkerThatClosesAllAndGoesOnIsEnded) {
  const RunResult result = run_one(make_process_case(1, 1, kCloseAll));
  EXPECT_EQ(result.status, RunStatus::kFault);
  EXPECT_EQ(result.message, "closed all that it had open, and went on");
  const Case next = make_process_case(1, 1);
  expect_copied(next, run_one(next));
}

}  // namespace
}  // namespace bytegate
