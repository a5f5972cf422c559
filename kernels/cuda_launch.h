// One call of a candidate's run() on the device, and what it left behind.
#pragma once

#include <cstddef>

#include "kernels/arena.h"
#include "kernels/call_frame.h"
#include "kernels/cuda_device.h"

namespace bytegate {

constexpr DLDevice kCudaDevice = {kDLCUDA, 0};

// A case that its query let through.
struct CudaJob {
  const Case* c = nullptr;
  size_t result_idx = 0;  // in the submission's results
  uint64_t workspace_bytes = 0;
  std::vector<WorkspaceSection> sections = {};
};

// Calls run() and fills in status, message and path. Answers with the error that the call left in
// the runtime; candidates built with another copy of the runtime leave theirs there, unseen.
cudaError_t call_candidate(const Candidate& candidate, CallFrame& frame, RunResult& result);

// An error left behind by a run() that claims success is a fault of that case.
void blame_left_error(cudaError_t left, RunResult& result);

// Both of the above, outside a capture. Not ok only if the device is lost, whoever did it.
CudaOutcome run_candidate(CudaDevice& device, const Candidate& candidate, CallFrame& frame,
                          RunResult& result);

// Each only enqueues.
CudaOutcome upload(CudaDevice& device, CudaSlot& slot, size_t bytes, cudaStream_t stream);
CudaStatus download_arena(CudaSlot& slot, size_t bytes, cudaStream_t stream);

}  // namespace bytegate
