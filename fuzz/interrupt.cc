#include "fuzz/interrupt.h"

#include <atomic>
#include <csignal>

namespace bytegate {
namespace {

using Clock = std::chrono::steady_clock;

// All that a signal handler can reach. The time is there before the signal is.
std::atomic<Clock::rep> signal_time{0};
std::atomic<int> first_signal{0};
static_assert(std::atomic<int>::is_always_lock_free);
static_assert(std::atomic<Clock::rep>::is_always_lock_free);

void remember(int signal) {
  if (first_signal.load(std::memory_order_relaxed) != 0) return;
  signal_time.store(Clock::now().time_since_epoch().count(), std::memory_order_relaxed);
  first_signal.store(signal, std::memory_order_release);
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

void heed(int signal) {
  struct sigaction old = {};
  if (sigaction(signal, nullptr, &old) != 0 || old.sa_handler == SIG_IGN) return;
  struct sigaction action = {};
  action.sa_handler = remember;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(signal, &action, nullptr);
}

}  // namespace

void heed_interrupts() {
  heed(SIGINT);
  heed(SIGTERM);
}

bool interrupted() {
  return first_signal.load(std::memory_order_relaxed) != 0;
}

bool out_of_patience() {
  if (first_signal.load(std::memory_order_acquire) == 0) return false;
  const Clock::duration then(signal_time.load(std::memory_order_relaxed));
  return Clock::now() - Clock::time_point(then) >= kInterruptPatience;
}

std::string interrupting_signal() {
  const int signal = first_signal.load(std::memory_order_relaxed);
  if (signal == 0) return "";
  return signal == SIGINT ? "SIGINT" : "SIGTERM";
}

}  // namespace bytegate
