// Memory of the host backend for sparse tensors: addresses without pages, until they are touched.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "kernels/sparse_tensor.h"

namespace bytegate {

class HostSparseRegion {
 public:
  // Reserves addresses for the image and copies its pages there; `ok()` says whether it worked.
  explicit HostSparseRegion(const SparseImage& image);
  HostSparseRegion(const HostSparseRegion&) = delete;
  HostSparseRegion& operator=(const HostSparseRegion&) = delete;
  ~HostSparseRegion();

  [[nodiscard]] bool ok() const { return base_ != nullptr; }
  [[nodiscard]] void* first_element() const { return base_ + lead_bytes_; }
  // Copies the pages that hold elements into `actual`.
  void read_back(SparseImage& actual) const;
  // Offset from the first element of the first page that was touched although it holds no element.
  [[nodiscard]] std::optional<int64_t> stray_page(const SparseImage& image) const;

 private:
  std::byte* base_ = nullptr;
  size_t bytes_ = 0;
  size_t lead_bytes_ = 0;
};

// Size of a page, and of all memory, here.
size_t host_page_bytes();
size_t host_memory_bytes();

}  // namespace bytegate
