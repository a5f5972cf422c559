#include "kernels/testing/planted_candidate.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "kernels/builtin_candidate.h"

namespace bytegate {
namespace {

using Act = PlantedAct;

constexpr std::array<PlantedFault, kNumPlantedFaults> kFaults = {{
    {"paged_mqa_metadata", "mismatch:schedule_metadata", Act::kSpoilFirst, "schedule_metadata", 0},
    {"paged_mqa_metadata", "overrun:context_lens", Act::kSpoilInput, "context_lens", 1},
    {"paged_mqa_metadata", "crashed", Act::kAbort, "", 2, 24},
    {"dsa_decode_metadata", "unwritten:cu_seqlens_k", Act::kLeaveLast, "cu_seqlens_k", 0},
    {"dsa_decode_metadata", "mismatch:cache_seqlens", Act::kSpoilFirst, "cache_seqlens", 1},
    {"dsa_decode_metadata", "refused", Act::kRefuse, "", 2},
    {"dsa_target_verify_metadata", "mismatch:dsa_cu_seqlens_k", Act::kSpoilFirst,
     "dsa_cu_seqlens_k", 0},
    {"dsa_target_verify_metadata", "overrun:seq_lens", Act::kSpoilInput, "seq_lens", 1},
    // Seen in later steps as well, which plain launches have: still one flaw.
    {"dsa_target_verify_metadata", "unstable:dsa_cache_seqlens@again", Act::kSpoilLater,
     "dsa_cache_seqlens", 2},
    {"dsa_draft_extend_metadata", "mismatch:seqlens_expanded", Act::kSpoilFirst, "seqlens_expanded",
     0},
    {"dsa_draft_extend_metadata", "unwritten:dsa_cache_seqlens", Act::kLeaveLast,
     "dsa_cache_seqlens", 1},
    {"dsa_draft_extend_metadata", "exited", Act::kExit, "", 2, 24},
    {"dsa_decode_precompute", "mismatch:page_table", Act::kSpoilFirst, "page_table", 0},
    {"dsa_decode_precompute", "overread:seq_lens", Act::kReadAfter, "seq_lens", 1},
    {"dsa_decode_precompute", "noisy", Act::kPrint, "", 2},
    {"dsa_target_verify_precompute", "mismatch:cu_seqlens_k", Act::kSpoilFirst, "cu_seqlens_k", 0},
    {"dsa_target_verify_precompute", "overrun:dsa_cu_seqlens_k", Act::kWriteBefore,
     "dsa_cu_seqlens_k", 1},
    {"dsa_target_verify_precompute", "hung", Act::kReportHang, "", 2},
    {"dsa_decode_refresh", "mismatch:schedule_metadata", Act::kSpoilFirst, "schedule_metadata", 0},
    {"dsa_decode_refresh", "crashed", Act::kReportFault, "", 2},
    {"dsa_target_verify_refresh", "mismatch:dsa_cache_seqlens", Act::kSpoilFirst,
     "dsa_cache_seqlens", 0},
    {"dsa_target_verify_refresh", "unwritten:schedule_metadata", Act::kLeaveLast,
     "schedule_metadata", 1},
    {"dsa_draft_extend_refresh", "mismatch:cu_seqlens_k", Act::kSpoilFirst, "cu_seqlens_k", 0},
    {"dsa_draft_extend_refresh", "refused", Act::kFail, "", 1},
}};

// Behind production's part of the workspace: what an element held before the launch.
constexpr uint64_t kScratchBytes = 16;

struct PlantedState {
  PlantedMemory memory;
  void* inner = nullptr;  // production's
  bool launched = false;  // in the same case
};

int64_t num_elements(const DLTensor& tensor) {
  int64_t count = 1;
  for (int axis = 0; axis < tensor.ndim; ++axis) count *= tensor.shape[axis];
  return count;
}

const DLTensor* find_tensor(const bytegate_call& call, std::string_view name) {
  for (uint64_t i = 0; i < call.num_tensors; ++i) {
    const DLTensor* tensor = call.tensors[i].tensor;
    if (call.tensors[i].name != name || tensor == nullptr) continue;
    return tensor->data == nullptr || num_elements(*tensor) == 0 ? nullptr : tensor;
  }
  return nullptr;
}

int64_t offset_of(const DLTensor& tensor, int64_t idx) {
  int64_t offset = 0;
  for (int axis = tensor.ndim - 1; axis >= 0; --axis) {
    offset += idx % tensor.shape[axis] * tensor.strides[axis];
    idx /= tensor.shape[axis];
  }
  return offset;
}

size_t element_bytes(const DLTensor& tensor) {
  return tensor.dtype.bits / 8;
}

std::byte* at(const DLTensor& tensor, int64_t offset) {
  return static_cast<std::byte*>(tensor.data) +
         offset * static_cast<int64_t>(element_bytes(tensor));
}

std::byte* last_of(const DLTensor& tensor) {
  return at(tensor, offset_of(tensor, num_elements(tensor) - 1));
}

// The fault that the call shows; null: none.
const PlantedFault* fault_of(const bytegate_call& call) {
  if (call.num_tensors == 0 || call.tensors[0].tensor == nullptr) return nullptr;
  const int64_t count = num_elements(*call.tensors[0].tensor);
  const bool on_host = call.device.device_type == kDLCPU;
  for (const PlantedFault& fault : kFaults) {
    if (call.op != fault.op || count % fault.modulus != fault.residue) continue;
    const bool of_host = fault.act == Act::kReadAfter || fault.act == Act::kSpoilLater;
    if (of_host && !on_host) return nullptr;
    const bool has_tensor = fault.tensor.empty() || find_tensor(call, fault.tensor) != nullptr;
    return has_tensor ? &fault : nullptr;
  }
  return nullptr;
}

int32_t run_production(PlantedState& state, bytegate_call* call) {
  const uint64_t bytes = call->workspace_bytes;
  call->workspace_bytes = bytes >= kScratchBytes ? bytes - kScratchBytes : 0;
  void* workspace = call->workspace;
  if (call->workspace_bytes == 0) call->workspace = nullptr;
  const int32_t status = production_candidate().run(state.inner, call);
  call->workspace = workspace;
  call->workspace_bytes = bytes;
  return status;
}

int32_t say(bytegate_call* call, const char* text, int32_t status) {
  if (call->message_bytes > 0) std::snprintf(call->message, call->message_bytes, "%s", text);
  return status;
}

// Acts that need no kernel.
std::optional<int32_t> answer(const PlantedFault& fault, bytegate_call* call) {
  switch (fault.act) {
    case Act::kRefuse:
      return say(call, "not such a call", BYTEGATE_INVALID_ARGUMENT);
    case Act::kFail:
      return say(call, "no luck with the launch", BYTEGATE_LAUNCH_FAILED);
    case Act::kReportFault:
      return say(call, "a lane went wild", BYTEGATE_FAULT);
    case Act::kReportHang:
      return say(call, "a lane waits for ever", BYTEGATE_HUNG);
    case Act::kAbort:
      std::abort();
    case Act::kExit:
      std::exit(0);
    default:
      return std::nullopt;
  }
}

// What production takes of the workspace, rounded up; ours comes after it. Asked of each call anew,
// since others may have been asked about meanwhile.
uint64_t inner_bytes_of(const PlantedState& state, const bytegate_call& call) {
  bytegate_call query = call;
  query.max_sections = 0;
  uint64_t bytes = 0;
  production_candidate().workspace_bytes(state.inner, &query, &bytes);
  return (bytes + kScratchBytes - 1) / kScratchBytes * kScratchBytes;
}

int32_t run_with_fault(const PlantedFault& fault, PlantedState& state, uint64_t inner_bytes,
                       bytegate_call* call) {
  if (auto answered = answer(fault, call)) return *answered;
  const DLTensor* tensor = find_tensor(*call, fault.tensor);
  const size_t bytes = tensor == nullptr ? 0 : element_bytes(*tensor);
  std::byte* scratch = static_cast<std::byte*>(call->workspace) + inner_bytes;
  if (fault.act == Act::kLeaveLast)
    state.memory.copy(scratch, last_of(*tensor), bytes, call->stream);
  const int32_t status = run_production(state, call);
  if (status != BYTEGATE_OK) return status;
  switch (fault.act) {
    case Act::kSpoilFirst:
      state.memory.set(at(*tensor, 0), bytes, call->stream);
      break;
    case Act::kLeaveLast:
      state.memory.copy(last_of(*tensor), scratch, bytes, call->stream);
      break;
    case Act::kSpoilInput:
      state.memory.set(last_of(*tensor), bytes, call->stream);
      break;
    case Act::kWriteBefore:
      state.memory.set(at(*tensor, -1), bytes, call->stream);
      break;
    case Act::kReadAfter:
      static_cast<void>(*static_cast<volatile std::byte*>(last_of(*tensor) + bytes));
      break;
    case Act::kSpoilLater:
      if (state.launched) state.memory.set(last_of(*tensor), bytes, call->stream);
      state.launched = true;
      break;
    default:
      std::printf("a word of a kernel\n");
      std::fflush(stdout);
  }
  return status;
}

int32_t run(void* opaque, bytegate_call* call) {
  PlantedState& state = *static_cast<PlantedState*>(opaque);
  const PlantedFault* fault = fault_of(*call);
  const uint64_t inner_bytes = inner_bytes_of(state, *call);
  if (call->workspace_bytes < inner_bytes + kScratchBytes) {
    return say(call, "the workspace is too short", BYTEGATE_INVALID_ARGUMENT);
  }
  if (fault == nullptr) return run_production(state, call);
  return run_with_fault(*fault, state, inner_bytes, call);
}

void close(void* opaque) {
  auto* state = static_cast<PlantedState*>(opaque);
  production_candidate().close(state->inner);
  delete state;
}

int32_t supports(void* opaque, bytegate_call* call) {
  return production_candidate().supports(static_cast<PlantedState*>(opaque)->inner, call);
}

// Asked once for each case: what an earlier one had is forgotten.
int32_t workspace_bytes(void* opaque, bytegate_call* call, uint64_t* bytes) {
  PlantedState& state = *static_cast<PlantedState*>(opaque);
  state.launched = false;
  const int32_t status = production_candidate().workspace_bytes(state.inner, call, bytes);
  if (status != BYTEGATE_OK) return status;
  const uint64_t inner_bytes = inner_bytes_of(state, *call);
  if (call->num_sections > 0 && call->num_sections < call->max_sections) {
    call->sections[call->num_sections++] = {"planted", inner_bytes, kScratchBytes};
  }
  *bytes = inner_bytes + kScratchBytes;
  return status;
}

}  // namespace

std::span<const PlantedFault> planted_faults() {
  return kFaults;
}

int32_t open_planted(const PlantedMemory& memory, void** opaque, char* message,
                     uint64_t message_bytes) {
  auto* state = new PlantedState();
  state->memory = memory;
  *opaque = state;
  return production_candidate().open(&state->inner, message, message_bytes);
}

bytegate_candidate planted_table(int32_t (*open)(void**, char*, uint64_t), uint32_t backends) {
  bytegate_candidate table = {};
  table.interface_version = BYTEGATE_INTERFACE_VERSION;
  table.backends = backends;
  table.name = "planted";
  table.version = "test";
  table.paths = production_candidate().paths;
  table.open = open;
  table.close = close;
  table.supports = supports;
  table.workspace_bytes = workspace_bytes;
  table.run = run;
  return table;
}

}  // namespace bytegate
