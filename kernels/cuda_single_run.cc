#include "kernels/cuda_single_run.h"

#include <memory>
#include <optional>
#include <utility>

#include "kernels/cuda_sparse_tensors.h"

namespace bytegate {
namespace {

class SingleRun {
 public:
  SingleRun(CudaDevice& device, const Candidate& candidate, const CudaJob& job)
      : device_(device), candidate_(candidate), case_(*job.c), first_(at_step(*job.c, 0)) {
    arena_.place(case_, job.workspace_bytes);
    arena_.set_sections(job.sections);
  }
  SingleRun(const SingleRun&) = delete;
  SingleRun& operator=(const SingleRun&) = delete;

  // Not ok: the result is not the candidate's doing, or the device is lost.
  CudaOutcome run(RunResult& result);

 private:
  CudaOutcome capture(RunResult& result);
  CudaOutcome capture_run(RunResult& result, CudaGraph& graph);
  // A result with another status than kDone ends the case.
  CudaOutcome step(const Case& at, size_t step_idx, RunResult& result);
  CudaOutcome launch(const Case& at, RunResult& result);
  void bind(CallFrame& frame) const;

  CudaDevice& device_;
  const Candidate& candidate_;
  const Case& case_;
  const Case first_;
  Arena arena_;
  CudaSlotLease slot_;
  CudaSparseTensors sparse_;
  CudaGraphExec graph_;
};

void SingleRun::bind(CallFrame& frame) const {
  frame.set_arena(arena_.placed(0), slot_->device());
  sparse_.bind(frame);
  frame.apply_call_faults();
}

CudaOutcome SingleRun::run(RunResult& result) {
  if (CudaOutcome leased = device_.acquire(arena_.bytes(), slot_); !leased.ok()) return leased;
  if (CudaOutcome made = device_.judge(sparse_.map(first_, arena_.placed(0))); !made.ok()) {
    return made;
  }
  if (case_.mode == Mode::kGraph) {
    CudaOutcome captured = capture(result);
    if (!captured.ok() || result.status != RunStatus::kDone) return captured;
  }
  for (size_t step_idx = 0; step_idx <= case_.later_steps.size(); ++step_idx) {
    std::optional<Case> later;
    if (step_idx > 0) later = at_step(case_, step_idx);
    CudaOutcome ran = step(later ? *later : first_, step_idx, result);
    if (!ran.ok()) return ran;
    if (result.status != RunStatus::kDone) break;
  }
  return {};
}

CudaOutcome SingleRun::capture(RunResult& result) {
  // The inputs are not there yet: work that escapes the capture cannot get a step right.
  constexpr int kPoison = 0xa5;
  const CudaStatus poisoned =
      cuda_call("cudaMemsetAsync",
                cudaMemsetAsync(slot_->device(), kPoison, arena_.bytes(), device_.stream()));
  if (!poisoned.ok()) return device_.judge(poisoned);
  if (CudaOutcome idle = device_.quiesce(); !idle.ok()) return idle;
  CudaGraph graph;
  CudaOutcome captured = capture_run(result, graph);
  if (!captured.ok() || result.status != RunStatus::kDone) return captured;
  return device_.judge(
      cuda_call("cudaGraphInstantiate", cudaGraphInstantiate(graph_.out(), graph.get(), 0)));
}

CudaOutcome SingleRun::capture_run(RunResult& result, CudaGraph& graph) {
  CallFrame frame(first_, kCudaDevice, device_.stream());
  bind(frame);
  // Thread-local: what no engine may do during a capture (allocate, synchronise) is an error for
  // the candidate, and other threads of the process may go on doing it. Global mode would fail
  // them; relaxed mode would let the candidate do anything.
  const CudaStatus begun =
      cuda_call("cudaStreamBeginCapture",
                cudaStreamBeginCapture(device_.stream(), cudaStreamCaptureModeThreadLocal));
  if (!begun.ok()) return device_.judge(begun);
  const cudaError_t left = call_candidate(candidate_, frame, result);
  const CudaStatus ended =
      cuda_call("cudaStreamEndCapture", cudaStreamEndCapture(device_.stream(), graph.out()));
  if (CudaOutcome alive = device_.check(); !alive.ok()) return alive;
  blame_left_error(left, result);
  return result.status == RunStatus::kDone ? device_.judge(ended) : CudaOutcome{};
}

CudaOutcome SingleRun::launch(const Case& at, RunResult& result) {
  if (graph_.get() != nullptr) {
    return device_.judge(
        cuda_call("cudaGraphLaunch", cudaGraphLaunch(graph_.get(), device_.stream())));
  }
  CallFrame frame(at, kCudaDevice, device_.stream());
  bind(frame);
  return run_candidate(device_, candidate_, frame, result);
}

CudaOutcome SingleRun::step(const Case& at, size_t step_idx, RunResult& result) {
  const StepResult* before = result.steps.empty() ? nullptr : &result.steps.back();
  const bool stale = arena_.fill_step(at, 0, step_idx, before, slot_->image());
  if (CudaOutcome up = upload(device_, *slot_.get(), arena_.bytes()); !up.ok()) return up;
  const CudaStatus sparse_up = sparse_.upload(at, step_idx, device_.stream());
  if (!sparse_up.ok()) return device_.judge(sparse_up);
  if (CudaOutcome launched = launch(at, result); !launched.ok()) return launched;
  if (CudaOutcome down = download(device_, *slot_.get(), arena_.bytes()); !down.ok()) return down;
  if (CudaOutcome ended = device_.wait(slot_->done()); !ended.ok()) return ended;
  if (result.status != RunStatus::kDone) {
    if (const auto damage = arena_.change(0, slot_->actual(), slot_->image())) {
      result.steps.push_back({.outputs = {}, .untouched = {}, .damage = damage});
    }
    return {};
  }
  result.steps.push_back(arena_.take(at, 0, stale, slot_->actual(), slot_->image()));
  return device_.judge(sparse_.take(at, device_.stream(), result.steps.back()));
}

}  // namespace

RunResult run_alone(CudaDevice& device, const Candidate& candidate, const CudaJob& job) {
  RunResult result;
  SingleRun run(device, candidate, job);
  CudaOutcome outcome = run.run(result);
  // What was launched, on any stream, may still run, use the buffers, and fault.
  if (CudaOutcome idle = device.quiesce(); !idle.ok()) outcome = std::move(idle);
  switch (outcome.kind) {
    case CudaOutcome::Kind::kOk:
      return result;
    case CudaOutcome::Kind::kExhausted:
      result.status = RunStatus::kExhausted;
      break;
    case CudaOutcome::Kind::kCallFailed:
      result.status = RunStatus::kFault;
      break;
    case CudaOutcome::Kind::kLost:
      result.status = RunStatus::kLost;
      break;
  }
  result.message = std::move(outcome.text);
  return result;
}

}  // namespace bytegate
