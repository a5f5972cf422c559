#include "kernels/testing/cuda_hostility.h"

#include <cuda_runtime_api.h>

#include <array>
#include <vector>

#include "kernels/builtin_candidate.h"
#include "kernels/testing/candidates.h"
#include "kernels/testing/cuda_hostility_acts.h"
#include "kernels/testing/cuda_hostility_kernels.h"
#include "kernels/testing/hostile_acts.h"
#include "kernels/testing/hostile_table.h"

namespace bytegate {
namespace {

constexpr std::array<std::string_view, static_cast<size_t>(CudaHostility::kNumHostilities)> kNames =
    {"none",
     "read_after",
     "read_before",
     "write_input",
     "load_wide",
     "write_after",
     "write_before",
     "write_gap",
     "leave_last",
     "leave_last_later",
     "repeat_first_replay",
     "add_old_output",
     "wrong_when_unaligned",
     "wrong_second_time",
     "add_old_workspace",
     "read_after_workspace",
     "write_after_workspace",
     "write_before_workspace",
     "write_after_section",
     "take_short_workspace",
     "legacy_stream",
     "read_late",
     "remember_capture",
     "share_scratch",
     "loop",
     "trap",
     "load_misaligned",
     "go_astray",
     "print_on_device",
     "abort",
     "exit_zero",
     "print",
     "take_all_memory"};
static_assert(!kNames.back().empty());

// Not one that has no elements, or is left out.
const DLTensor* tensor_with_elements(const bytegate_tensor& tensor) {
  const DLTensor* found = tensor.tensor;
  return found == nullptr || found->data == nullptr ? nullptr : found;
}

const DLTensor* last_with_elements(const bytegate_call& call) {
  for (uint64_t i = call.num_tensors; i-- > 0;) {
    if (const DLTensor* tensor = tensor_with_elements(call.tensors[i])) return tensor;
  }
  return nullptr;
}

bool has_row_gap(const DLTensor& tensor) {
  return tensor.ndim == 2 && tensor.shape[0] > 1 && tensor.strides[1] == 1 &&
         tensor.strides[0] > tensor.shape[1];
}

const DLTensor* last_with_row_gap(const bytegate_call& call) {
  for (uint64_t i = call.num_tensors; i-- > 0;) {
    const DLTensor* tensor = tensor_with_elements(call.tensors[i]);
    if (tensor != nullptr && has_row_gap(*tensor)) return tensor;
  }
  return nullptr;
}

bool acts_on_input(CudaHostility hostility) {
  return hostility >= CudaHostility::kReadAfter && hostility <= CudaHostility::kLoadWide;
}

const DLTensor* tensor_of(CudaHostility hostility, const bytegate_call& call) {
  if (acts_on_input(hostility)) return tensor_with_elements(call.tensors[0]);
  if (hostility == CudaHostility::kWriteGap) return last_with_row_gap(call);
  return last_with_elements(call);
}

// What the call is answered with once its kernels are launched.
int32_t answer(int32_t status) {
  return status != BYTEGATE_OK || cudaGetLastError() == cudaSuccess
             ? status
             : int32_t{BYTEGATE_LAUNCH_FAILED};
}

int32_t run(void* opaque, bytegate_call* call) {
  CudaHostileState& state = *static_cast<CudaHostileState*>(opaque);
  ++state.num_runs;
  if (state.hostility >= CudaHostility::kAbort) act_on_host(state.hostility);
  const DLTensor* tensor = tensor_of(state.hostility, *call);
  if (state.hostility == CudaHostility::kNone || tensor == nullptr) {
    return run_production(state, call);
  }
  if (state.hostility < CudaHostility::kAddOldWorkspace) {
    return answer(run_on_tensor(state, call, *tensor));
  }
  if (state.hostility < CudaHostility::kLegacyStream) {
    return answer(run_on_workspace(state, call, *tensor));
  }
  if (state.hostility < CudaHostility::kLoop) return answer(run_on_stream(state, call, *tensor));
  const int32_t status = run_production(state, call);
  if (status == BYTEGATE_OK && state.hostility < CudaHostility::kAbort) {
    act_in_kernel(state.hostility, *call, *tensor);
  }
  return answer(status);
}

int32_t open(void** opaque, char* message, uint64_t message_bytes) {
  CudaHostileState* state = new CudaHostileState();
  *opaque = state;
  return production_candidate().open(&state->inner, message, message_bytes);
}

int32_t open_by_library(void** opaque, char* message, uint64_t message_bytes) {
  const std::optional<CudaHostility> hostility = cuda_hostility_of_name(own_library_name());
  if (!hostility) return BYTEGATE_INTERNAL_ERROR;
  const int32_t status = open(opaque, message, message_bytes);
  static_cast<CudaHostileState*>(*opaque)->hostility = *hostility;
  return status;
}

bytegate_candidate make_table(int32_t (*open_function)(void**, char*, uint64_t)) {
  bytegate_candidate table = HostileTable<CudaHostileState>::without_acts();
  table.name = "hostile_cuda";
  table.backends = BYTEGATE_BACKEND_CUDA;
  table.open = open_function;
  table.run = run;
  return table;
}

}  // namespace

std::string_view cuda_hostility_name(CudaHostility hostility) {
  return kNames[static_cast<size_t>(hostility)];
}

std::optional<CudaHostility> cuda_hostility_of_name(std::string_view name) {
  for (size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == name) return static_cast<CudaHostility>(i);
  }
  return std::nullopt;
}

std::unique_ptr<Candidate> open_hostile_on_cuda(CudaHostility hostility, int section) {
  static const bytegate_candidate table = make_table(open);
  std::unique_ptr<Candidate> candidate = open_candidate(table);
  CudaHostileState& state = *static_cast<CudaHostileState*>(candidate->state());
  state.hostility = hostility;
  state.section = section;
  return candidate;
}

const bytegate_candidate& hostile_cuda_library_candidate() {
  static const bytegate_candidate table = make_table(open_by_library);
  return table;
}

}  // namespace bytegate
