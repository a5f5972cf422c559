// Runs a coverage-guided target as a process of its own, in a group of its own, which ends with the
// thread that began it.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace bytegate {

struct TargetCommand {
  std::vector<std::string> arguments;    // the program first
  std::vector<std::string> environment;  // "NAME=value", beside those of this process
  std::string output;                    // file that gets what it says
  std::chrono::milliseconds limit{0};
};

struct TargetEnd {
  enum class Kind : uint8_t { kExited, kKilled, kStopped, kOverTime, kNotStarted };
  Kind kind = Kind::kNotStarted;
  int code = 0;  // of the exit, or the signal
};

// Waits for its end, or ends it and its group: when `stop` is true, or its time is over. The
// addresses of its memory are the same each time, as far as the system allows it.
TargetEnd run_target(const TargetCommand& command, const std::function<bool()>& stop);

}  // namespace bytegate
