// The sparse tensors of one case on the device: mapped once, filled anew at each step.
#pragma once

#include <memory>
#include <vector>

#include "kernels/arena.h"
#include "kernels/call_frame.h"
#include "kernels/cuda_sparse_region.h"

namespace bytegate {

class CudaSparseTensors {
 public:
  // Does nothing if no tensor is sparse.
  CudaStatus map(const Case& c, const PlacedCase& placed);
  void bind(CallFrame& frame) const;
  CudaStatus upload(const Case& at_step, size_t step_idx, cudaStream_t stream);
  // Takes outputs and damage, once the step has ended.
  CudaStatus take(const Case& at_step, cudaStream_t stream, StepResult& result) const;

 private:
  struct Entry {
    size_t tensor = 0;
    SparseImage image;
    std::unique_ptr<CudaSparseRegion> region;
  };
  CudaVirtualMemory memory_;
  std::vector<Entry> entries_;
};

}  // namespace bytegate
