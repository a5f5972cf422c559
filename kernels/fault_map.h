// Where the buffers of the running case lie, so that an access that was stopped beside one of them
// can be named. Whoever places the buffers keeps the map; the signal handler of the process that
// the candidate runs in reads it, so it is plain data of a fixed size.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "kernels/backend.h"

namespace bytegate {

struct FaultRegion {
  // The whole range that belongs to the buffer, what is unmapped around it included.
  const std::byte* guard_begin = nullptr;
  const std::byte* guard_end = nullptr;
  const std::byte* buffer = nullptr;  // its first byte
  size_t bytes = 0;
  int tensor = -1;         // index into Op::tensors; -1: the workspace
  bool read_only = false;  // mapped so: an access inside that was stopped is a write
};

class FaultMap {
 public:
  static constexpr size_t kMaxRegions = 64;
  enum class Access : uint8_t { kUnknown, kRead, kWrite };

  // Ranges do not overlap. What does not fit is not known.
  void set(std::span<const FaultRegion> regions);
  void add(const FaultRegion& region);
  void clear() { num_regions_.store(0, std::memory_order_release); }

  // The buffer whose range holds the address, with the offset from its first byte; nothing if there
  // is none. Async-signal-safe.
  [[nodiscard]] std::optional<Damage> find(uintptr_t address, Access access) const;

 private:
  std::array<FaultRegion, kMaxRegions> regions_{};
  // A handler sees as many as are whole.
  std::atomic<size_t> num_regions_{0};
};

}  // namespace bytegate
