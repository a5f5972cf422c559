#include "kernels/cuda_round.h"

#include <utility>

namespace bytegate {

CudaRound::~CudaRound() {
  // Nobody else may get the slot while copies to and from it run.
  if (in_flight_) static_cast<void>(device_.quiesce());
}

void CudaRound::add(const CudaJob& job) {
  arena_.place(*job.c, job.workspace_bytes);
  arena_.set_sections(job.sections);
  jobs_.push_back(job);
}

void CudaRound::launch() {
  launch_outcome_ = try_launch();
}

CudaOutcome CudaRound::try_launch() {
  runs_.assign(jobs_.size(), RunResult{});
  if (CudaOutcome leased = device_.acquire(arena_.bytes(), slot_); !leased.ok()) return leased;
  for (size_t i = 0; i < jobs_.size(); ++i) {
    arena_.fill_launch(*jobs_[i].c, i, 0, {}, slot_->image());
  }
  in_flight_ = true;
  const cudaStream_t stream = device_.stream();
  if (CudaOutcome up = upload(device_, *slot_.get(), arena_.bytes(), stream); !up.ok()) return up;
  for (size_t i = 0; i < jobs_.size(); ++i) {
    CallFrame frame(*jobs_[i].c, kCudaDevice, stream);
    frame.set_arena(arena_.placed(i), slot_->device());
    frame.apply_call_faults();
    if (CudaOutcome ran = run_candidate(device_, candidate_, frame, runs_[i]); !ran.ok()) {
      return ran;
    }
  }
  const CudaStatus down = download_arena(*slot_.get(), arena_.bytes(), stream);
  if (!down.ok()) return device_.judge(down);
  return device_.judge(cuda_call("cudaEventRecord", cudaEventRecord(slot_->done(), stream)));
}

CudaOutcome CudaRound::wait() {
  if (!launch_outcome_.ok()) return launch_outcome_;
  CudaOutcome outcome = device_.wait(slot_->done());
  if (outcome.ok()) in_flight_ = false;
  return outcome;
}

void CudaRound::take(std::span<RunResult> results) {
  for (size_t i = 0; i < jobs_.size(); ++i) {
    RunResult& run = runs_[i];
    if (run.status == RunStatus::kDone) {
      run.steps.push_back(arena_.take(*jobs_[i].c, i, false, slot_->actual(), slot_->image()));
    } else if (const auto damage = arena_.change(i, slot_->actual(), slot_->image())) {
      run.steps.push_back({.outputs = {}, .untouched = {}, .damage = damage});
    }
    results[jobs_[i].result_idx] = std::move(run);
  }
}

}  // namespace bytegate
