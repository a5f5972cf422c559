// A program that runs beside the test.
#pragma once

#include <gtest/gtest.h>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <string>
#include <vector>

namespace bytegate {

// What it prints goes to a pipe. Killed with this object, unless it has ended.
class Process {
 public:
  // In which session it runs: its own is also a process group of its own, of which it is the head.
  enum class Session { kOfTheTest, kOwn };

  explicit Process(const std::string& program, const std::vector<std::string>& arguments,
                   Session session = Session::kOfTheTest) {
    std::array<int, 2> ends = {};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) return;
    output_ = ends[0];
    posix_spawn_file_actions_t actions = {};
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
    posix_spawnattr_t attributes = {};
    posix_spawnattr_init(&attributes);
    if (session == Session::kOwn) posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
    std::vector<std::string> words = {program};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    EXPECT_EQ(posix_spawn(&pid_, program.c_str(), &actions, &attributes, argv.data(), environ), 0);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  ~Process() {
    send(SIGKILL);
    if (!ended_) wait();
    close(output_);
  }

  [[nodiscard]] pid_t pid() const { return pid_; }
  void send(int signal) const {
    if (!ended_) kill(pid_, signal);
  }
  // The next that it prints; empty at the end.
  std::string read_some() const {
    std::array<char, 4096> chunk = {};
    const ssize_t got = read(output_, chunk.data(), chunk.size());
    return {chunk.data(), got > 0 ? static_cast<size_t>(got) : 0};
  }
  std::string read_all() const {
    std::string text;
    for (std::string some = read_some(); !some.empty(); some = read_some()) text += some;
    return text;
  }
  bool alive() {
    if (!ended_) ended_ = waitpid(pid_, &status_, WNOHANG) == pid_;
    return !ended_;
  }
  // As waitpid() states it.
  int wait() {
    if (!ended_) ended_ = waitpid(pid_, &status_, 0) == pid_;
    return status_;
  }
  int exit_code() {
    const int status = wait();
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

 private:
  pid_t pid_ = -1;
  int output_ = -1;
  bool ended_ = false;
  int status_ = 0;
};

}  // namespace bytegate
