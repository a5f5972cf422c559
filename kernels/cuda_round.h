// Cases that share one arena: one upload, one run() per case, one download, one wait.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/cuda_launch.h"

namespace bytegate {

class CudaRound {
 public:
  CudaRound(CudaDevice& device, const Candidate& candidate)
      : device_(device), candidate_(candidate) {}
  CudaRound(const CudaRound&) = delete;
  CudaRound& operator=(const CudaRound&) = delete;
  ~CudaRound();

  // Before the launch. A job's case has one launch like any other, and no sparse tensor.
  void add(const CudaJob& job);
  [[nodiscard]] size_t bytes() const { return arena_.bytes(); }
  [[nodiscard]] const std::vector<CudaJob>& jobs() const { return jobs_; }

  // Starts everything without waiting. Errors come out of wait().
  void launch();
  // Waits for the download. After launch().
  CudaOutcome wait();
  // After a wait() that was ok, once.
  void take(std::span<RunResult> results);

 private:
  CudaOutcome try_launch();

  CudaDevice& device_;
  const Candidate& candidate_;
  Arena arena_;
  std::vector<CudaJob> jobs_;
  std::vector<RunResult> runs_;  // per job, without steps
  CudaSlotLease slot_;
  CudaOutcome launch_outcome_;
  bool in_flight_ = false;
};

}  // namespace bytegate
