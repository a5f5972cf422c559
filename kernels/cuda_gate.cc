#include "kernels/cuda_gate.h"

#include <atomic>

#include "kernels/cuda_gate_kernels.h"

namespace bytegate {

CudaStatus CudaGate::make() {
  if (word_.get() != nullptr) return {};
  CudaStatus status =
      cuda_call("cudaHostAlloc", cudaHostAlloc(word_.out(), sizeof(uint32_t), cudaHostAllocMapped));
  if (!status.ok()) return status;
  *static_cast<uint32_t*>(word_.get()) = 0;
  void* device_word = nullptr;
  status =
      cuda_call("cudaHostGetDevicePointer", cudaHostGetDevicePointer(&device_word, word_.get(), 0));
  device_word_ = static_cast<const uint32_t*>(device_word);
  return status;
}

CudaStatus CudaGate::hold(cudaStream_t stream) {
  const CudaStatus made = make();
  if (!made.ok()) return made;
  launch_gate_kernel(
      {.opened = device_word_,
       .ticket = ticket_,
       .limit_ns = static_cast<uint64_t>(std::chrono::nanoseconds(kGateLimit).count())},
      stream);
  return cuda_call("gate_kernel", cudaGetLastError());
}

void CudaGate::open() {
  if (word_.get() == nullptr) return;
  std::atomic_ref<uint32_t>(*static_cast<uint32_t*>(word_.get())).store(ticket_++);
}

CudaStatus CudaUnrelatedWork::enqueue(cudaStream_t stream) {
  constexpr size_t kBytes = size_t{4} << 20;
  constexpr int kNumRepeats = 16;
  CudaStatus status = buffer_.ensure(2 * kBytes);
  for (int repeat = 0; status.ok() && repeat < kNumRepeats; ++repeat) {
    status = cuda_call("cudaMemsetAsync", cudaMemsetAsync(buffer_.data(), repeat, kBytes, stream));
    if (!status.ok()) break;
    status =
        cuda_call("cudaMemcpyAsync", cudaMemcpyAsync(buffer_.data() + kBytes, buffer_.data(),
                                                     kBytes, cudaMemcpyDeviceToDevice, stream));
  }
  return status;
}

}  // namespace bytegate
