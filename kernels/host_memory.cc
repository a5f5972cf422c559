#include "kernels/host_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace bytegate {

size_t host_page_bytes() {
  return static_cast<size_t>(sysconf(_SC_PAGESIZE));
}

size_t host_memory_bytes() {
  return static_cast<size_t>(sysconf(_SC_PHYS_PAGES)) * host_page_bytes();
}

HostSparseRegion::HostSparseRegion(const SparseImage& image)
    : bytes_(image.region_bytes()), lead_bytes_(image.lead_bytes()) {
  void* base = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (base == MAP_FAILED) return;
  base_ = static_cast<std::byte*>(base);
  // A huge page would make its neighbours look touched.
  madvise(base_, bytes_, MADV_NOHUGEPAGE);
  for (size_t slot = 0; slot < image.pages().size(); ++slot) {
    std::memcpy(base_ + image.pages()[slot] * image.page_bytes(), image.page(slot),
                image.page_bytes());
  }
}

HostSparseRegion::~HostSparseRegion() {
  if (base_ != nullptr) munmap(base_, bytes_);
}

void HostSparseRegion::read_back(SparseImage& actual) const {
  for (size_t slot = 0; slot < actual.pages().size(); ++slot) {
    std::memcpy(actual.page(slot), base_ + actual.pages()[slot] * actual.page_bytes(),
                actual.page_bytes());
  }
}

std::optional<int64_t> HostSparseRegion::stray_page(const SparseImage& image) const {
  constexpr size_t kPagesAtOnce = size_t{1} << 18;
  const size_t num_pages = bytes_ / image.page_bytes();
  std::vector<unsigned char> resident(std::min(kPagesAtOnce, num_pages));
  for (size_t first = 0; first < num_pages; first += kPagesAtOnce) {
    const size_t count = std::min(kPagesAtOnce, num_pages - first);
    if (mincore(base_ + first * image.page_bytes(), count * image.page_bytes(), resident.data()) !=
        0) {
      return std::nullopt;
    }
    for (size_t page = first; page < first + count; ++page) {
      if ((resident[page - first] & 1) == 0) continue;
      if (std::binary_search(image.pages().begin(), image.pages().end(), page)) continue;
      return static_cast<int64_t>(page * image.page_bytes()) - static_cast<int64_t>(lead_bytes_);
    }
  }
  return std::nullopt;
}

}  // namespace bytegate
