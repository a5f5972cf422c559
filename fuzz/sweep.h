// Every case of a world, or of some parts of it, once.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fuzz/run.h"
#include "fuzz/world_parts.h"

namespace bytegate {

class Sweep {
 public:
  using Clock = std::chrono::steady_clock;
  struct Task {
    const World* world = nullptr;
    PartSet wanted;  // of divide(world)
    PartSet passed;  // of those, in earlier sweeps: they are not run again
    std::optional<Clock::time_point> deadline = std::nullopt;
    // Keeps the parts all of whose cases passed, in this sweep and in earlier ones: now and then,
    // and at the end. Gives what went wrong.
    std::function<std::optional<std::string>(const PartSet& passed)> keep = nullptr;
  };
  explicit Sweep(Task task);

  // For a run; the sweep must outlive it.
  CaseSource source();
  // Keeps what passed last.
  void finish();

  [[nodiscard]] const WorldParts& parts() const { return parts_; }
  [[nodiscard]] const PartSet& passed() const { return task_.passed; }
  [[nodiscard]] int64_t num_judged() const { return num_judged_; }  // cases, in this sweep
  [[nodiscard]] bool out_of_time() const { return out_of_time_; }
  [[nodiscard]] const std::string& keep_error() const { return keep_error_; }

 private:
  // How far a part has come.
  struct Progress {
    int64_t num_judged = 0;
    bool all_passed = true;
  };
  std::optional<CaseBatch> next_batch();
  void note(int64_t part, std::span<const Verdict> verdicts);
  void keep();

  Task task_;
  WorldParts parts_;
  int64_t part_ = 0;       // that is being handed out
  int64_t next_case_ = 0;  // within it
  bool out_of_time_ = false;

  std::mutex mutex_;  // of what follows, and of what passed
  std::vector<Progress> progress_;
  int64_t num_judged_ = 0;
  Clock::time_point kept_at_;
  bool has_news_ = false;  // since then
  std::string keep_error_;
};

}  // namespace bytegate
