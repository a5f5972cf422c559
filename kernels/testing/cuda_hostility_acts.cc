#include "kernels/testing/cuda_hostility_acts.h"

#include <cuda_runtime_api.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "kernels/builtin_candidate.h"
#include "kernels/testing/cuda_hostility_kernels.h"

namespace bytegate {
namespace {

constexpr uint64_t kLateNs = 20'000'000;
constexpr size_t kWideElements = 4;
constexpr size_t kMaxSections = 16;
constexpr uint64_t kAlignment = 16;

cudaStream_t stream_of(const bytegate_call& call) {
  return static_cast<cudaStream_t>(call.stream);
}

int64_t last_offset(const DLTensor& tensor) {
  int64_t offset = 0;
  for (int axis = 0; axis < tensor.ndim; ++axis) {
    offset += (tensor.shape[axis] - 1) * tensor.strides[axis];
  }
  return offset;
}

DeviceBytes element_at(const DLTensor& tensor, int64_t offset) {
  const size_t bytes = tensor.dtype.bits / 8;
  return {static_cast<std::byte*>(tensor.data) + offset * static_cast<int64_t>(bytes), bytes};
}

DeviceBytes all_of(const DLTensor& tensor) {
  const DeviceBytes last = element_at(tensor, last_offset(tensor));
  std::byte* first = static_cast<std::byte*>(tensor.data);
  return {first, static_cast<size_t>(last.first - first) + last.count};
}

std::byte* workspace_of(const bytegate_call& call) {
  return static_cast<std::byte*>(call.workspace);
}

bool is_capturing(cudaStream_t stream) {
  cudaStreamCaptureStatus capturing = cudaStreamCaptureStatusNone;
  cudaStreamIsCapturing(stream, &capturing);
  return capturing == cudaStreamCaptureStatusActive;
}

// A kernel that is launched at times only would be loaded while its stream is held up.
void flip_if(bool wrong, const DeviceBytes& bytes, cudaStream_t stream) {
  launch_flip({bytes.first, wrong ? bytes.count : 0}, stream);
}

// What lies outside the tensor, or in an input.
void touch(const CudaHostileState& state, const DLTensor& tensor, cudaStream_t stream) {
  const int64_t last = last_offset(tensor);
  switch (state.hostility) {
    case CudaHostility::kReadAfter:
      return launch_read(element_at(tensor, last + 1), stream);
    case CudaHostility::kReadBefore:
      return launch_read(element_at(tensor, -1), stream);
    case CudaHostility::kLoadWide:
      if (all_of(tensor).count < kWideElements * sizeof(int32_t)) return;
      return launch_load_wide(element_at(tensor, 0).first, stream);
    case CudaHostility::kWriteAfter:
      return launch_flip(element_at(tensor, last + 1), stream);
    case CudaHostility::kWriteBefore:
      return launch_flip(element_at(tensor, -1), stream);
    case CudaHostility::kWriteGap:
      return launch_flip(element_at(tensor, tensor.shape[1]), stream);
    case CudaHostility::kWriteInput:
      return launch_flip(element_at(tensor, last), stream);
    case CudaHostility::kWrongWhenUnaligned:
      return flip_if(reinterpret_cast<uintptr_t>(tensor.data) % kAlignment != 0,
                     element_at(tensor, 0), stream);
    case CudaHostility::kWrongSecondTime:
      return flip_if(state.num_runs % 2 == 0, element_at(tensor, 0), stream);
    default:
      return;
  }
}

// Before production runs, and after it: what the result depends on, or lacks.
void prepare_result(const CudaHostileState& state, const DLTensor& tensor, cudaStream_t stream) {
  const RunSlot slot = {state.num_runs};
  const DeviceBytes last = element_at(tensor, last_offset(tensor));
  if (state.hostility == CudaHostility::kLeaveLastLater ||
      state.hostility == CudaHostility::kRepeatFirstReplay) {
    launch_count(slot, stream);
  }
  if (state.hostility == CudaHostility::kLeaveLastLater) {
    launch_save(slot, last, Replays::kLater, stream);
  }
  if (state.hostility == CudaHostility::kLeaveLast ||
      state.hostility == CudaHostility::kAddOldOutput) {
    launch_save(slot, last, Replays::kAll, stream);
  }
}

void spoil_result(const CudaHostileState& state, const DLTensor& tensor, cudaStream_t stream) {
  const RunSlot slot = {state.num_runs};
  const DeviceBytes last = element_at(tensor, last_offset(tensor));
  switch (state.hostility) {
    case CudaHostility::kLeaveLast:
      return launch_restore(slot, last, Replays::kAll, stream);
    case CudaHostility::kLeaveLastLater:
      return launch_restore(slot, last, Replays::kLater, stream);
    case CudaHostility::kRepeatFirstReplay:
      launch_save(slot, all_of(tensor), Replays::kFirst, stream);
      return launch_restore(slot, all_of(tensor), Replays::kLater, stream);
    case CudaHostility::kAddOldOutput:
      return launch_add_saved(slot, last.count, last, stream);
    default:
      return touch(state, tensor, stream);
  }
}

// One byte past a section that production names.
void write_after_section(const CudaHostileState& state, const bytegate_call& call) {
  std::array<bytegate_workspace_section, kMaxSections> sections{};
  bytegate_call query = call;
  query.sections = sections.data();
  query.max_sections = sections.size();
  query.num_sections = 0;
  uint64_t bytes = 0;
  if (production_candidate().workspace_bytes(state.inner, &query, &bytes) != BYTEGATE_OK) return;
  if (query.num_sections == 0) return;
  const uint64_t turn = state.section >= 0 ? static_cast<uint64_t>(state.section) : state.num_runs;
  const bytegate_workspace_section& section = sections[turn % query.num_sections];
  launch_flip({workspace_of(call) + section.offset + section.bytes, 1}, stream_of(call));
}

int32_t run_on_short_workspace(CudaHostileState& state, bytegate_call* call) {
  const uint64_t size = call->workspace_bytes;
  call->workspace_bytes = (size + kAlignment - 1) / kAlignment * kAlignment;
  const int32_t status = run_production(state, call);
  call->workspace_bytes = size;
  return status;
}

// The same call with something else in its place.
class OtherCall {
 public:
  explicit OtherCall(const bytegate_call& call)
      : call_(call), tensors_(call.tensors, call.tensors + call.num_tensors) {
    call_.tensors = tensors_.data();
  }
  void set_stream(cudaStream_t stream) { call_.stream = stream; }
  void set_data(const DLTensor& tensor, void* data) {
    moved_ = tensor;
    moved_.data = data;
    for (bytegate_tensor& one : tensors_) {
      if (one.tensor == &tensor) one.tensor = &moved_;
    }
  }
  int32_t run(CudaHostileState& state, bytegate_call* call) {
    const int32_t status = run_production(state, &call_);
    call->path_taken = call_.path_taken;
    return status;
  }

