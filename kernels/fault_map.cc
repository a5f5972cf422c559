#include "kernels/fault_map.h"

namespace bytegate {

void FaultMap::set(std::span<const FaultRegion> regions) {
  clear();
  for (const FaultRegion& region : regions) add(region);
}

void FaultMap::add(const FaultRegion& region) {
  const size_t place = num_regions_.load(std::memory_order_relaxed);
  if (place == kMaxRegions) return;
  regions_[place] = region;
  num_regions_.store(place + 1, std::memory_order_release);
}

std::optional<Damage> FaultMap::find(uintptr_t address, Access access) const {
  const size_t num_regions = num_regions_.load(std::memory_order_acquire);
  for (size_t i = 0; i < num_regions; ++i) {
    const FaultRegion& region = regions_[i];
    if (address < reinterpret_cast<uintptr_t>(region.guard_begin) ||
        address >= reinterpret_cast<uintptr_t>(region.guard_end)) {
      continue;
    }
    const int64_t offset =
        static_cast<int64_t>(address - reinterpret_cast<uintptr_t>(region.buffer));
    const bool inside = offset >= 0 && static_cast<uint64_t>(offset) < region.bytes;
    const bool writes = access == Access::kWrite || (inside && region.read_only);
    return Damage{.kind = writes ? Damage::Kind::kWrite : Damage::Kind::kRead,
                  .tensor = region.tensor,
                  .byte_offset = offset};
  }
  return std::nullopt;
}

}  // namespace bytegate
