#include <cstdio>

#include "kernels/cuda_test_kernels.h"

namespace bytegate {
namespace {

constexpr unsigned kThreads = 128;
constexpr unsigned kTooManyThreads = 4096;

struct TestParams {
  int32_t* values = nullptr;
  const int64_t* offsets = nullptr;
  int32_t* table = nullptr;
  int32_t* sums = nullptr;  // workspace; null: none
  int64_t num_rows = 0;
  int64_t values_stride = 0;
  int64_t offsets_stride = 0;
  int64_t table_stride = 0;
  int64_t stray_idx = 0;
  TestBehaviour behaviour = TestBehaviour::kRight;
};

__device__ int32_t sum_of(const TestParams& params, int64_t row) {
  return static_cast<int32_t>(static_cast<uint32_t>(params.values[row * params.values_stride]) +
                              static_cast<uint32_t>(params.offsets[row * params.offsets_stride]));
}

__device__ uint64_t now_ns() {
  uint64_t now = 0;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

__device__ void misbehave(const TestParams& params) {
  switch (params.behaviour) {
    case TestBehaviour::kPastEnd:
      params.table[(params.num_rows - 1) * params.table_stride + kTestColumns] = 7;
      break;
    case TestBehaviour::kInputChanged:
      params.values[0] ^= 1;
      break;
    case TestBehaviour::kIllegalAddress:
      *reinterpret_cast<volatile int32_t*>(uintptr_t{64}) = 7;
      break;
    case TestBehaviour::kTrap:
      asm volatile("trap;");
      break;
    case TestBehaviour::kStray:
      params.table[params.stray_idx] = 7;
      break;
    case TestBehaviour::kSpin: {
      const uint64_t end_ns = now_ns() + uint64_t{kTestSpinSeconds} * 1000000000;
      while (now_ns() < end_ns) __nanosleep(1000);
      break;
    }
    default:
      break;
  }
}

__global__ void cuda_test_sum_kernel(TestParams params) {
  const int64_t row = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (row < params.num_rows) params.sums[row] = sum_of(params, row);
}

__global__ void cuda_test_table_kernel(TestParams params) {
  const int64_t row = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (row >= params.num_rows) return;
  const int32_t sum = params.sums != nullptr ? params.sums[row] : sum_of(params, row);
  for (int64_t column = 0; column < kTestColumns; ++column) {
    const bool last = row == params.num_rows - 1 && column == kTestColumns - 1;
    if (last && params.behaviour == TestBehaviour::kLastMissing) continue;
    params.table[row * params.table_stride + column] =
        static_cast<int32_t>(static_cast<uint32_t>(sum) + static_cast<uint32_t>(column));
  }
  if (row == 0) misbehave(params);
}

int32_t say(bytegate_call* call, int32_t status, const char* message) {
  if (call->message != nullptr) {
    std::snprintf(call->message, call->message_bytes, "%s", message);
  }
  return status;
}

TestBehaviour behaviour_of(const bytegate_call* call) {
  return static_cast<TestBehaviour>(call->scalars[0].value);
}

TestParams params_of(const bytegate_call* call) {
  const DLTensor& values = *call->tensors[0].tensor;
  const DLTensor& offsets = *call->tensors[1].tensor;
  const DLTensor& table = *call->tensors[2].tensor;
  TestParams params;
  params.values = static_cast<int32_t*>(values.data);
  params.offsets = static_cast<const int64_t*>(offsets.data);
  params.table = static_cast<int32_t*>(table.data);
  params.num_rows = values.shape[0];
  params.values_stride = values.strides[0];
  params.offsets_stride = offsets.strides[0];
  params.table_stride = table.strides[0];
  params.stray_idx = call->scalars[1].value;
  params.behaviour = behaviour_of(call);
  if (call->workspace_bytes >= static_cast<uint64_t>(params.num_rows) * sizeof(int32_t)) {
    params.sums = static_cast<int32_t*>(call->workspace);
  }
  return params;
}

int32_t supports(void*, bytegate_call* call) {
  if (behaviour_of(call) != TestBehaviour::kUnsupported) return BYTEGATE_OK;
  return say(call, BYTEGATE_UNSUPPORTED, "this behaviour is not supported");
}

int32_t workspace_bytes(void*, bytegate_call* call, uint64_t* bytes) {
  *bytes = static_cast<uint64_t>(call->scalars[2].value);
  return BYTEGATE_OK;
}

bool hog_memory() {
  size_t free_bytes = 0;
  size_t total_bytes = 0;
  void* hog = nullptr;
  return cudaMemGetInfo(&free_bytes, &total_bytes) == cudaSuccess && free_bytes > kTestSpareBytes &&
         cudaMalloc(&hog, free_bytes - kTestSpareBytes) == cudaSuccess;
}

int32_t run(void*, bytegate_call* call) {
  const TestParams params = params_of(call);
  call->path_taken = kTestPath;
  if (params.behaviour == TestBehaviour::kRefuse) {
    return say(call, BYTEGATE_INVALID_ARGUMENT, "refused as asked");
  }
  if (params.behaviour == TestBehaviour::kHog && !hog_memory()) {
    return say(call, BYTEGATE_INTERNAL_ERROR, "the memory cannot be taken");
  }
  if (params.num_rows == 0) return BYTEGATE_OK;
  if (params.table == nullptr) return say(call, BYTEGATE_INVALID_ARGUMENT, "table is null");
  const bool bad = params.behaviour == TestBehaviour::kBadLaunch ||
                   params.behaviour == TestBehaviour::kCheckedLaunch;
  const unsigned threads = bad ? kTooManyThreads : kThreads;
  const unsigned blocks = static_cast<unsigned>((params.num_rows + kThreads - 1) / kThreads);
  const auto stream = params.behaviour == TestBehaviour::kDefaultStream
                          ? cudaStreamLegacy
                          : static_cast<cudaStream_t>(call->stream);
  if (params.sums != nullptr) cuda_test_sum_kernel<<<blocks, threads, 0, stream>>>(params);
  cuda_test_table_kernel<<<blocks, threads, 0, stream>>>(params);
  if (params.behaviour == TestBehaviour::kSynchronise) cudaStreamSynchronize(stream);
  if (params.behaviour != TestBehaviour::kCheckedLaunch) return BYTEGATE_OK;
  const cudaError_t launched = cudaGetLastError();
  if (launched == cudaSuccess) return BYTEGATE_OK;
  return say(call, BYTEGATE_LAUNCH_FAILED, cudaGetErrorString(launched));
}

}  // namespace

const bytegate_candidate& cuda_test_candidate() {
  static const bytegate_candidate candidate = {.interface_version = BYTEGATE_INTERFACE_VERSION,
                                               .backends = BYTEGATE_BACKEND_CUDA,
                                               .name = "cuda_test",
                                               .version = "1",
                                               .paths = nullptr,
                                               .open = nullptr,
                                               .close = nullptr,
                                               .supports = supports,
                                               .workspace_bytes = workspace_bytes,
                                               .run = run};
  return candidate;
}

}  // namespace bytegate
