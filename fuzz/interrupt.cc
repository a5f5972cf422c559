#include "fuzz/interrupt.h"

#include <atomic>
#include <csignal>

namespace bytegate {
namespace {

// The one thing that a signal handler can reach.
std::atomic<int> first_signal{0};
static_assert(std::atomic<int>::is_always_lock_free);

void remember(int signal) {
  first_signal.store(signal, std::memory_order_relaxed);
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

std::string interrupting_signal() {
  const int signal = first_signal.load(std::memory_order_relaxed);
  if (signal == 0) return "";
  return signal == SIGINT ? "SIGINT" : "SIGTERM";
}

}  // namespace bytegate
