// Stands in for the cuda backend in a build without a CUDA toolkit.
#include "kernels/backend.h"

namespace bytegate {

CudaBackendResult make_cuda_backend(const BackendOptions&) {
  return {nullptr, "this bytegate was built without a CUDA toolkit (nvcc)"};
}

}  // namespace bytegate
