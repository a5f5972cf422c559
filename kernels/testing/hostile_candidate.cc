#include "kernels/testing/hostile_candidate.h"

#include <array>
#include <cstring>
#include <stdexcept>
#include <vector>

#include "kernels/builtin_candidate.h"
#include "kernels/testing/candidates.h"
#include "kernels/testing/hostile_acts.h"
#include "kernels/testing/hostile_table.h"

namespace bytegate {
namespace {

constexpr std::array<std::string_view, static_cast<size_t>(Hostility::kNumHostilities)> kNames = {
    "none",
    "read_after",
    "read_before",
    "write_after",
    "write_before",
    "write_far_after",
    "write_gap",
    "write_input",
    "leave_last",
    "leave_last_again",
    "add_old_output",
    "add_old_workspace",
    "wrong_when_unaligned",
    "wrong_second_time",
    "read_after_workspace",
    "write_after_workspace",
    "write_before_workspace",
    "take_short_workspace",
    "refuse",
    "fail",
    "answer_nonsense",
    "name_wild_path",
    "abort",
    "throw",
    "exit_zero",
    "crash",
    "wild_write",
    "overflow_stack",
    "trap",
    "kill_itself",
    "free_twice",
    "loop",
    "sleep",
    "print",
    "complain",
    "take_all_memory",
    "diverge_at_barrier",
    "wait_for_nobody",
    "overrun_shared_memory",
    "load_misaligned"};

struct HostileState {
  void* inner = nullptr;  // production's
  Hostility hostility = Hostility::kNone;
  int tensor = -1;
  int64_t num_runs = 0;
};

// One byte string of the tensor's last element, wherever that is.
struct Bytes {
  std::byte* first = nullptr;
  size_t count = 0;
};

int64_t last_offset(const DLTensor& tensor) {
  int64_t offset = 0;
  for (int axis = 0; axis < tensor.ndim; ++axis) {
    offset += (tensor.shape[axis] - 1) * tensor.strides[axis];
  }
  return offset;
}

Bytes element_at(const DLTensor& tensor, int64_t offset) {
  const size_t bytes = tensor.dtype.bits / 8;
  return {static_cast<std::byte*>(tensor.data) + offset * static_cast<int64_t>(bytes), bytes};
}

void flip(const Bytes& bytes) {
  for (size_t i = 0; i < bytes.count; ++i) bytes.first[i] ^= std::byte{0x55};
}

void read(const Bytes& bytes) {
  for (size_t i = 0; i < bytes.count; ++i) {
    static_cast<void>(*static_cast<volatile std::byte*>(bytes.first + i));
  }
}

// Zero, and then without effect, only where every byte is.
std::byte any_bit_of(const std::vector<std::byte>& bytes) {
  std::byte all{0};
  for (const std::byte byte : bytes) all |= byte;
  return all;
}

int32_t run_production(HostileState& state, bytegate_call* call) {
  return production_candidate().run(state.inner, call);
}

int32_t run_on_workspace(HostileState& state, bytegate_call* call) {
  const uint64_t size = call->workspace_bytes;
  std::byte* workspace = static_cast<std::byte*>(call->workspace);
  if (state.hostility == Hostility::kTakeShortWorkspace) {
    call->workspace_bytes = (size + 15) / 16 * 16;
    const int32_t status = run_production(state, call);
    call->workspace_bytes = size;
    return status;
  }
  const int32_t status = run_production(state, call);
  // As near as its alignment allows to an unmapped page.
  const uint64_t aligned_size = (size + 15) / 16 * 16;
  if (state.hostility == Hostility::kReadAfterWorkspace) read({workspace + aligned_size, 1});
  if (state.hostility == Hostility::kWriteAfterWorkspace) flip({workspace + size, 1});
  if (state.hostility == Hostility::kWriteBeforeWorkspace) flip({workspace - 1, 1});
  return status;
}

// What lies outside the tensor, or in an input.
void touch(const HostileState& state, const DLTensor& tensor) {
  const int64_t last = last_offset(tensor);
  switch (state.hostility) {
    case Hostility::kReadAfter:
      return read(element_at(tensor, last + 1));
    case Hostility::kReadBefore:
      return read(element_at(tensor, -1));
    case Hostility::kWriteAfter:
      return flip(element_at(tensor, last + 1));
    case Hostility::kWriteBefore:
      return flip(element_at(tensor, -1));
    case Hostility::kWriteFarAfter:
      return flip(element_at(tensor, last + 4096));
    case Hostility::kWriteGap:
      return flip(element_at(tensor, 1));
    default:
      return flip(element_at(tensor, last));
  }
}

// What the result depends on, or lacks.
int32_t run_on_result(HostileState& state, bytegate_call* call, const DLTensor& tensor) {
  const Bytes first = element_at(tensor, 0);
  const Bytes last = element_at(tensor, last_offset(tensor));
  const std::vector<std::byte> old(last.first, last.first + last.count);
  const auto* workspace = static_cast<const std::byte*>(call->workspace);
  const std::vector<std::byte> old_workspace(workspace, workspace + call->workspace_bytes);
  const int32_t status = run_production(state, call);
  const bool leaves_last = state.hostility == Hostility::kLeaveLast ||
                           (state.hostility == Hostility::kLeaveLastAgain && state.num_runs > 1);
  if (leaves_last) std::memcpy(last.first, old.data(), old.size());
  if (state.hostility == Hostility::kAddOldOutput) *last.first ^= any_bit_of(old);
  if (state.hostility == Hostility::kAddOldWorkspace) *last.first ^= any_bit_of(old_workspace);
  if (state.hostility == Hostility::kWrongSecondTime && state.num_runs > 1) flip(first);
  const bool unaligned = reinterpret_cast<uintptr_t>(tensor.data) % 16 != 0;
  if (state.hostility == Hostility::kWrongWhenUnaligned && unaligned) flip(first);
  return status;
}

// Of a library, whose hostility has no tensor: inputs come first, and outputs last.
int default_tensor(Hostility hostility, const bytegate_call& call) {
  const bool of_inputs = hostility == Hostility::kReadAfter ||
                         hostility == Hostility::kReadBefore || hostility == Hostility::kWriteInput;
  return of_inputs ? 0 : static_cast<int>(call.num_tensors) - 1;
}

int32_t run_on_tensor(HostileState& state, bytegate_call* call) {
  const int tensor_idx = state.tensor >= 0 ? state.tensor : default_tensor(state.hostility, *call);
  const DLTensor* tensor = call->tensors[tensor_idx].tensor;
  if (tensor == nullptr || tensor->data == nullptr) return run_production(state, call);
  if (state.hostility >= Hostility::kLeaveLast) return run_on_result(state, call, *tensor);
  const int32_t status = run_production(state, call);
  touch(state, *tensor);
  return status;
}

int32_t run(void* opaque, bytegate_call* call) {
  HostileState& state = *static_cast<HostileState*>(opaque);
  ++state.num_runs;
  if (state.hostility == Hostility::kNone) return run_production(state, call);
  if (state.hostility < Hostility::kReadAfterWorkspace) return run_on_tensor(state, call);
  if (state.hostility < Hostility::kRefuse) return run_on_workspace(state, call);
  if (state.hostility >= Hostility::kDivergeAtBarrier)
    return act_on_executor(state.hostility, call);
  const int32_t status = run_production(state, call);
  const int32_t acted = act_on_process(state.hostility, call);
  return acted == BYTEGATE_OK ? status : acted;
}

int32_t open_inner(HostileState*& state, char* message, uint64_t message_bytes) {
  state = new HostileState();
  return production_candidate().open(&state->inner, message, message_bytes);
}

int32_t open(void** opaque, char* message, uint64_t message_bytes) {
  HostileState* state = nullptr;
  const int32_t status = open_inner(state, message, message_bytes);
  *opaque = state;
  return status;
}

int32_t open_by_library(void** opaque, char* message, uint64_t message_bytes) {
  const int32_t status = open(opaque, message, message_bytes);
  const std::optional<Hostility> hostility = hostility_of_name(own_library_name());
  static_cast<HostileState*>(*opaque)->hostility = hostility.value_or(Hostility::kNone);
  return hostility ? status : int32_t{BYTEGATE_INTERNAL_ERROR};
}

bytegate_candidate make_table(int32_t (*open_function)(void**, char*, uint64_t)) {
  bytegate_candidate table = HostileTable<HostileState>::without_acts();
  table.name = "hostile";
  table.backends = BYTEGATE_BACKEND_HOST;
  table.open = open_function;
  table.run = run;
  return table;
}

}  // namespace

std::string_view hostility_name(Hostility hostility) {
  return kNames[static_cast<size_t>(hostility)];
}

std::optional<Hostility> hostility_of_name(std::string_view name) {
  for (size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == name) return static_cast<Hostility>(i);
  }
  return std::nullopt;
}

std::unique_ptr<Candidate> open_hostile(Hostility hostility, int tensor) {
  static const bytegate_candidate table = make_table(open);
  std::unique_ptr<Candidate> candidate = open_candidate(table);
  HostileState& state = *static_cast<HostileState*>(candidate->state());
  state.hostility = hostility;
  state.tensor = tensor;
  return candidate;
}

const bytegate_candidate& hostile_library_candidate() {
  static const bytegate_candidate table = make_table(open_by_library);
  return table;
}

}  // namespace bytegate
