// How long workers live.
#include <gmock/gmock.h>

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "kernels/process_test_fixture.h"
#include "kernels/simt/sanitizer.h"

namespace bytegate {
namespace {

class ProcessLifeTest : public ProcessTest {};

TEST_F(ProcessLifeTest, OneWorkerServesUntilItIsLost) {
  const int64_t first = worker_of(run_one(make_process_case(1, 1)));
  EXPECT_NE(first, getpid());
  EXPECT_EQ(worker_of(run_one(make_process_case(1, 2))), first);
  run_one(make_process_case(1, 1, kCrash));
  EXPECT_NE(worker_of(run_one(make_process_case(1, 1))), first);
}

TEST_F(ProcessLifeTest, AWorkerThatDiedIdleIsReplaced) {
  const Case c = make_process_case(1, 1);
  kill(static_cast<pid_t>(worker_of(run_one(c))), SIGKILL);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  expect_copied(c, run_one(c));
}

TEST_F(ProcessLifeTest, LeavesNoProcessBehind) {
  run_one(make_process_case(1, 1, kCrash));
  run_one(make_process_case(1, 1));
  backend_.reset();
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

// Neither running nor a zombie that nobody has taken yet.
bool runs(int64_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string text;
  std::getline(file, text);
  const size_t name_end = text.rfind(')');
  return name_end != std::string::npos && text.substr(name_end, 3) != ") Z";
}

TEST_F(ProcessLifeTest, AWorkerDoesNotOutliveItsParent) {
  int ends[2] = {-1, -1};
  ASSERT_EQ(pipe(ends), 0);
  const pid_t parent = fork();
  if (parent == 0) {
    const auto own = make_isolated_host_backend({});
    const Case c = make_process_case(1, 1);
    const int64_t worker = worker_of(own.backend->submit(*candidate_, {&c, 1})->collect().front());
    _exit(write(ends[1], &worker, sizeof worker) == sizeof worker ? 0 : 1);
  }
  int64_t worker = 0;
  ASSERT_EQ(read(ends[0], &worker, sizeof worker), ssize_t{sizeof worker});
  ASSERT_EQ(waitpid(parent, nullptr, 0), parent);
  for (int wait = 0; wait < 500 && runs(worker); ++wait) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_FALSE(runs(worker));
  close(ends[0]);
  close(ends[1]);
}

TEST_F(ProcessLifeTest, AWorkerThatIsGivenUpIsNotWaitedForAndNoCaseIsRunAgain) {
  std::atomic<bool> given_up = false;
  const MadeBackend made = make_isolated_host_backend(
      {.case_limit = std::chrono::minutes(5), .give_up = [&] { return given_up.load(); }});
  ASSERT_NE(made.backend, nullptr) << made.absent_reason;
  const Case right = make_process_case(1, 1);
  expect_copied(right, made.backend->submit(*candidate_, {&right, 1})->collect().front());
  const std::vector<Case> cases = {right, make_process_case(1, 1, kLoop), right};
  std::thread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    given_up = true;
  });
  const auto begin = std::chrono::steady_clock::now();
  for (const RunResult& result : made.backend->submit(*candidate_, cases)->collect()) {
    EXPECT_EQ(result.status, RunStatus::kLost);
    EXPECT_EQ(result.message, "not waited for: the run was told to end");
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::minutes(1));
  later.join();
}

TEST_F(ProcessLifeTest, ThreadsMayHaveOneEach) {
  // Of clang 14, a child that is forked while a thread allocates waits for the allocator for ever.
  if (simt::sanitizer::kActive) GTEST_SKIP() << "the sanitizer's allocator does not survive a fork";
  std::vector<Case> cases = make_process_cases(100);
  cases[50] = make_process_case(1, 1, kCrash);
  std::vector<std::vector<RunResult>> results(4);
  std::vector<std::thread> threads;
  for (std::vector<RunResult>& mine : results) {
    threads.emplace_back([&] {
      const auto candidate = open_candidate(process_test_candidate());
      const MadeBackend own = make_isolated_host_backend({});
      for (int repeat = 0; repeat < 5; ++repeat) {
        mine = own.backend->submit(*candidate, cases)->collect();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::vector<RunResult>& mine : results) {
    expect_all_copied(cases, mine, 50);
    EXPECT_EQ(mine[50].status, RunStatus::kFault);
  }
}

}  // namespace
}  // namespace bytegate
