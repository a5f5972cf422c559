// The driver's functions, asked of the runtime so that nothing links to the driver's library.
#pragma once

#include <cudaTypedefs.h>

#include "kernels/cuda_check.h"

namespace bytegate {

// The driver's errors have the runtime's numbers.
inline CudaStatus driver_call(const char* call, CUresult result) {
  return {.call = call, .error = static_cast<cudaError_t>(result)};
}

// The newest form of `name` that CUDA 11.3 had.
CudaStatus find_driver_function(const char* name, void** function);

template <typename Function>
CudaStatus load_driver_function(const char* name, Function& function) {
  void* address = nullptr;
  const CudaStatus status = find_driver_function(name, &address);
  function = reinterpret_cast<Function>(address);
  return status;
}

}  // namespace bytegate
