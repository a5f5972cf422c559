// The cuda backend with limits of the caller's choice; make_cuda_backend() of kernels/backend.h has
// the usual ones.
#pragma once

#include "kernels/backend.h"
#include "kernels/cuda_device.h"

namespace bytegate {

CudaBackendResult make_cuda_backend_with(const CudaLimits& limits);

}  // namespace bytegate
