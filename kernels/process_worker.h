// The parent's side of a worker process: forks it, hands it spans of cases, and says what became of
// it. Never used by two threads, and only by the one that started it: the worker dies with that
// thread.
#pragma once

#include <sys/types.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "kernels/wire.h"
#include "kernels/worker.h"
#include "kernels/worker_limits.h"

namespace bytegate {

// What a worker answered, or how it was lost; then it is gone, and `status` is what the case has
// that did it.
struct WorkerAnswer {
  std::optional<std::vector<RunResult>> results = std::nullopt;
  RunStatus status = RunStatus::kLost;
  std::string text = {};
  std::optional<Damage> trespass = std::nullopt;  // the access that it died of
  bool killed = false;                            // by somebody else, which may be nobody's fault
  bool given_up = false;                          // nobody waits for it any more
};

class ProcessWorker {
 public:
  struct Result {
    std::unique_ptr<ProcessWorker> worker;  // null: there is none, or it has no backend
    std::string error;
  };
  // Forks a worker and waits until it has made its backend.
  static Result start(const WorkerTask& task);
  ProcessWorker(const ProcessWorker&) = delete;
  ProcessWorker& operator=(const ProcessWorker&) = delete;
  // Kills it, whatever it does, and waits for its end.
  ~ProcessWorker() { end(); }

  [[nodiscard]] const WorkerGreeting& greeting() const { return greeting_; }
  // Not for sure: it may die at any time. Only while no answer is awaited.
  [[nodiscard]] bool alive() const { return pid_ > 0 && !channels_.link->closed(); }
  [[nodiscard]] size_t num_free_lanes() const;
  [[nodiscard]] uint64_t num_submitted() const { return num_submitted_; }

  // The lane that the cases, encoded, went to; nothing if none is free or the worker is gone.
  std::optional<size_t> submit(std::span<const std::byte> cases);
  // Waits for the results of the cases in a lane, which is free afterwards.
  WorkerAnswer collect(size_t lane, const WorkerLimits& limits);

 private:
  ProcessWorker() = default;
  // Forks it. Nothing if it could, else why not.
  std::optional<std::string> fork_with(const WorkerTask& task);
  // Waits for a message of this kind and lane and gives what it holds; nothing: the worker is
  // ended, and `lost` says why.
  std::optional<std::span<const std::byte>> await(LinkMessage::Kind kind, size_t lane,
                                                  const WorkerLimits& limits, WorkerAnswer& lost);
  // kNothing: it is over a limit, and `lost` says which.
  ProcessLink::Received receive(LinkMessage& message, const WorkerLimits& limits,
                                WorkerAnswer& lost);
  // What became of a worker that closed the link, as it does when it ends.
  WorkerAnswer judge_end();
  [[nodiscard]] WorkerAnswer judge_signal(int signal) const;
  // Whether it ends by itself, now that it has closed the link.
  [[nodiscard]] bool ends_by_itself() const;
  // Its wait status; nothing if somebody else has taken it.
  std::optional<int> end();

  pid_t pid_ = -1;
  std::function<bool()> give_up_;
  WorkerChannels channels_;
  WorkerGreeting greeting_;
  uint64_t bytes_at_start_ = 0;
  std::array<bool, kNumLanes> lane_taken_{};
  uint64_t num_submitted_ = 0;
};

}  // namespace bytegate
