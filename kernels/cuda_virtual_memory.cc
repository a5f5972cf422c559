#include "kernels/cuda_virtual_memory.h"

#include <bit>

namespace bytegate {

CUmemAllocationProp device_memory_properties() {
  CUmemAllocationProp properties{};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  properties.location.id = 0;
  return properties;
}

std::byte* device_address(CUdeviceptr pointer) {
  return std::bit_cast<std::byte*>(pointer);
}

CudaStatus CudaVirtualMemory::load() {
  for (const CudaStatus& status :
       {load_driver_function("cuMemGetAllocationGranularity", granularity),
        load_driver_function("cuMemAddressReserve", reserve),
        load_driver_function("cuMemAddressFree", free), load_driver_function("cuMemCreate", create),
        load_driver_function("cuMemRelease", release), load_driver_function("cuMemMap", map),
        load_driver_function("cuMemUnmap", unmap),
        load_driver_function("cuMemSetAccess", set_access)}) {
    if (!status.ok()) return status;
  }
  const CUmemAllocationProp properties = device_memory_properties();
  return driver_call("cuMemGetAllocationGranularity",
                     granularity(&page_bytes, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
}

}  // namespace bytegate
