#include "kernels/cuda_single_run.h"

#include <chrono>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

#include "kernels/cuda_overwritten_inputs.h"
#include "kernels/cuda_second_instance.h"

namespace bytegate {
namespace {

// Work that a candidate put elsewhere than on the stream it was given has begun by then.
constexpr std::chrono::milliseconds kHeldAfterRun{1};

class SingleRun {
 public:
  SingleRun(CudaDevice& device, const Candidate& candidate, const CudaJob& job)
      : device_(device),
        candidate_(candidate),
        job_(job),
        case_(*job.c),
        plan_(mode_spec(job.c->mode).plan),
        first_(at_step(*job.c, 0)),
        instance_(device, *job.c, job.workspace_bytes) {
    instance_.set_sections(job.sections);
  }
  SingleRun(const SingleRun&) = delete;
  SingleRun& operator=(const SingleRun&) = delete;

  // Not ok: the result is not the candidate's doing, or the device is lost. A result with another
  // status than kDone ends the case.
  CudaOutcome run(RunResult& result);

 private:
  [[nodiscard]] cudaStream_t stream() const {
    return plan_.other_stream || plan_.two_at_once ? own_stream_.get() : device_.stream();
  }
  CudaOutcome make();
  CudaOutcome call_with_short_workspace(RunResult& result);
  CudaOutcome capture_elsewhere(RunResult& result);
  CudaOutcome capture(RunResult& result);
  CudaOutcome capture_run(CudaInstance& instance, RunResult& result, CudaGraph& graph);
  CudaOutcome run_launches(RunResult& result);
  // Loads what the call loads: on the device, loading waits for everything, gates included.
  CudaOutcome warm_up();

  // One launch, in this order.
  CudaOutcome fill(const Case& at, size_t launch_idx, const StepResult* before);
  CudaOutcome launch(const Case& at, RunResult& result);
  CudaOutcome follow_launch(const RunResult& result);
  CudaOutcome collect(const Case& at, RunResult& result);

