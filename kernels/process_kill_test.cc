// Workers that are killed from outside, as an operator or the system does it.
#include <gtest/gtest.h>

#include <signal.h>
#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <optional>
#include <random>
#include <thread>
#include <vector>

#include "kernels/process_test_fixture.h"

namespace bytegate {
namespace {

constexpr int kNumKills = 100;

std::optional<pid_t> child_of_this_process() {
  std::error_code error;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task", error)) {
    pid_t child = 0;
    if (std::ifstream(task.path() / "children") >> child) return child;
  }
  return std::nullopt;
}

// Kills the worker at a moment that the seed draws, again and again, but no second time before
// something was collected: a case that is killed whenever it runs is to blame.
class Killer {
 public:
  void collected() { ++num_collected_; }
  [[nodiscard]] int num_kills() const { return num_kills_; }

 private:
  void work(const std::stop_token& stop) {
    std::mt19937 random(4);
    std::uniform_int_distribution<int> delay_us(0, 6000);
    while (num_kills_ < kNumKills && !stop.stop_requested()) {
      std::this_thread::sleep_for(std::chrono::microseconds(delay_us(random)));
      const std::optional<pid_t> worker = child_of_this_process();
      if (!worker || kill(*worker, SIGKILL) != 0) continue;
      ++num_kills_;
      const int64_t num_before = num_collected_;
      while (num_collected_ == num_before && !stop.stop_requested()) std::this_thread::yield();
    }
  }

  std::atomic<int64_t> num_collected_{0};
  std::atomic<int> num_kills_{0};
  std::jthread thread_{[this](const std::stop_token& stop) { work(stop); }};
};

class ProcessKillTest : public ProcessTest {};

TEST_F(ProcessKillTest, AHundredKillsAtAnyMomentLoseNoCaseAndBlameNone) {
  const std::vector<Case> cases = make_process_cases(150);
  Killer killer;
  int64_t num_spans = 0;
  auto previous = backend_->submit(*candidate_, cases);
  while (killer.num_kills() < kNumKills && !HasFailure()) {
    auto next = backend_->submit(*candidate_, cases);
    expect_all_copied(cases, previous->collect());
    killer.collected();
    previous = std::move(next);
    ++num_spans;
  }
  expect_all_copied(cases, previous->collect());
  EXPECT_GE(num_spans, kNumKills);
}

TEST_F(ProcessKillTest, AMurderousSpanDoesNotHideWhatElseIsInIt) {
  std::vector<Case> cases = make_process_cases(30);
  cases[9] = make_process_case(1, 1, kKillItself);
  cases[20] = make_process_case(1, 1, kCrash);
  const std::vector<RunResult> results = run_all(cases);
  for (size_t i = 0; i < cases.size(); ++i) {
    if (i == 9 || i == 20) {
      EXPECT_EQ(results[i].status, RunStatus::kFault);
    } else {
      expect_copied(cases[i], results[i]);
    }
  }
}

}  // namespace
}  // namespace bytegate
