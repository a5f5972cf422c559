#include <cstdio>
#include <cstdlib>

#include "kernels/cuda_test_kernels.h"
#include "kernels/testing/hostile_cuda.h"

namespace bytegate {
namespace {

constexpr unsigned kThreads = 128;
constexpr int64_t kMaxScratch = 4096;
constexpr int64_t kWorkspaceBuffer = 3;
constexpr uint64_t kLateNs = 20'000'000;
constexpr uint64_t kScratchNs = 300'000;

struct HostileParams {
  int32_t* values = nullptr;
  int64_t* offsets = nullptr;
  int32_t* table = nullptr;
  int32_t* workspace = nullptr;
  int64_t workspace_bytes = 0;
  int64_t num_rows = 0;
  int64_t values_stride = 0;
  int64_t offsets_stride = 0;
  int64_t table_stride = 0;
  int64_t buffer = 0;
  HostileCuda hostility = HostileCuda::kNone;
  bool wrong = false;
  uint64_t delay_ns = 0;
};

__device__ int32_t hostile_scratch[kMaxScratch];
__device__ volatile int32_t hostile_sink;

__device__ uint64_t hostile_now_ns() {
  uint64_t now = 0;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

__device__ void hostile_wait(uint64_t duration_ns) {
  const uint64_t end_ns = hostile_now_ns() + duration_ns;
  while (hostile_now_ns() < end_ns) __nanosleep(1000);
}

__device__ void load_eight_bytes(uintptr_t address) {
  int64_t held = 0;
  asm volatile("ld.global.s64 %0, [%1];" : "=l"(held) : "l"(address));
  hostile_sink = static_cast<int32_t>(held ^ held >> 32);
}

__device__ int32_t hostile_sum_of(const HostileParams& params, int64_t row) {
  return static_cast<int32_t>(static_cast<uint32_t>(params.values[row * params.values_stride]) +
                              static_cast<uint32_t>(params.offsets[row * params.offsets_stride]));
}

// The element after the last, or the one before the first, of the buffer.
template <typename Value>
__device__ volatile Value* beside(Value* first, int64_t count, bool after) {
  return after ? first + count : first - 1;
}

template <typename Value>
__device__ void touch(Value* first, int64_t count, bool after, bool write) {
  volatile Value* place = beside(first, count, after);
  const Value held = *place;
  if (write) {
    *place = held ^ 0x55;
  } else {
    hostile_sink = static_cast<int32_t>(held);
  }
}

__device__ void touch_beside(const HostileParams& params, bool after, bool write) {
  const int64_t last = params.num_rows - 1;
  if (params.buffer == 0) touch(params.values, last * params.values_stride + 1, after, write);
  if (params.buffer == 1) touch(params.offsets, last * params.offsets_stride + 1, after, write);
  if (params.buffer == 2) {
    touch(params.table, last * params.table_stride + kTestColumns, after, write);
  }
  if (params.buffer == kWorkspaceBuffer) {
    touch(params.workspace, params.workspace_bytes / 4, after, write);
  }
}

__device__ void act(const HostileParams& params) {
  switch (params.hostility) {
    case HostileCuda::kReadAfter:
      return touch_beside(params, true, false);
    case HostileCuda::kReadBefore:
      return touch_beside(params, false, false);
    case HostileCuda::kWriteAfter:
      return touch_beside(params, true, true);
    case HostileCuda::kWriteBefore:
      return touch_beside(params, false, true);
    case HostileCuda::kWriteGap:
      params.table[kTestColumns] ^= 0x55;
      return;
    case HostileCuda::kWriteInput:
      if (params.buffer == 0) params.values[0] ^= 0x55;
      if (params.buffer == 1) params.offsets[0] ^= 0x55;
      return;
    case HostileCuda::kLoadWide: {
      int32_t wide[4] = {};
      asm volatile("ld.v4.s32 {%0, %1, %2, %3}, [%4];"
                   : "=r"(wide[0]), "=r"(wide[1]), "=r"(wide[2]), "=r"(wide[3])
                   : "l"(params.values));
      // All of them: a load of four whose rest nobody needs is made a load of one.
      hostile_sink = wide[0] ^ wide[1] ^ wide[2] ^ wide[3];
      return;
    }
    case HostileCuda::kLoopForever:
      while (hostile_now_ns() != 0) __nanosleep(1000);
      return;
    case HostileCuda::kTrap:
      asm volatile("trap;");
      return;
    case HostileCuda::kLoadMisaligned:
      // In assembly, since the compiler may take it for two loads of four bytes.
      load_eight_bytes(reinterpret_cast<uintptr_t>(params.offsets) + 4);
      return;
    case HostileCuda::kGoAstray:
      *reinterpret_cast<volatile int32_t*>(uintptr_t{64}) = 7;
      return;
    case HostileCuda::kPrintOnDevice:
      printf("hello from a kernel\n");
      return;
    default:
      return;
  }
}

__device__ int32_t old_part(const HostileParams& params) {
  int32_t old = 0;
  if (params.hostility == HostileCuda::kAddOldWorkspace) old = params.workspace[0];
  if (params.hostility == HostileCuda::kAddOldOutput) {
    old = params.table[(params.num_rows - 1) * params.table_stride + kTestColumns - 1];
  }
  return old + (params.wrong ? 1 : 0);
}

__global__ void hostile_table_kernel(HostileParams params) {
  hostile_wait(params.delay_ns);
  // One thread, so that what it does stands in one order.
  const int32_t old = old_part(params);
  for (int64_t row = 0; row < params.num_rows; ++row) {
    const bool shared = params.hostility == HostileCuda::kShareScratch;
    const int32_t sum = shared ? hostile_scratch[row] : hostile_sum_of(params, row);
    for (int64_t column = 0; column < kTestColumns; ++column) {
      const bool last = row == params.num_rows - 1 && column == kTestColumns - 1;
      if (last && params.hostility == HostileCuda::kLeaveLast) continue;
      params.table[row * params.table_stride + column] =
          static_cast<int32_t>(static_cast<uint32_t>(sum) + static_cast<uint32_t>(column) +
                               static_cast<uint32_t>(last ? old : 0));
    }
  }
  act(params);
}

__global__ void hostile_clear_kernel(int64_t num_rows) {
  for (int64_t row = threadIdx.x; row < num_rows; row += blockDim.x) hostile_scratch[row] = 0;
}

__global__ void hostile_add_kernel(HostileParams params) {
  hostile_wait(kScratchNs);
  for (int64_t row = threadIdx.x; row < params.num_rows; row += blockDim.x) {
    atomicAdd(&hostile_scratch[row], hostile_sum_of(params, row));
  }
}

HostileParams hostile_params_of(const bytegate_call* call) {
  const DLTensor& values = *call->tensors[0].tensor;
  const DLTensor& offsets = *call->tensors[1].tensor;
  const DLTensor& table = *call->tensors[2].tensor;
  HostileParams params;
  params.values = static_cast<int32_t*>(values.data);
  params.offsets = static_cast<int64_t*>(offsets.data);
  params.table = static_cast<int32_t*>(table.data);
  params.workspace = static_cast<int32_t*>(call->workspace);
  params.workspace_bytes = call->scalars[2].value;
  params.num_rows = values.shape[0];
  params.values_stride = values.strides[0];
  params.offsets_stride = offsets.strides[0];
  params.table_stride = table.strides[0];
  params.buffer = call->scalars[1].value;
  params.hostility = static_cast<HostileCuda>(call->scalars[0].value);
  return params;
}

// What a candidate may not keep. Never freed: it goes with the process.
struct Kept {
  void* table = nullptr;
  int64_t num_launches = 0;
  cudaStream_t stream = nullptr;
  cudaEvent_t event = nullptr;
};

Kept& kept() {
  static Kept kept;
  return kept;
}

cudaStream_t own_stream() {
  if (kept().stream == nullptr) cudaStreamCreateWithFlags(&kept().stream, cudaStreamNonBlocking);
  return kept().stream;
}

void launch_table(const HostileParams& params, cudaStream_t stream) {
  hostile_table_kernel<<<1, 1, 0, stream>>>(params);
}

void launch_late(HostileParams params, cudaStream_t stream) {
  launch_table(params, stream);
  if (kept().event == nullptr) {
    cudaEventCreateWithFlags(&kept().event, cudaEventDisableTiming);
  }
  cudaEventRecord(kept().event, stream);
  cudaStreamWaitEvent(own_stream(), kept().event, 0);
  params.delay_ns = kLateNs;
  launch_table(params, own_stream());
}

void launch_through_scratch(HostileParams params, cudaStream_t stream) {
  hostile_clear_kernel<<<1, kThreads, 0, stream>>>(params.num_rows);
  hostile_add_kernel<<<1, kThreads, 0, stream>>>(params);
  params.delay_ns = kScratchNs;
  launch_table(params, stream);
}

void launch_at_remembered_address(HostileParams params, cudaStream_t stream) {
  cudaStreamCaptureStatus capturing = cudaStreamCaptureStatusNone;
  cudaStreamIsCapturing(stream, &capturing);
  if (capturing == cudaStreamCaptureStatusActive) {
    if (kept().table == nullptr) kept().table = params.table;
    params.table = static_cast<int32_t*>(kept().table);
  }
  launch_table(params, stream);
}

void take_all_memory() {
  for (size_t bytes = size_t{1} << 36; bytes >= size_t{1} << 20;) {
    void* block = nullptr;
    if (cudaMalloc(&block, bytes) != cudaSuccess) bytes /= 2;
  }
  // Nothing is left behind but the memory.
  static_cast<void>(cudaGetLastError());
}

void launch_hostile(HostileParams params, cudaStream_t stream) {
  switch (params.hostility) {
    case HostileCuda::kLegacyStream:
      return launch_table(params, cudaStreamLegacy);
    case HostileCuda::kForgottenStream:
      params.delay_ns = kLateNs;
      return launch_table(params, own_stream());
    case HostileCuda::kReadLate:
      return launch_late(params, stream);
    case HostileCuda::kShareScratch:
      return launch_through_scratch(params, stream);
    case HostileCuda::kRememberAddress:
      return launch_at_remembered_address(params, stream);
    case HostileCuda::kCountLaunches:
      params.wrong = ++kept().num_launches % 2 == 0;
      return launch_table(params, stream);
    default:
      return launch_table(params, stream);
  }
}

int32_t hostile_workspace_bytes(void*, bytegate_call* call, uint64_t* bytes) {
  *bytes = static_cast<uint64_t>(call->scalars[2].value);
  return BYTEGATE_OK;
}

int32_t hostile_run(void*, bytegate_call* call) {
  const HostileParams params = hostile_params_of(call);
  call->path_taken = kTestPath;
  const bool looks = params.hostility != HostileCuda::kTakeShort;
  if (looks && call->workspace_bytes < static_cast<uint64_t>(params.workspace_bytes)) {
    return BYTEGATE_INVALID_ARGUMENT;
  }
  if (params.num_rows == 0) return BYTEGATE_OK;
  if (params.num_rows > kMaxScratch) return BYTEGATE_INTERNAL_ERROR;
  if (params.hostility == HostileCuda::kAbort) std::abort();
  if (params.hostility == HostileCuda::kPrint) std::printf("hello from a candidate\n");
  if (params.hostility == HostileCuda::kTakeAllMemory) take_all_memory();
  launch_hostile(params, static_cast<cudaStream_t>(call->stream));
  return cudaGetLastError() == cudaSuccess ? BYTEGATE_OK : BYTEGATE_LAUNCH_FAILED;
}

}  // namespace

const bytegate_candidate& hostile_cuda_candidate() {
  static const bytegate_candidate candidate = {.interface_version = BYTEGATE_INTERFACE_VERSION,
                                               .backends = BYTEGATE_BACKEND_CUDA,
                                               .name = "hostile_cuda",
                                               .version = "1",
                                               .paths = nullptr,
                                               .open = nullptr,
                                               .close = nullptr,
                                               .supports = nullptr,
                                               .workspace_bytes = hostile_workspace_bytes,
                                               .run = hostile_run};
  return candidate;
}

}  // namespace bytegate
