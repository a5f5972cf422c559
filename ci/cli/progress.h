// A line that is rewritten while a run goes on; nothing where stderr is no terminal.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

namespace bytegate::cli {

class Progress {
 public:
  explicit Progress(std::string label);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();
  // For RunOptions::progress; it must not outlive this object.
  std::function<void(int64_t, int64_t)> callback();

 private:
  void show(int64_t num_done, int64_t num_failed);

  std::string label_;
  bool on_terminal_;
  bool shown_ = false;
  std::chrono::steady_clock::time_point last_;
};

}  // namespace bytegate::cli
