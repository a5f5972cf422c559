// The driver's virtual memory functions: addresses and memory apart.
#pragma once

#include <cstddef>

#include "kernels/cuda_driver.h"

namespace bytegate {

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

// Memory of device 0.
CUmemAllocationProp device_memory_properties();
std::byte* device_address(CUdeviceptr pointer);

}  // namespace bytegate
