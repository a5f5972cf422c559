// The cuda backend as it is in a worker process: it uses CUDA right here. When the device is lost
// to a fault, each case without a result is RunStatus::kLost with the error, and so is every later
// one.
#pragma once

#include "kernels/backend.h"
#include "kernels/cuda_device.h"

namespace bytegate {

MadeBackend make_in_process_cuda_backend(const CudaLimits& limits);

}  // namespace bytegate
