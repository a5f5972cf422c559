#include "kernels/cuda_guarded_memory.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace bytegate {
namespace {

constexpr int kEndPattern = 0x5a;
// Larger regions are not kept: what they save is little beside what they hold.
constexpr size_t kMaxPooledPages = 32;

}  // namespace

CudaStatus CudaMapping::reserve(size_t bytes) {
  const CudaStatus reserved =
      driver_call("cuMemAddressReserve", memory_.reserve(&base_, bytes, 0, 0, 0));
  if (reserved.ok()) {
    bytes_ = bytes;
  } else {
    base_ = 0;
  }
  return reserved;
}

CudaStatus CudaMapping::map(size_t offset, size_t bytes, CUmemGenericAllocationHandle handle,
                            CUmemAccess_flags access) {
  const CUdeviceptr address = base_ + offset;
  const CudaStatus mapped = driver_call("cuMemMap", memory_.map(address, bytes, 0, handle, 0));
  if (!mapped.ok()) return mapped;
  pieces_.push_back({.address = address, .bytes = bytes});
  CUmemAccessDesc allowed{};
  allowed.location = device_memory_properties().location;
  allowed.flags = access;
  return driver_call("cuMemSetAccess", memory_.set_access(address, bytes, &allowed, 1));
}

void CudaMapping::reset() {
  for (const Piece& piece : pieces_) {
    static_cast<void>(driver_call("cuMemUnmap", memory_.unmap(piece.address, piece.bytes)));
  }
  pieces_.clear();
  if (base_ == 0) return;
  static_cast<void>(driver_call("cuMemAddressFree", memory_.free(base_, bytes_)));
  base_ = 0;
}

CudaStatus CudaGuardRegion::make(size_t num_pages) {
  num_pages_ = num_pages;
  const CudaStatus reserved = whole_.reserve((num_pages + 2) * memory_.page_bytes);
  return reserved.ok() ? back(memory_.page_bytes, bytes(), true) : reserved;
}

CudaStatus CudaGuardRegion::back(size_t offset, size_t bytes, bool with_view) {
  const CUmemAllocationProp properties = device_memory_properties();
  CUmemGenericAllocationHandle handle = 0;
  const CudaStatus created =
      driver_call("cuMemCreate", memory_.create(&handle, bytes, &properties, 0));
  if (!created.ok()) return created;
  const CudaStatus mapped = whole_.map(offset, bytes, handle, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
  if (mapped.ok() && with_view) {
    CudaStatus viewed = view_.reserve(bytes + 2 * memory_.page_bytes);
    if (viewed.ok()) viewed = view_.map(offset, bytes, handle, CU_MEM_ACCESS_FLAGS_PROT_READ);
    // Then a changed input is found by comparing, as it is everywhere else.
    if (!viewed.ok()) view_.reset();
  }
  // The mappings keep the memory.
  const CudaStatus released = driver_call("cuMemRelease", memory_.release(handle));
  return mapped.ok() ? released : mapped;
}

CudaStatus CudaGuardRegion::open_ends() {
  const size_t page = memory_.page_bytes;
  opened_ = true;
  for (const size_t offset : {size_t{0}, page + bytes()}) {
    CudaStatus status = back(offset, page, false);
    if (status.ok()) {
      status = cuda_call("cudaMemset", cudaMemset(whole_.at(offset), kEndPattern, page));
    }
    if (!status.ok()) return status;
  }
  return cuda_call("cudaDeviceSynchronize", cudaDeviceSynchronize());
}

CudaStatus CudaGuardRegion::find_change(std::optional<int64_t>& offset) const {
  const auto page = static_cast<int64_t>(memory_.page_bytes);
  const auto changed = [](std::byte b) { return b != static_cast<std::byte>(kEndPattern); };
  std::vector<std::byte> end(memory_.page_bytes);
  const CudaStatus behind =
      cuda_call("cudaMemcpy", cudaMemcpy(end.data(), whole_.at(memory_.page_bytes + bytes()),
                                         end.size(), cudaMemcpyDeviceToHost));
  if (!behind.ok()) return behind;
  if (const auto first = std::find_if(end.begin(), end.end(), changed); first != end.end()) {
    offset = static_cast<int64_t>(bytes()) + (first - end.begin());
  }
  const CudaStatus before = cuda_call(
      "cudaMemcpy", cudaMemcpy(end.data(), whole_.at(0), end.size(), cudaMemcpyDeviceToHost));
  if (!before.ok()) return before;
  if (const auto last = std::find_if(end.rbegin(), end.rend(), changed); last != end.rend()) {
    offset = (end.rend() - last) - 1 - page;
  }
  return {};
}

CudaStatus CudaGuardPool::acquire(size_t bytes, std::unique_ptr<CudaGuardRegion>& region) {
  if (memory_.page_bytes == 0) {
    const CudaStatus loaded = memory_.load();
    if (!loaded.ok()) return loaded;
  }
  const size_t num_pages = (bytes + memory_.page_bytes - 1) / memory_.page_bytes;
  const size_t pooled = std::bit_ceil(num_pages);
  const auto found = std::find_if(free_.begin(), free_.end(), [pooled](const auto& candidate) {
    return candidate->num_pages() == pooled;
  });
  if (found != free_.end()) {
    region = std::move(*found);
    free_.erase(found);
    return {};
  }
  region = std::make_unique<CudaGuardRegion>(memory_);
  const CudaStatus made = region->make(pooled <= kMaxPooledPages ? pooled : num_pages);
  if (!made.ok()) region.reset();
  return made;
}

void CudaGuardPool::release(std::unique_ptr<CudaGuardRegion> region) {
  if (region == nullptr || region->opened() || region->num_pages() > kMaxPooledPages) return;
  free_.push_back(std::move(region));
}

size_t CudaGuardPool::held_bytes() const {
  size_t bytes = 0;
  for (const auto& region : free_) bytes += region->bytes();
  return bytes;
}

}  // namespace bytegate
