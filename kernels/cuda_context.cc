#include "kernels/cuda_context.h"

#include <utility>

namespace bytegate {

CudaStatus CudaContext::load() {
  for (const CudaStatus& status : {load_driver_function("cuDeviceGet", get_device_),
                                   load_driver_function("cuCtxCreate", create_),
                                   load_driver_function("cuCtxDestroy", destroy_),
                                   load_driver_function("cuCtxSetCurrent", set_current_)}) {
    if (!status.ok()) return status;
  }
  return {};
}

CudaStatus CudaContext::create() {
  destroy();
  if (CudaStatus loaded = load(); !loaded.ok()) return loaded;
  CUdevice device = 0;
  if (CudaStatus got = driver_call("cuDeviceGet", get_device_(&device, 0)); !got.ok()) return got;
  const CudaStatus made = driver_call("cuCtxCreate", create_(&context_, CU_CTX_SCHED_AUTO, device));
  if (!made.ok()) context_ = nullptr;
  return made;
}

CudaStatus CudaContext::enter() const {
  if (context_ == nullptr) return {};
  return driver_call("cuCtxSetCurrent", set_current_(context_));
}

void CudaContext::destroy() {
  if (context_ == nullptr) return;
  // For a context that is not the device's primary one, this drops only what the runtime keeps
  // about it. After a fault both calls answer with the fault, and do their work.
  if (enter().ok()) static_cast<void>(cuda_call("cudaDeviceReset", cudaDeviceReset()));
  static_cast<void>(driver_call("cuCtxDestroy", destroy_(std::exchange(context_, nullptr))));
  static_cast<void>(driver_call("cuCtxSetCurrent", set_current_(nullptr)));
}

}  // namespace bytegate