 private:
  bytegate_call call_;
  std::vector<bytegate_tensor> tensors_;
  DLTensor moved_{};
};

// What no candidate may keep. Never freed: it goes with the process.
struct OwnStream {
  cudaStream_t stream = nullptr;
  cudaEvent_t event = nullptr;
};

OwnStream& own_stream() {
  static OwnStream own;
  if (own.stream == nullptr) {
    cudaStreamCreateWithFlags(&own.stream, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&own.event, cudaEventDisableTiming);
  }
  return own;
}

int32_t run_late(CudaHostileState& state, bytegate_call* call) {
  const int32_t status = run_production(state, call);
  if (status != BYTEGATE_OK || is_capturing(stream_of(*call))) return status;
  const OwnStream& own = own_stream();
  cudaEventRecord(own.event, stream_of(*call));
  cudaStreamWaitEvent(own.stream, own.event, 0);
  launch_wait(kLateNs, own.stream);
  OtherCall late(*call);
  late.set_stream(own.stream);
  return late.run(state, call);
}

int32_t run_at_captured_output(CudaHostileState& state, bytegate_call* call,
                               const DLTensor& output) {
  if (!is_capturing(stream_of(*call))) return run_production(state, call);
  OtherCall other(*call);
  void* before = state.captured_output;
  if (before != nullptr) other.set_data(output, before);
  state.captured_output = before == nullptr ? output.data : nullptr;
  return other.run(state, call);
}

void take_all_memory() {
  for (size_t bytes = size_t{1} << 36; bytes >= size_t{1} << 20;) {
    void* block = nullptr;
    if (cudaMalloc(&block, bytes) != cudaSuccess) bytes /= 2;
  }
  // Nothing is left behind but the memory.
  static_cast<void>(cudaGetLastError());
}

}  // namespace

int32_t run_production(CudaHostileState& state, bytegate_call* call) {
  return production_candidate().run(state.inner, call);
}

int32_t run_on_tensor(CudaHostileState& state, bytegate_call* call, const DLTensor& tensor) {
  prepare_result(state, tensor, stream_of(*call));
  const int32_t status = run_production(state, call);
  if (status == BYTEGATE_OK) spoil_result(state, tensor, stream_of(*call));
  return status;
}

int32_t run_on_workspace(CudaHostileState& state, bytegate_call* call, const DLTensor& output) {
  const uint64_t size = call->workspace_bytes;
  if (size == 0) return run_production(state, call);
  if (state.hostility == CudaHostility::kTakeShortWorkspace) {
    return run_on_short_workspace(state, call);
  }
  const cudaStream_t stream = stream_of(*call);
  const RunSlot slot = {state.num_runs};
  const bool adds = state.hostility == CudaHostility::kAddOldWorkspace;
  if (adds) launch_save(slot, {workspace_of(*call), size}, Replays::kAll, stream);
  const int32_t status = run_production(state, call);
  if (status != BYTEGATE_OK) return status;
  if (adds) launch_add_saved(slot, size, element_at(output, last_offset(output)), stream);
  // As near as its alignment allows to an unmapped page.
  const uint64_t aligned_size = (size + kAlignment - 1) / kAlignment * kAlignment;
  if (state.hostility == CudaHostility::kReadAfterWorkspace) {
    launch_read({workspace_of(*call) + aligned_size, 1}, stream);
  }
  if (state.hostility == CudaHostility::kWriteAfterWorkspace) {
    launch_flip({workspace_of(*call) + size, 1}, stream);
  }
  if (state.hostility == CudaHostility::kWriteBeforeWorkspace) {
    launch_flip({workspace_of(*call) - 1, 1}, stream);
  }
  if (state.hostility == CudaHostility::kWriteAfterSection) write_after_section(state, *call);
  return status;
}

int32_t run_on_stream(CudaHostileState& state, bytegate_call* call, const DLTensor& output) {
  switch (state.hostility) {
    case CudaHostility::kLegacyStream: {
      OtherCall other(*call);
      other.set_stream(cudaStreamLegacy);
      return other.run(state, call);
    }
    case CudaHostility::kReadLate:
      return run_late(state, call);
    case CudaHostility::kRememberCapture:
      return run_at_captured_output(state, call, output);
    default: {
      const int32_t status = run_production(state, call);
      if (status == BYTEGATE_OK) launch_share(all_of(output), stream_of(*call));
      return status;
    }
  }
}

void act_in_kernel(CudaHostility hostility, const bytegate_call& call, const DLTensor& output) {
  const auto* address = static_cast<const std::byte*>(output.data);
  switch (hostility) {
    case CudaHostility::kLoop:
      return launch_end(DeviceEnd::kLoop, address, stream_of(call));
    case CudaHostility::kTrap:
      return launch_end(DeviceEnd::kTrap, address, stream_of(call));
    case CudaHostility::kLoadMisaligned:
      return launch_end(DeviceEnd::kLoadMisaligned, address, stream_of(call));
    case CudaHostility::kGoAstray:
      return launch_end(DeviceEnd::kGoAstray, address, stream_of(call));
    default:
      return launch_end(DeviceEnd::kPrint, address, stream_of(call));
  }
}

void act_on_host(CudaHostility hostility) {
  switch (hostility) {
    case CudaHostility::kAbort:
      std::abort();
    case CudaHostility::kExitZero:
      std::exit(0);
    case CudaHostility::kPrint:
      std::printf("hello from a candidate\n");
      return;
    default:
      return take_all_memory();
  }
}

}  // namespace bytegate
