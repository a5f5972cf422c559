// Memory of the host backend in which every buffer of a case stands at an unmapped page: behind its
// last byte, or before its first. Mappings are pooled, since making one costs half a small case.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "kernels/arena.h"
#include "kernels/fault_map.h"

namespace bytegate {

// One buffer's pages between two reaches of addresses without any.
class GuardedMapping {
 public:
  GuardedMapping() = default;
  GuardedMapping(GuardedMapping&& other) noexcept;
  GuardedMapping& operator=(GuardedMapping&& other) noexcept;
  ~GuardedMapping();

  // Exactly as many pages as hold `bytes`. False: there is no memory.
  bool ensure(size_t bytes);
  [[nodiscard]] std::byte* first() const { return pages_; }
  [[nodiscard]] std::byte* last() const { return pages_ + bytes_; }
  [[nodiscard]] std::byte* guard_begin() const;
  [[nodiscard]] std::byte* guard_end() const;

 private:
  void unmap();

  std::byte* pages_ = nullptr;
  size_t bytes_ = 0;
};

// Mappings of up to 256 pages are kept for each power of two.
constexpr size_t kLargeClass = 9;

class GuardPages {
 public:
  // Puts the buffers of a case that is placed in windows, with what `image` holds there. False:
  // there is no memory.
  bool load(const PlacedCase& placed, const std::byte* image);
  // Copies the windows back.
  void store(const PlacedCase& placed, std::byte* actual) const;

  // Null for what is not placed; -1 is the workspace.
  [[nodiscard]] std::byte* buffer(int tensor) const {
    return buffers_[static_cast<size_t>(tensor + 1)];
  }
  // What lies around the buffers, until the next load.
  [[nodiscard]] std::span<const FaultRegion> fault_regions() const { return fault_regions_; }

 private:
  bool load_buffer(int tensor, const PlacedCase& placed, const std::byte* image);

  // By tensor index + 1; the workspace comes first.
  std::vector<std::array<GuardedMapping, kLargeClass + 1>> mappings_;
  std::vector<std::byte*> buffers_;
  std::vector<FaultRegion> fault_regions_;
};

}  // namespace bytegate
