#include "kernels/child_process.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <initializer_list>

namespace bytegate {
namespace {

void leave_at_once(int status, void*) {
  _exit(status);
}

void read_nothing() {
  const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (nothing < 0) return;
  if (nothing != STDIN_FILENO) {
    dup2(nothing, STDIN_FILENO);
    close(nothing);
  }
}

// Where the system chooses by size, it might choose the parent.
void go_first_when_memory_is_short() {
  const int file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (file < 0) return;
  // Where it may not, nothing is lost.
  [[maybe_unused]] const ssize_t written = write(file, "1000", 4);
  close(file);
}

}  // namespace

void become_child(pid_t parent) {
  // A group of its own, so that what it leaves behind can be ended with it.
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  // It may have gone before it was asked for.
  if (getppid() != parent) _exit(0);
  // Crashes are expected here: they leave no core, and what they are is for the parent to say.
  constexpr rlimit kNoCore = {0, 0};
  setrlimit(RLIMIT_CORE, &kNoCore);
  for (const int crash : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP}) {
    std::signal(crash, SIG_DFL);
  }
  // What a terminal sends to all processes of a group is meant for the parent, which ends this one.
  for (const int meant_for_parent : {SIGINT, SIGQUIT, SIGTERM, SIGHUP}) {
    std::signal(meant_for_parent, SIG_IGN);
  }
  read_nothing();
  go_first_when_memory_is_short();
  // Runs before all handlers of exit() that the parent has, since it is the newest.
  on_exit(leave_at_once, nullptr);
}

}  // namespace bytegate
