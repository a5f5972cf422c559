#include "ci/cli/sanitizer_tool.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "fuzz/finding.h"
#include "fuzz/interrupt.h"

namespace bytegate::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kToolName = "compute-sanitizer";

bool is_program(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error) && access(path.c_str(), X_OK) == 0;
}

std::vector<fs::path> folders_of_tool() {
  std::vector<fs::path> folders;
  const char* path = std::getenv("PATH");
  std::string_view rest = path == nullptr ? "" : path;
  while (!rest.empty()) {
    const std::string_view folder = rest.substr(0, rest.find(':'));
    if (!folder.empty()) folders.emplace_back(folder);
    rest.remove_prefix(std::min(folder.size() + 1, rest.size()));
  }
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const char* home = std::getenv(variable)) {
      folders.push_back(fs::path(home) / "bin");
      folders.push_back(fs::path(home) / kToolName);
    }
  }
  folders.emplace_back("/usr/local/cuda/bin");
  folders.emplace_back("/usr/local/cuda/compute-sanitizer");
  return folders;
}

// In the new process. Only what may be called between fork and exec.
[[noreturn]] void become(char* const* words, int output) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int nothing = open("/dev/null", O_RDONLY);
  dup2(nothing, STDIN_FILENO);
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  execv(words[0], words);
  const char* reason = strerror(errno);
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, reason, strlen(reason));
  constexpr int kCannotStart = 127;
  _exit(kCannotStart);
}

using Clock = std::chrono::steady_clock;

// Whether the stream ended by itself.
bool read_all(int input, std::chrono::milliseconds limit,
              const std::function<bool(std::string_view)>& on_bytes) {
  std::array<char, 16384> chunk{};
  Clock::time_point deadline = Clock::now() + limit;
  while (true) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
    if (left.count() <= 0) return false;
    pollfd waiting{.fd = input, .events = POLLIN, .revents = 0};
    // The child is in a group of its own, which no signal of a terminal reaches.
    constexpr std::chrono::milliseconds kLook{200};
    const int ready = poll(&waiting, 1, static_cast<int>(std::min(left, kLook).count()));
    if (interrupted()) return false;
    if (ready == 0 || (ready < 0 && errno == EINTR)) continue;
    const ssize_t got = read(input, chunk.data(), chunk.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return true;
    if (on_bytes({chunk.data(), static_cast<size_t>(got)})) deadline = Clock::now() + limit;
  }
}

std::string how_it_ended(int status) {
  if (WIFSIGNALED(status)) return "died of signal " + std::to_string(WTERMSIG(status));
  return "exited with " + std::to_string(WEXITSTATUS(status));
}

}  // namespace

// What is a tool's default is not said, with one exception: what decides a verdict. The exit code
// stays the program's own; findings are read from what is printed, case by case.
const std::vector<CheckerSpec>& checkers() {
  static const std::vector<CheckerSpec> kCheckers = {
      // Buffers are allocations of exactly their size, so nothing is padded. Calls that fail are
      // answered by the program itself.
      {"memcheck",
       "accesses outside allocations, misaligned ones",
       {"--leak-check", "no", "--report-api-errors", "no"}},
      {"racecheck", "unordered accesses to shared memory", {"--racecheck-report", "analysis"}},
      // The program copies outputs back whole, with what nobody has to write.
      {"initcheck", "reads of memory that nobody wrote", {"--check-api-memory-access", "no"}, true},
      {"synccheck", "barriers that not every thread reaches", {}},
  };
  return kCheckers;
}

const CheckerSpec* checker_of_name(std::string_view name) {
  for (const CheckerSpec& checker : checkers()) {
    if (checker.name == name) return &checker;
  }
  return nullptr;
}

std::vector<std::string> tool_command(const std::string& path, const CheckerSpec& checker) {
  std::vector<std::string> words = {path, "--tool", std::string(checker.name)};
  words.insert(words.end(), checker.options.begin(), checker.options.end());
  // Enough for any run that is worth reading; one that has more says so, and is red.
  words.insert(words.end(), {"--print-limit", "100000", "--show-backtrace", "no",
                             "--target-processes", "application-only", "--"});
  return words;
}

FoundTool find_tool(const std::string& given) {
  if (!given.empty()) return {is_program(given) ? given : "", given, ""};
  FoundTool found;
  for (const fs::path& folder : folders_of_tool()) {
    const fs::path path = folder / kToolName;
    if (is_program(path)) return {path.string(), "", ""};
    if (found.looked.find(path.string()) != std::string::npos) continue;
    found.looked += (found.looked.empty() ? "" : ", ") + path.string();
  }
  return found;
}

std::string version_of_tool(const std::string& path) {
  constexpr std::chrono::seconds kLimit{60};
  std::string text;
  run_child({path, "--version"}, kLimit, [&](std::string_view bytes) {
    text += bytes;
    return false;
  });
  const size_t begin = text.find("Version");
  if (begin == std::string::npos) return "";
  return text.substr(begin, text.find('\n', begin) - begin);
}

ChildEnd run_child(const std::vector<std::string>& words, std::chrono::milliseconds limit,
                   const std::function<bool(std::string_view)>& on_bytes) {
  std::vector<std::string> copies = words;
  std::vector<char*> pointers;
  for (std::string& word : copies) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  std::array<int, 2> ends{};
  ChildEnd end;
  if (pipe2(ends.data(), O_CLOEXEC) != 0) {
    end.how = std::string("no pipe: ") + std::strerror(errno);
    return end;
  }
  const pid_t child = fork();
  if (child == 0) become(pointers.data(), ends[1]);
  close(ends[1]);
  if (child < 0) {
    end.how = std::string("no process: ") + std::strerror(errno);
    close(ends[0]);
    return end;
  }
  setpgid(child, child);  // whichever of the two comes first
  end.started = true;
  end.too_slow = !read_all(ends[0], limit, on_bytes);
  if (end.too_slow) kill(-child, SIGKILL);
  close(ends[0]);
  // What the child left running must not reach the next run. Until it is reaped, the group is its.
  siginfo_t ended{};
  while (waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOWAIT) < 0 && errno == EINTR) {
  }
  kill(-child, SIGKILL);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status)) end.exit_code = WEXITSTATUS(status);
  end.how = how_it_ended(status);
  return end;
}

std::string shell_line(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) line += (line.empty() ? "" : " ") + shell_quoted(word);
  return line;
}

}  // namespace bytegate::cli
