#include "kernels/guard_pages.h"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "kernels/host_memory.h"

namespace bytegate {
namespace {

// Wider than a block of 1024 threads with 16 bytes each reaches with one access.
constexpr size_t kReachBytes = size_t{64} << 10;

// By powers of two, so that little is mapped beside a window; what is larger than all of them is
// mapped as it comes.
size_t size_class(size_t bytes) {
  const size_t pages = (bytes + host_page_bytes() - 1) / host_page_bytes();
  return std::min<size_t>(static_cast<size_t>(std::bit_width(pages - 1)), kLargeClass);
}

const Placement& placement_of(const PlacedCase& placed, int tensor) {
  return tensor < 0 ? placed.workspace : placed.tensors[static_cast<size_t>(tensor)];
}

}  // namespace

GuardedMapping::GuardedMapping(GuardedMapping&& other) noexcept
    : pages_(std::exchange(other.pages_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}

GuardedMapping& GuardedMapping::operator=(GuardedMapping&& other) noexcept {
  std::swap(pages_, other.pages_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

GuardedMapping::~GuardedMapping() {
  unmap();
}

std::byte* GuardedMapping::guard_begin() const {
  return pages_ - kReachBytes;
}

std::byte* GuardedMapping::guard_end() const {
  return pages_ + bytes_ + kReachBytes;
}

void GuardedMapping::unmap() {
  if (pages_ != nullptr) munmap(guard_begin(), bytes_ + 2 * kReachBytes);
  pages_ = nullptr;
  bytes_ = 0;
}

bool GuardedMapping::ensure(size_t bytes) {
  const size_t page = host_page_bytes();
  const size_t mapped = (bytes + page - 1) / page * page;
  if (mapped == bytes_) return true;
  unmap();
  void* base = mmap(nullptr, mapped + 2 * kReachBytes, PROT_NONE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (base == MAP_FAILED) return false;
  pages_ = static_cast<std::byte*>(base) + kReachBytes;
  bytes_ = mapped;
  if (mprotect(pages_, mapped, PROT_READ | PROT_WRITE) == 0) return true;
  unmap();
  return false;
}

bool GuardPages::load_buffer(int tensor, const PlacedCase& placed, const std::byte* image) {
  const size_t slot = static_cast<size_t>(tensor + 1);
  const Placement& placement = placement_of(placed, tensor);
  buffers_[slot] = nullptr;
  if (placement.bytes == 0) return true;
  const size_t whole = placement.lead + placement.bytes + placement.trail;
  GuardedMapping& mapping = mappings_[slot][size_class(whole)];
  if (!mapping.ensure(size_class(whole) == kLargeClass ? whole : std::bit_ceil(whole))) {
    return false;
  }
  std::byte* window = ends_at_page(placed.placing) ? mapping.last() - whole : mapping.first();
  std::memcpy(window, image + placement.offset - placement.lead, whole);
  buffers_[slot] = window + placement.lead;
  fault_regions_.push_back({.guard_begin = mapping.guard_begin(),
                            .guard_end = mapping.guard_end(),
                            .buffer = buffers_[slot],
                            .bytes = placement.bytes,
                            .tensor = tensor,
                            .read_only = false});
  return true;
}

bool GuardPages::load(const PlacedCase& placed, const std::byte* image) {
  const size_t num_buffers = placed.tensors.size() + 1;
  if (mappings_.size() < num_buffers) mappings_.resize(num_buffers);
  buffers_.assign(num_buffers, nullptr);
  fault_regions_.clear();
  for (int tensor = -1; tensor + 1 < static_cast<int>(num_buffers); ++tensor) {
    if (!load_buffer(tensor, placed, image)) return false;
  }
  return true;
}

void GuardPages::store(const PlacedCase& placed, std::byte* actual) const {
  for (int tensor = -1; tensor < static_cast<int>(placed.tensors.size()); ++tensor) {
    const Placement& placement = placement_of(placed, tensor);
    if (placement.bytes == 0) continue;
    std::memcpy(actual + placement.offset - placement.lead, buffer(tensor) - placement.lead,
                placement.lead + placement.bytes + placement.trail);
  }
}

}  // namespace bytegate
