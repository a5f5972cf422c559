// Memory of the cuda backend for sparse tensors: reserved device addresses of which only the pages
// that hold elements are backed. An access to any other one faults.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "kernels/cuda_virtual_memory.h"
#include "kernels/sparse_tensor.h"

namespace bytegate {

class CudaSparseRegion {
 public:
  // `memory` is loaded and outlives the region.
  explicit CudaSparseRegion(const CudaVirtualMemory& memory) : memory_(memory) {}
  CudaSparseRegion(const CudaSparseRegion&) = delete;
  CudaSparseRegion& operator=(const CudaSparseRegion&) = delete;
  ~CudaSparseRegion();

  // Reserves and backs what images of this layout need. Once.
  CudaStatus map(const SparseImage& layout);
  [[nodiscard]] void* first_element() const;
  // Contents of the pages; any image of the same layout. The copies have read the image when
  // upload() returns, and have filled `actual` when download() does.
  CudaStatus upload(const SparseImage& image, cudaStream_t stream) const;
  CudaStatus download(SparseImage& actual, cudaStream_t stream) const;

 private:
  // A range of pages that follow each other.
  CudaStatus back(size_t first_page, size_t num_pages);

  const CudaVirtualMemory& memory_;
  CUdeviceptr base_ = 0;
  size_t bytes_ = 0;
  size_t lead_bytes_ = 0;
  std::vector<std::pair<CUdeviceptr, size_t>> mapped_;
};

}  // namespace bytegate
