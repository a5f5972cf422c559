// The parent's side of a worker process: forks it, hands it spans of cases, and says what became of
// it. Never used by two threads, and only by the one that started it: the worker dies with that
// thread.
#pragma once

#include <sys/types.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "kernels/process_link.h"
#include "kernels/wire.h"
#include "kernels/worker.h"

namespace bytegate {

// What a worker answered, or how it was lost; then it is gone, and `status` is what the case has
// that did it.
struct WorkerAnswer {
  std::optional<std::vector<RunResult>> results;
  RunStatus status = RunStatus::kLost;
  std::string text = {};
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
  [[nodiscard]] bool alive() const { return pid_ > 0 && !link_->closed(); }
  [[nodiscard]] size_t num_free_lanes() const;
  [[nodiscard]] uint64_t num_submitted() const { return num_submitted_; }

  // The lane that the cases, encoded, went to; nothing if none is free or the worker is gone.
  std::optional<size_t> submit(std::span<const std::byte> cases);
  // Waits for the results of the cases in a lane, which is free afterwards.
  WorkerAnswer collect(size_t lane, std::chrono::milliseconds limit);

 private:
  explicit ProcessWorker(std::unique_ptr<ProcessLink> link) : link_(std::move(link)) {}
  // Waits for a message of this kind and gives what it holds; nothing: the worker is ended, and
  // `lost` says why.
  std::optional<std::span<const std::byte>> await(LinkMessage::Kind kind,
                                                  std::chrono::milliseconds limit,
                                                  WorkerAnswer& lost);
  // Its wait status; nothing if somebody else has taken it.
  std::optional<int> end();

  pid_t pid_ = -1;
  std::unique_ptr<ProcessLink> link_;
  WorkerGreeting greeting_;
  std::array<bool, kNumLanes> lane_taken_{};
  uint64_t num_submitted_ = 0;
};

}  // namespace bytegate
