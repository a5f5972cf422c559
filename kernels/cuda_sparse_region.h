// Memory of the cuda backend for sparse tensors: reserved device addresses of which only the pages
// that hold elements are backed. An access to any other one faults.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "kernels/cuda_driver.h"
#include "kernels/sparse_tensor.h"

namespace bytegate {

// The driver's virtual memory functions.
struct CudaVirtualMemory {
  PFN_cuMemGetAllocationGranularity_v10020 granularity = nullptr;
  PFN_cuMemAddressReserve_v10020 reserve = nullptr;
  PFN_cuMemAddressFree_v10020 free = nullptr;
  PFN_cuMemCreate_v10020 create = nullptr;
  PFN_cuMemRelease_v10020 release = nullptr;
  PFN_cuMemMap_v10020 map = nullptr;
  PFN_cuMemUnmap_v10020 unmap = nullptr;
  PFN_cuMemSetAccess_v10020 set_access = nullptr;
  size_t page_bytes = 0;  // what is created and mapped at a time: 2 MiB on GPUs of today

  CudaStatus load();
};

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
