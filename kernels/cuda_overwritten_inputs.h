// Inputs that are overwritten on a stream right behind a launch, and what they were by then.
#pragma once

#include "kernels/arena.h"
#include "kernels/cuda_device.h"

namespace bytegate {

class CudaOverwrittenInputs {
 public:
  CudaOverwrittenInputs(CudaDevice& device, const Case& c, const PlacedCase& placed)
      : device_(device), case_(c), placed_(placed) {}

  // Memory for as many bytes as the arena has. Before the launch.
  CudaOutcome make(size_t bytes) { return device_.acquire(bytes, saved_); }
  // Enqueues a copy of the inputs in the arena, the overwriting, and the download of the copy.
  CudaOutcome overwrite(const CudaSlot& slot, cudaStream_t stream);
  // Once everything has come down: puts back into slot.actual() what inputs would be had they not
  // been overwritten, so that only what the candidate did to them is seen as a change.
  void restore(const CudaSlot& slot) const;

 private:
  template <typename Visit>
  void for_each_input(Visit&& visit) const;

  CudaDevice& device_;
  const Case& case_;
  const PlacedCase& placed_;
  CudaSlotLease saved_;
};

}  // namespace bytegate
