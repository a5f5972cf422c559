// The buffers of one case, each an allocation of exactly its bytes, so that a checker of memory
// sees where each begins and ends. They may be left unwritten until the candidate writes them; then
// nothing but the elements that the contract states is copied.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "kernels/arena.h"
#include "kernels/call_frame.h"
#include "kernels/cuda_memory.h"

namespace bytegate {

class CudaSeparateBuffers {
 public:
  CudaSeparateBuffers(const Case& c, const PlacedCase& placed, bool leave_unwritten)
      : case_(c), placed_(placed), leave_unwritten_(leave_unwritten) {}

  CudaStatus make();
  void bind(CallFrame& frame) const;
  CudaStatus upload(const std::byte* image, cudaStream_t stream) const;
  // `actual` holds the image, and keeps it where nothing is copied: of what was left unwritten,
  // that is all unless it is `written` now.
  CudaStatus download(std::byte* actual, bool written, cudaStream_t stream) const;

 private:
  struct Run {
    size_t offset = 0;  // from the buffer's first byte
    size_t bytes = 0;
  };
  using Visit = std::function<CudaStatus(const Run&)>;
  // What is copied of a tensor.
  CudaStatus for_each_part(size_t tensor, const Visit& visit) const;
  CudaStatus for_each_element_run(size_t tensor, const Visit& visit) const;

  const Case& case_;
  const PlacedCase& placed_;
  const bool leave_unwritten_;
  std::vector<CudaOwner<void*, cudaFree>> tensors_;
  CudaOwner<void*, cudaFree> workspace_;
};

}  // namespace bytegate
