#include "kernels/cuda_sparse_region.h"

namespace bytegate {

CudaSparseRegion::~CudaSparseRegion() {
  for (const auto& [address, bytes] : mapped_) {
    static_cast<void>(driver_call("cuMemUnmap", memory_.unmap(address, bytes)));
  }
  if (base_ != 0) static_cast<void>(driver_call("cuMemAddressFree", memory_.free(base_, bytes_)));
}

CudaStatus CudaSparseRegion::map(const SparseImage& layout) {
  bytes_ = layout.region_bytes();
  lead_bytes_ = layout.lead_bytes();
  const CudaStatus reserved =
      driver_call("cuMemAddressReserve", memory_.reserve(&base_, bytes_, 0, 0, 0));
  if (!reserved.ok()) {
    base_ = 0;
    return reserved;
  }
  const std::vector<size_t>& pages = layout.pages();
  for (size_t first = 0; first < pages.size();) {
    size_t next = first + 1;
    while (next < pages.size() && pages[next] == pages[next - 1] + 1) ++next;
    const CudaStatus backed = back(pages[first], next - first);
    if (!backed.ok()) return backed;
    first = next;
  }
  return {};
}

CudaStatus CudaSparseRegion::back(size_t first_page, size_t num_pages) {
  const CUdeviceptr address = base_ + first_page * memory_.page_bytes;
  const size_t bytes = num_pages * memory_.page_bytes;
  const CUmemAllocationProp properties = device_memory_properties();
  CUmemGenericAllocationHandle handle = 0;
  const CudaStatus created =
      driver_call("cuMemCreate", memory_.create(&handle, bytes, &properties, 0));
  if (!created.ok()) return created;
  const CudaStatus mapped = driver_call("cuMemMap", memory_.map(address, bytes, 0, handle, 0));
  // The mapping keeps the memory.
  const CudaStatus released = driver_call("cuMemRelease", memory_.release(handle));
  if (!mapped.ok()) return mapped;
  mapped_.emplace_back(address, bytes);
  if (!released.ok()) return released;
  CUmemAccessDesc access{};
  access.location = properties.location;
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  return driver_call("cuMemSetAccess", memory_.set_access(address, bytes, &access, 1));
}

void* CudaSparseRegion::first_element() const {
  return device_address(base_ + lead_bytes_);
}

CudaStatus CudaSparseRegion::upload(const SparseImage& image, cudaStream_t stream) const {
  for (size_t slot = 0; slot < image.pages().size(); ++slot) {
    void* page = device_address(base_ + image.pages()[slot] * image.page_bytes());
    const CudaStatus status =
        cuda_call("cudaMemcpyAsync", cudaMemcpyAsync(page, image.page(slot), image.page_bytes(),
                                                     cudaMemcpyHostToDevice, stream));
    if (!status.ok()) return status;
  }
  // A copy from pageable memory may still be reading it.
  return cuda_call("cudaStreamSynchronize", cudaStreamSynchronize(stream));
}

CudaStatus CudaSparseRegion::download(SparseImage& actual, cudaStream_t stream) const {
  for (size_t slot = 0; slot < actual.pages().size(); ++slot) {
    const void* page = device_address(base_ + actual.pages()[slot] * actual.page_bytes());
    const CudaStatus status =
        cuda_call("cudaMemcpyAsync", cudaMemcpyAsync(actual.page(slot), page, actual.page_bytes(),
                                                     cudaMemcpyDeviceToHost, stream));
    if (!status.ok()) return status;
  }
  return cuda_call("cudaStreamSynchronize", cudaStreamSynchronize(stream));
}

}  // namespace bytegate
