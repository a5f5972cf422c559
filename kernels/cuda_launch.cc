#include "kernels/cuda_launch.h"

namespace bytegate {

cudaError_t call_candidate(const Candidate& candidate, CallFrame& frame, RunResult& result) {
  // What somebody else left is not this candidate's.
  static_cast<void>(cudaGetLastError());
  result.status = run_status(frame.run(candidate));
  result.path = frame.path();
  if (result.status != RunStatus::kDone) result.message = frame.message();
  return cudaGetLastError();
}

void blame_left_error(cudaError_t left, RunResult& result) {
  if (left == cudaSuccess || result.status != RunStatus::kDone) return;
  result.status = RunStatus::kFault;
  result.message = "run() returned OK and left an error behind: " +
                   CudaStatus{.call = "cudaGetLastError", .error = left}.text();
}

CudaOutcome run_candidate(CudaDevice& device, const Candidate& candidate, CallFrame& frame,
                          RunResult& result) {
  const cudaError_t left = call_candidate(candidate, frame, result);
  if (left == cudaSuccess && result.status == RunStatus::kDone) return {};
  // An earlier case's fault may surface here, in the error left or in what the candidate says.
  if (CudaOutcome alive = device.check(); !alive.ok()) return alive;
  blame_left_error(left, result);
  return {};
}

CudaOutcome upload(CudaDevice& device, CudaSlot& slot, size_t bytes, cudaStream_t stream) {
  return device.judge(cuda_call(
      "cudaMemcpyAsync",
      cudaMemcpyAsync(slot.device(), slot.image(), bytes, cudaMemcpyHostToDevice, stream)));
}

CudaStatus download_arena(CudaSlot& slot, size_t bytes, cudaStream_t stream) {
  return cuda_call("cudaMemcpyAsync", cudaMemcpyAsync(slot.actual(), slot.device(), bytes,
                                                      cudaMemcpyDeviceToHost, stream));
}

}  // namespace bytegate
