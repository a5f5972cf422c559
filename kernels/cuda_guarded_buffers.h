// The buffers of one case that stand at unmapped pages: each ends, or begins, exactly where its
// memory does. What lies beside a buffer in its memory is poison, which is compared.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "kernels/arena.h"
#include "kernels/call_frame.h"
#include "kernels/cuda_guarded_memory.h"
#include "kernels/guard_focus.h"

namespace bytegate {

class CudaGuardedBuffers {
 public:
  CudaGuardedBuffers(CudaGuardPool& pool, const GuardFocus& focus) : pool_(pool), focus_(focus) {}
  CudaGuardedBuffers(const CudaGuardedBuffers&) = delete;
  CudaGuardedBuffers& operator=(const CudaGuardedBuffers&) = delete;
  // Nothing may use the memory by then.
  ~CudaGuardedBuffers();

  CudaStatus make(const Case& c, const PlacedCase& placed);
  // Overrides where the frame's buffers are, of those that are guarded.
  void bind(CallFrame& frame) const;
  // Copies the parts of the arena's image that belong to guarded buffers, and back. Enqueued only.
  CudaStatus upload(const std::byte* image, cudaStream_t stream) const;
  CudaStatus download(std::byte* actual, cudaStream_t stream) const;

  // Of a run whose guard was opened: which access would have been stopped there. `damage` is what
  // was found to be damaged.
  CudaStatus trace(const std::optional<Damage>& damage, std::optional<Damage>& found) const;

 private:
  struct Entry {
    int buffer = -1;  // index of a tensor; -1: the workspace
    bool input = false;
    size_t bytes = 0;         // of the buffer
    size_t begin = 0;         // of the buffer, in its region
    size_t window_begin = 0;  // of what is copied, in the region
    size_t window_image = 0;  // and in the arena
    size_t window_bytes = 0;
    std::unique_ptr<CudaGuardRegion> region;
  };
  CudaStatus add(int buffer, const Placement& placement, size_t alignment, bool input);

  CudaGuardPool& pool_;
  const GuardFocus focus_;
  bool at_end_ = true;  // buffers end at the unmapped page, else they begin there
  std::vector<Entry> entries_;
};

}  // namespace bytegate
