// Device memory between addresses of nothing: an access before its first or after its last byte is
// an illegal address.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "kernels/cuda_virtual_memory.h"

namespace bytegate {

// Reserved addresses, and what is mapped at them.
class CudaMapping {
 public:
  explicit CudaMapping(const CudaVirtualMemory& memory) : memory_(memory) {}
  CudaMapping(const CudaMapping&) = delete;
  CudaMapping& operator=(const CudaMapping&) = delete;
  ~CudaMapping() { reset(); }

  CudaStatus reserve(size_t bytes);
  CudaStatus map(size_t offset, size_t bytes, CUmemGenericAllocationHandle handle,
                 CUmemAccess_flags access);
  void reset();
  [[nodiscard]] std::byte* at(size_t offset) const { return device_address(base_ + offset); }
  [[nodiscard]] bool reserved() const { return base_ != 0; }

 private:
  struct Piece {
    CUdeviceptr address = 0;
    size_t bytes = 0;
  };
  const CudaVirtualMemory& memory_;
  CUdeviceptr base_ = 0;
  size_t bytes_ = 0;
  std::vector<Piece> pieces_;
};

// Pages of memory with one page of nothing before and one behind.
class CudaGuardRegion {
 public:
  explicit CudaGuardRegion(const CudaVirtualMemory& memory)
      : memory_(memory), whole_(memory), view_(memory) {}

  CudaStatus make(size_t num_pages);
  [[nodiscard]] size_t num_pages() const { return num_pages_; }
  [[nodiscard]] size_t bytes() const { return num_pages_ * memory_.page_bytes; }
  // Where it is read and written, and where kernels can only read it. The same place, if the driver
  // has no memory that is only read.
  [[nodiscard]] std::byte* data() const { return whole_.at(memory_.page_bytes); }
  [[nodiscard]] std::byte* view() const {
    return view_.reserved() ? view_.at(memory_.page_bytes) : data();
  }

  // Puts memory at both ends of data(). The region is of no use as a guard afterwards.
  CudaStatus open_ends();
  [[nodiscard]] bool opened() const { return opened_; }
  // The byte nearest to data() that was changed at an end; an offset from data().
  CudaStatus find_change(std::optional<int64_t>& offset) const;

 private:
  CudaStatus back(size_t offset, size_t bytes, bool with_view);

  const CudaVirtualMemory& memory_;
  CudaMapping whole_;
  CudaMapping view_;
  size_t num_pages_ = 0;
  bool opened_ = false;
};

// Regions for use again, since mapping costs more than a case.
class CudaGuardPool {
 public:
  // A region of at least `bytes`, the caller's until it is released.
  CudaStatus acquire(size_t bytes, std::unique_ptr<CudaGuardRegion>& region);
  void release(std::unique_ptr<CudaGuardRegion> region);
  // By regions that nobody uses now.
  [[nodiscard]] size_t held_bytes() const;

 private:
  CudaVirtualMemory memory_;
  std::vector<std::unique_ptr<CudaGuardRegion>> free_;
};

}  // namespace bytegate
