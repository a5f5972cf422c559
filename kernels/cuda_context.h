// A context of our own on device 0. The runtime works in whatever context is current on the thread,
// and loads kernels into it when they are first launched there. So a fault, which poisons the whole
// context that it happens in, is got rid of with the context, and backends on other threads, which
// have theirs, do not notice.
#pragma once

#include "kernels/cuda_driver.h"

namespace bytegate {

class CudaContext {
 public:
  CudaContext() = default;
  CudaContext(const CudaContext&) = delete;
  CudaContext& operator=(const CudaContext&) = delete;
  ~CudaContext() { destroy(); }

  // Makes the context, and makes it current on this thread.
  CudaStatus create();
  // Makes it current on this thread, where it stays so.
  CudaStatus enter() const;
  // Ends it with all streams, events and memory that were made in it.
  void destroy();
  // Forgets it: destroying waits for a hanging kernel.
  void abandon() { context_ = nullptr; }

 private:
  CudaStatus load();

  PFN_cuDeviceGet_v2000 get_device_ = nullptr;
  PFN_cuCtxCreate_v3020 create_ = nullptr;
  PFN_cuCtxDestroy_v4000 destroy_ = nullptr;
  PFN_cuCtxSetCurrent_v4000 set_current_ = nullptr;
  CUcontext context_ = nullptr;
};

}  // namespace bytegate
