#include "fuzz/campaign/target_process.h"

#include <fcntl.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <string_view>
#include <thread>

#include "kernels/child_process.h"

namespace bytegate {
namespace {

constexpr std::chrono::milliseconds kPollInterval{5};
constexpr rlim_t kMaxFileBytes = rlim_t{256} << 20;  // of what it says, and of each file it writes
constexpr int kNotStartedCode = 127;

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

// In the new process: nothing here may allocate, since other threads were not copied.
[[noreturn]] void become_target(pid_t parent, const char* output, char* const* argv,
                                char* const* envp) {
  become_child(parent);
  for (const int given_back : {SIGINT, SIGQUIT, SIGTERM, SIGHUP}) {
    std::signal(given_back, SIG_DFL);
  }
  personality(ADDR_NO_RANDOMIZE);
  const int file = open(output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0) _exit(kNotStartedCode);
  dup2(file, STDOUT_FILENO);
  dup2(file, STDERR_FILENO);
  constexpr rlimit kFiles = {kMaxFileBytes, kMaxFileBytes};
  setrlimit(RLIMIT_FSIZE, &kFiles);
  execve(argv[0], argv, envp);
  _exit(kNotStartedCode);
}

}  // namespace

TargetEnd run_target(const TargetCommand& command, const std::function<bool()>& stop) {
  std::vector<std::string> arguments = command.arguments;
  std::vector<std::string> environment;
  // What a shell that runs targets by hand has set is for those alone.
  for (char** entry = environ; *entry != nullptr; ++entry) {
    if (!std::string_view(*entry).starts_with("BYTEGATE_FUZZ_")) environment.emplace_back(*entry);
  }
  environment.insert(environment.end(), command.environment.begin(), command.environment.end());
  const std::vector<char*> argv = pointers(arguments);
  const std::vector<char*> envp = pointers(environment);
  const pid_t parent = getpid();
  const auto begin = std::chrono::steady_clock::now();
  const pid_t pid = fork();
  if (pid < 0) return {};
  if (pid == 0) become_target(parent, command.output.c_str(), argv.data(), envp.data());
  TargetEnd end;
  bool given_up = false;
  while (true) {
    int status = 0;
    const pid_t ended = waitpid(pid, &status, given_up ? 0 : WNOHANG);
    if (ended == pid) {
      kill(-pid, SIGKILL);  // what it left behind
      if (given_up) return end;
      if (WIFSIGNALED(status)) return {TargetEnd::Kind::kKilled, WTERMSIG(status)};
      const int code = WEXITSTATUS(status);
      return {code == kNotStartedCode ? TargetEnd::Kind::kNotStarted : TargetEnd::Kind::kExited,
              code};
    }
    if (ended < 0 && errno != EINTR) return {};
    const bool stopped = stop && stop();
    if (!given_up && (stopped || std::chrono::steady_clock::now() - begin > command.limit)) {
      end.kind = stopped ? TargetEnd::Kind::kStopped : TargetEnd::Kind::kOverTime;
      given_up = true;
      kill(-pid, SIGKILL);
      kill(pid, SIGKILL);
    }
    if (!given_up) std::this_thread::sleep_for(kPollInterval);
  }
}

}  // namespace bytegate