  CudaDevice& device_;
  const Candidate& candidate_;
  const CudaJob& job_;
  const Case& case_;
  const LaunchPlan& plan_;
  const Case first_;
  CudaInstance instance_;
  std::unique_ptr<CudaInstance> elsewhere_;
  std::unique_ptr<CudaSecondInstance> second_;
  std::unique_ptr<CudaOverwrittenInputs> overwritten_;
  CudaStream own_stream_;
  CudaGate gate_;
  CudaUnrelatedWork unrelated_;
  CudaGraphExec graph_;
};

CudaOutcome SingleRun::make() {
  if (CudaOutcome made = instance_.make(); !made.ok()) return made;
  if (plan_.other_stream || plan_.two_at_once) {
    const CudaStatus made =
        cuda_call("cudaStreamCreateWithFlags",
                  cudaStreamCreateWithFlags(own_stream_.out(), cudaStreamNonBlocking));
    if (!made.ok()) return device_.judge(made);
  }
  if (plan_.two_at_once) {
    second_ = std::make_unique<CudaSecondInstance>(device_, candidate_, job_);
    if (CudaOutcome made = second_->make(); !made.ok()) return made;
  }
  // Separate buffers are not in the arena.
  if (!plan_.inputs_overwritten || device_.limits().separate_buffers) return {};
  overwritten_ = std::make_unique<CudaOverwrittenInputs>(device_, case_, instance_.placed());
  return overwritten_->make(instance_.bytes());
}

CudaOutcome SingleRun::run(RunResult& result) {
  result.status = RunStatus::kDone;
  if (CudaOutcome made = make(); !made.ok()) return made;
  if (plan_.short_workspace) {
    CudaOutcome called = call_with_short_workspace(result);
    if (!called.ok() || result.status != RunStatus::kDone) return called;
  }
  if (plan_.other_stream || plan_.two_at_once) {
    if (CudaOutcome warm = warm_up(); !warm.ok()) return warm;
  }
  if (plan_.captured) {
    CudaOutcome captured = capture_elsewhere(result);
    if (!captured.ok() || result.status != RunStatus::kDone) return captured;
    captured = capture(result);
    if (!captured.ok() || result.status != RunStatus::kDone) return captured;
  }
  if (CudaOutcome ran = run_launches(result); !ran.ok()) return ran;
  return instance_.trespass(result, result.trespass);
}

CudaOutcome SingleRun::run_launches(RunResult& result) {
  const std::vector<size_t> steps = launched_steps(case_);
  result.steps.reserve(steps.size());
  for (size_t launch_idx = 0; launch_idx < steps.size(); ++launch_idx) {
    const size_t step = steps[launch_idx];
    // The same step again runs over fresh poison: what it does not write must not look right.
    const bool changed = launch_idx > 0 && steps[launch_idx - 1] != step;
    const StepResult* before = changed ? &result.steps.back() : nullptr;
    std::optional<Case> later;
    if (step > 0) later = at_step(case_, step);
    const Case& at = later ? *later : first_;
    if (CudaOutcome filled = fill(at, launch_idx, before); !filled.ok()) return filled;
    if (CudaOutcome launched = launch(at, result); !launched.ok()) return launched;
    if (CudaOutcome followed = follow_launch(result); !followed.ok()) return followed;
    if (CudaOutcome collected = collect(at, result); !collected.ok()) return collected;
    if (result.status != RunStatus::kDone) break;
  }
  return {};
}

CudaOutcome SingleRun::call_with_short_workspace(RunResult& result) {
  if (instance_.placed().workspace.bytes == 0 || case_.expect == Expect::kRefused) return {};
  if (CudaOutcome filled = fill(first_, 0, nullptr); !filled.ok()) return filled;
  CallFrame frame(first_, kCudaDevice, stream());
  instance_.bind(frame);
  frame.shorten_workspace(1);
  RunResult called;
  if (CudaOutcome ran = run_candidate(device_, candidate_, frame, called); !ran.ok()) return ran;
  if (CudaOutcome down = instance_.download(stream(), false); !down.ok()) return down;
  if (CudaOutcome ended = instance_.wait(); !ended.ok()) return ended;
  const bool refused = called.status == RunStatus::kRefused;
  if (refused && !instance_.change()) return {};
  result.status = RunStatus::kTookShort;
  result.message = refused ? "a workspace one byte short was refused, but bytes changed"
                           : "a workspace one byte short was not refused";
  return {};
}

CudaOutcome SingleRun::warm_up() {
  if (CudaOutcome filled = instance_.fill(first_, 0, nullptr); !filled.ok()) return filled;
  if (CudaOutcome up = instance_.upload(stream()); !up.ok()) return up;
  CallFrame frame(first_, kCudaDevice, stream());
  instance_.bind(frame);
  RunResult ignored;
  if (CudaOutcome ran = run_candidate(device_, candidate_, frame, ignored); !ran.ok()) return ran;
  return device_.quiesce();
}

CudaOutcome SingleRun::capture_elsewhere(RunResult& result) {
  // A candidate that remembers an address from its first capture must be seen to. Engines capture
  // for many sets of buffers, too. Of large ones there is no room for two.
  if (instance_.has_sparse() || instance_.bytes() > device_.limits().round_bytes) return {};
  elsewhere_ = std::make_unique<CudaInstance>(device_, case_, job_.workspace_bytes);
  if (CudaOutcome made = elsewhere_->make(CudaDevice::SlotUse::kDecoy); !made.ok()) return made;
  if (CudaOutcome spoilt = elsewhere_->spoil(); !spoilt.ok()) return spoilt;
  CudaGraph thrown_away;
  return capture_run(*elsewhere_, result, thrown_away);
}

CudaOutcome SingleRun::capture(RunResult& result) {
  // The inputs are not there yet: work that escapes the capture cannot get a step right.
  if (CudaOutcome spoilt = instance_.spoil(); !spoilt.ok()) return spoilt;
  CudaGraph graph;
  CudaOutcome captured = capture_run(instance_, result, graph);
  // What escaped the capture must not wait until the inputs are there.
  if (CudaOutcome idle = device_.quiesce(); !idle.ok()) return idle;
  if (!captured.ok() || result.status != RunStatus::kDone) return captured;
  return device_.judge(
      cuda_call("cudaGraphInstantiate", cudaGraphInstantiate(graph_.out(), graph.get(), 0)));
}

CudaOutcome SingleRun::capture_run(CudaInstance& instance, RunResult& result, CudaGraph& graph) {
  CallFrame frame(first_, kCudaDevice, device_.stream());
  instance.bind(frame);
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

CudaOutcome SingleRun::fill(const Case& at, size_t launch_idx, const StepResult* before) {
  if (plan_.other_stream) {
    if (CudaOutcome spoilt = instance_.spoil(); !spoilt.ok()) return spoilt;
  }
  if (CudaOutcome filled = instance_.fill(at, launch_idx, before); !filled.ok()) return filled;
  if (plan_.other_stream) {
    // Not even the inputs are there when run() is called.
    const CudaStatus held = gate_.hold(stream());
    if (!held.ok()) return device_.judge(held);
  }
  if (CudaOutcome up = instance_.upload(stream()); !up.ok()) return up;
  if (plan_.other_stream) return device_.judge(unrelated_.enqueue(device_.stream()));
  if (second_ == nullptr) return {};
  const CudaStatus held = gate_.hold(stream());
  return held.ok() ? second_->prepare(launch_idx, gate_) : device_.judge(held);
}

CudaOutcome SingleRun::launch(const Case& at, RunResult& result) {
  if (graph_.get() != nullptr) {
    return device_.judge(cuda_call("cudaGraphLaunch", cudaGraphLaunch(graph_.get(), stream())));
  }
  CallFrame frame(at, kCudaDevice, stream());
  instance_.bind(frame);
  if (second_ == nullptr) return run_candidate(device_, candidate_, frame, result);
  // The one that is judged comes first in half of the cases, and second in the others.
  const bool second_first = instance_.placed().salt / 2 % 2 == 0;
  if (second_first) {
    if (CudaOutcome ran = second_->launch(result); !ran.ok()) return ran;
    if (result.status != RunStatus::kDone) return {};
  }
  if (CudaOutcome ran = run_candidate(device_, candidate_, frame, result); !ran.ok()) return ran;
  return second_first ? CudaOutcome{} : second_->launch(result);
}

CudaOutcome SingleRun::follow_launch(const RunResult& result) {
  if (overwritten_ != nullptr && result.status == RunStatus::kDone) {
    CudaOutcome overwritten = overwritten_->overwrite(instance_.slot(), stream());
    // What reads the inputs too late, wherever it runs, has written by the time of the download.
    return overwritten.ok() ? device_.quiesce() : overwritten;
  }
  if (plan_.other_stream || second_ != nullptr) {
    std::this_thread::sleep_for(kHeldAfterRun);
    gate_.open();
  }
  return {};
}

CudaOutcome SingleRun::collect(const Case& at, RunResult& result) {
  const bool done = result.status == RunStatus::kDone;
  if (CudaOutcome down = instance_.download(stream(), done); !down.ok()) return down;
  if (second_ != nullptr) {
    if (CudaOutcome down = second_->download(); !down.ok()) return down;
  }
  if (CudaOutcome ended = instance_.wait(); !ended.ok()) return ended;
  std::optional<Damage> beside;
  if (second_ != nullptr) {
    if (CudaOutcome taken = second_->take(beside); !taken.ok()) return taken;
  }
  if (!done) {
    std::optional<Damage> damage = instance_.change();
    if (!damage) damage = beside;
    if (damage) result.steps.push_back({.outputs = {}, .untouched = {}, .damage = damage});
    return {};
  }
  if (overwritten_ != nullptr) overwritten_->restore(instance_.slot());
  StepResult step;
  if (CudaOutcome taken = instance_.take(at, step); !taken.ok()) return taken;
  if (!step.damage) step.damage = beside;
  result.steps.push_back(std::move(step));
  return {};
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
