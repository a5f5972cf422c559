#include "kernels/cuda_instance.h"

#include <algorithm>
#include <cstring>

namespace bytegate {
namespace {

// A candidate that takes an overlap, or a null, goes astray by its nature.
bool stands_at_pages(const Case& c) {
  const Placing placing = mode_spec(c.mode).plan.placing;
  return c.call_faults.empty() &&
         (placing == Placing::kGuardAfter || placing == Placing::kGuardBefore);
}

}  // namespace

CudaInstance::CudaInstance(CudaDevice& device, const Case& c, size_t workspace_bytes)
    : device_(device), case_(c) {
  arena_.place(c, workspace_bytes);
}

CudaOutcome CudaInstance::make(CudaDevice::SlotUse use) {
  if (CudaOutcome leased = device_.acquire(arena_.bytes(), slot_, use); !leased.ok()) return leased;
  if (CudaOutcome mapped = device_.judge(sparse_.map(case_, placed())); !mapped.ok()) {
    return mapped;
  }
  const CudaLimits& limits = device_.limits();
  if (limits.separate_buffers) {
    // A result that no contract states may be made of what was there.
    const bool leave_unwritten = limits.leave_unwritten && case_.expect != Expect::kSurvived;
    separate_ = std::make_unique<CudaSeparateBuffers>(case_, placed(), leave_unwritten);
    return device_.judge(separate_->make());
  }
  if (!stands_at_pages(case_)) return {};
  guarded_ = std::make_unique<CudaGuardedBuffers>(device_.guards(), limits.guard_focus);
  return device_.judge(guarded_->make(case_, placed()));
}

void CudaInstance::bind(CallFrame& frame) const {
  frame.set_arena(placed(), slot_->device());
  if (separate_ != nullptr) separate_->bind(frame);
  if (guarded_ != nullptr) guarded_->bind(frame);
  sparse_.bind(frame);
  frame.apply_call_faults();
}

bool CudaInstance::has_sparse() const {
  return std::any_of(placed().tensors.begin(), placed().tensors.end(),
                     [](const Placement& tensor) { return tensor.sparse; });
}

CudaOutcome CudaInstance::spoil() {
  constexpr int kSpoil = 0xa5;
  const CudaStatus spoilt =
      cuda_call("cudaMemsetAsync",
                cudaMemsetAsync(slot_->device(), kSpoil, arena_.bytes(), device_.stream()));
  if (!spoilt.ok()) return device_.judge(spoilt);
  return device_.quiesce();
}

CudaOutcome CudaInstance::fill(const Case& at, size_t launch_idx, const StepResult* before) {
  left_.result = before;
  stale_ = arena_.fill_launch(at, 0, launch_idx, left_, slot_->image());
  return device_.judge(sparse_.upload(at, launch_idx, device_.stream()));
}

CudaOutcome CudaInstance::upload(cudaStream_t stream) {
  if (separate_ != nullptr) return device_.judge(separate_->upload(slot_->image(), stream));
  CudaOutcome up = bytegate::upload(device_, *slot_.get(), arena_.bytes(), stream);
  if (!up.ok() || guarded_ == nullptr) return up;
  return device_.judge(guarded_->upload(slot_->image(), stream));
}

CudaOutcome CudaInstance::download(cudaStream_t stream, bool done) {
  CudaStatus status;
  if (separate_ != nullptr) {
    std::memcpy(slot_->actual(), slot_->image(), arena_.bytes());
    status = separate_->download(slot_->actual(), done && case_.expect == Expect::kBytes, stream);
  } else {
    status = download_arena(*slot_.get(), arena_.bytes(), stream);
    // Over what the arena has in their place.
    if (status.ok() && guarded_ != nullptr) status = guarded_->download(slot_->actual(), stream);
  }
  if (!status.ok()) return device_.judge(status);
  return device_.judge(cuda_call("cudaEventRecord", cudaEventRecord(slot_->done(), stream)));
}

std::optional<Damage> CudaInstance::change() const {
  return arena_.change(0, slot_->actual(), slot_->image());
}

CudaOutcome CudaInstance::take(const Case& at, StepResult& result) {
  left_.workspace = arena_.workspace_left(0, slot_->actual());
  result = arena_.take(at, 0, stale_, slot_->actual(), slot_->image());
  return device_.judge(sparse_.take(at, device_.stream(), result));
}

CudaOutcome CudaInstance::trespass(const RunResult& result, std::optional<Damage>& found) const {
  if (guarded_ == nullptr) return {};
  std::optional<Damage> damage;
  for (const StepResult& step : result.steps) {
    if (!damage) damage = step.damage;
  }
  return device_.judge(guarded_->trace(damage, found));
}

}  // namespace bytegate
