// What a hostile candidate on the GPU does around production's launches.
#pragma once

#include <cstdint>

#include "kernels/candidate.h"
#include "kernels/testing/cuda_hostility.h"

namespace bytegate {

struct CudaHostileState {
  void* inner = nullptr;  // production's
  CudaHostility hostility = CudaHostility::kNone;
  int section = -1;
  uint64_t num_runs = 0;
  void* captured_output = nullptr;  // of the capture before, until it was used
};

// Each launches on the call's stream, and only if production takes the call. The status is
// production's.
int32_t run_production(CudaHostileState& state, bytegate_call* call);
int32_t run_on_tensor(CudaHostileState& state, bytegate_call* call, const DLTensor& tensor);
int32_t run_on_workspace(CudaHostileState& state, bytegate_call* call, const DLTensor& output);
int32_t run_on_stream(CudaHostileState& state, bytegate_call* call, const DLTensor& output);

void act_in_kernel(CudaHostility hostility, const bytegate_call& call, const DLTensor& output);
// Mostly there is no return.
void act_on_host(CudaHostility hostility);

}  // namespace bytegate
