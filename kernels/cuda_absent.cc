// Stands in for the cuda backend in a build without a CUDA toolkit.
#include "kernels/backend.h"

namespace bytegate {

namespace {

constexpr const char* kAbsent = "this bytegate was built without a CUDA toolkit (nvcc)";

}  // namespace

CudaBackendResult make_cuda_backend(const BackendOptions&) {
  return {nullptr, kAbsent};
}

MadeBackend make_bare_cuda_backend(bool) {
  return {nullptr, kAbsent};
}

}  // namespace bytegate
