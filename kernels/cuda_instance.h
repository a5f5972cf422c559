// The buffers of one case that runs alone, on the device and on the host, and what goes through
// them launch by launch.
#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "kernels/cuda_guarded_buffers.h"
#include "kernels/cuda_launch.h"
#include "kernels/cuda_separate_buffers.h"
#include "kernels/cuda_sparse_tensors.h"

namespace bytegate {

class CudaInstance {
 public:
  // The case gives layout and mode; `workspace_bytes` are what the candidate asked for.
  CudaInstance(CudaDevice& device, const Case& c, size_t workspace_bytes);
  CudaInstance(const CudaInstance&) = delete;
  CudaInstance& operator=(const CudaInstance&) = delete;

  void set_sections(std::vector<WorkspaceSection> sections) {
    arena_.set_sections(std::move(sections));
  }
  // Gets the memory. Before everything else.
  CudaOutcome make(CudaDevice::SlotUse use = CudaDevice::SlotUse::kCase);
  void bind(CallFrame& frame) const;

  // Overwrites all of it with what is no input, and waits.
  CudaOutcome spoil();
  // Fills the image for a launch; the inputs are those of `at`. Sparse tensors are uploaded as
  // well. `before`: what the launch before it gave, if that may still be there.
  CudaOutcome fill(const Case& at, size_t launch_idx, const StepResult* before);
  CudaOutcome upload(cudaStream_t stream);
  // `done`: the candidate says that it has written the outputs.
  CudaOutcome download(cudaStream_t stream, bool done);
  CudaOutcome wait() { return device_.wait(slot_->done()); }

  // After a wait: any change; or what a launch that is done gave.
  [[nodiscard]] std::optional<Damage> change() const;
  CudaOutcome take(const Case& at, StepResult& result);
  // What was stopped at a guard that was opened for this run; nothing: not opened, or no write.
  CudaOutcome trespass(const RunResult& result, std::optional<Damage>& found) const;

  [[nodiscard]] CudaSlot& slot() const { return *slot_.get(); }
  [[nodiscard]] const PlacedCase& placed() const { return arena_.placed(0); }
  [[nodiscard]] size_t bytes() const { return arena_.bytes(); }
  [[nodiscard]] bool has_sparse() const;

 private:
  CudaDevice& device_;
  const Case& case_;
  Arena arena_;
  CudaSlotLease slot_;
  CudaSparseTensors sparse_;
  std::unique_ptr<CudaGuardedBuffers> guarded_;
  std::unique_ptr<CudaSeparateBuffers> separate_;
  Leftovers left_;
  bool stale_ = false;
};

}  // namespace bytegate
