#include "kernels/cuda_second_instance.h"

#include <utility>

namespace bytegate {
namespace {

Elements reversed(const Elements& elements) {
  Elements result(elements.dtype(), elements.size());
  for (int64_t i = 0; i < elements.size(); ++i) {
    result.set(i, elements.at(elements.size() - 1 - i));
  }
  return result;
}

// The case with other valid inputs, where some can be had without knowing the operation.
Case with_other_inputs(const Case& c) {
  if (!c.later_steps.empty()) return at_step(c, 1);
  Case other = c;
  for (size_t i = 0; i < c.tensors.size(); ++i) {
    if (c.op->tensors[i].role != Role::kInput || !c.tensors[i].present) continue;
    other.tensors[i].elements = reversed(c.tensors[i].elements);
    other.tensors[i].pattern.reset();
  }
  return invalid_reason(other) ? c : other;
}

}  // namespace

CudaSecondInstance::CudaSecondInstance(CudaDevice& device, const Candidate& candidate,
                                       const CudaJob& job)
    : device_(device),
      candidate_(candidate),
      case_(with_other_inputs(*job.c)),
      instance_(device, case_, job.workspace_bytes) {}

CudaOutcome CudaSecondInstance::make() {
  const CudaStatus made = cuda_call(
      "cudaStreamCreateWithFlags", cudaStreamCreateWithFlags(stream_.out(), cudaStreamNonBlocking));
  return made.ok() ? instance_.make() : device_.judge(made);
}

CudaOutcome CudaSecondInstance::prepare(size_t launch_idx, CudaGate& gate) {
  if (CudaOutcome filled = instance_.fill(case_, launch_idx, nullptr); !filled.ok()) return filled;
  if (CudaOutcome up = instance_.upload(stream_.get()); !up.ok()) return up;
  return device_.judge(gate.hold(stream_.get()));
}

CudaOutcome CudaSecondInstance::launch(RunResult& result) {
  CallFrame frame(case_, kCudaDevice, stream_.get());
  instance_.bind(frame);
  RunResult ran;
  if (CudaOutcome called = run_candidate(device_, candidate_, frame, ran); !called.ok()) {
    return called;
  }
  status_ = ran.status;
  if (ran.status != RunStatus::kDone && result.status == RunStatus::kDone) {
    result.status = ran.status;
    result.message = "of the second instance: " + ran.message;
  }
  return {};
}

CudaOutcome CudaSecondInstance::download() {
  return instance_.download(stream_.get(), status_ == RunStatus::kDone);
}

CudaOutcome CudaSecondInstance::take(std::optional<Damage>& damage) {
  if (CudaOutcome ended = instance_.wait(); !ended.ok()) return ended;
  std::optional<Damage> found;
  if (status_ == RunStatus::kDone) {
    StepResult step;
    if (CudaOutcome taken = instance_.take(case_, step); !taken.ok()) return taken;
    found = step.damage;
  } else {
    found = instance_.change();
  }
  if (!damage) damage = found;
  return {};
}

}  // namespace bytegate
