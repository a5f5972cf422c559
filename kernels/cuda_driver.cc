#include "kernels/cuda_driver.h"

namespace bytegate {

CudaStatus find_driver_function(const char* name, void** function) {
  constexpr unsigned kVersion = 11030;
  cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
  const CudaStatus status = cuda_call(
      "cudaGetDriverEntryPointByVersion",
      cudaGetDriverEntryPointByVersion(name, function, kVersion, cudaEnableDefault, &found));
  if (status.ok() && (found != cudaDriverEntryPointSuccess || *function == nullptr)) {
    return {.call = name, .error = cudaErrorSymbolNotFound};
  }
  return status;
}

}  // namespace bytegate
