// Times of the GPU kernels: microseconds per call inside a replayed graph of many calls, the median
// of repeats, beside the empty launch and the copy bandwidth of the same run. Compare ratios, not
// times.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>
#include <vector>

#include "kernels/paged_mqa_metadata_cuda.h"

namespace {

using bytegate::PagedMqaMetadataArgs;
using bytegate::PagedMqaMetadataPath;

constexpr int kCallsPerGraph = 100;
constexpr int kRepeats = 21;
constexpr int kNumSm = 132;
constexpr int32_t kMaxLen = 32768;

__global__ void empty_kernel() {}

void require(cudaError_t error, const char* call) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s (%s)\n", call, cudaGetErrorName(error), cudaGetErrorString(error));
  std::exit(1);
}

float median_ms(std::vector<float> times) {
  std::nth_element(times.begin(), times.begin() + kRepeats / 2, times.end());
  return times[kRepeats / 2];
}

// Median time of `enqueue`, repeated after one warm-up.
float time_ms(cudaStream_t stream, const std::function<void()>& enqueue) {
  cudaEvent_t begin{};
  cudaEvent_t end{};
  require(cudaEventCreate(&begin), "cudaEventCreate");
  require(cudaEventCreate(&end), "cudaEventCreate");
  std::vector<float> times;
  for (int i = 0; i <= kRepeats; ++i) {
    require(cudaEventRecord(begin, stream), "cudaEventRecord");
    enqueue();
    require(cudaEventRecord(end, stream), "cudaEventRecord");
    require(cudaEventSynchronize(end), "cudaEventSynchronize");
    float ms = 0;
    require(cudaEventElapsedTime(&ms, begin, end), "cudaEventElapsedTime");
    if (i > 0) times.push_back(ms);
  }
  require(cudaEventDestroy(begin), "cudaEventDestroy");
  require(cudaEventDestroy(end), "cudaEventDestroy");
  return median_ms(times);
}

// Microseconds of one call of `launch` in a graph of kCallsPerGraph.
float call_us(cudaStream_t stream, const std::function<void()>& launch) {
  cudaGraph_t graph{};
  cudaGraphExec_t exec{};
  require(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "begin capture");
  for (int i = 0; i < kCallsPerGraph; ++i) launch();
  require(cudaStreamEndCapture(stream, &graph), "cudaStreamEndCapture");
  require(cudaGraphInstantiate(&exec, graph, 0), "cudaGraphInstantiate");
  const float ms =
      time_ms(stream, [&] { require(cudaGraphLaunch(exec, stream), "cudaGraphLaunch"); });
  require(cudaGraphExecDestroy(exec), "cudaGraphExecDestroy");
  require(cudaGraphDestroy(graph), "cudaGraphDestroy");
  return ms * 1000 / kCallsPerGraph;
}

void print_machine(cudaStream_t stream) {
  cudaDeviceProp device{};
  require(cudaGetDeviceProperties(&device, 0), "cudaGetDeviceProperties");
  constexpr size_t kBytes = size_t{1} << 30;
  void* from = nullptr;
  void* to = nullptr;
  require(cudaMalloc(&from, kBytes), "cudaMalloc");
  require(cudaMalloc(&to, kBytes), "cudaMalloc");
  require(cudaMemset(from, 1, kBytes), "cudaMemset");
  const float copy_ms = time_ms(stream, [&] {
    require(cudaMemcpyAsync(to, from, kBytes, cudaMemcpyDeviceToDevice, stream), "cudaMemcpyAsync");
  });
  require(cudaFree(from), "cudaFree");
  require(cudaFree(to), "cudaFree");
  std::printf(
      "%s, %d SMs; device copy %.2f TB/s (read + written); empty kernel %.2f us\n", device.name,
      device.multiProcessorCount,
      2.0 * static_cast<double>(kBytes) / static_cast<double>(copy_ms) / 1e9,
      static_cast<double>(call_us(stream, [stream] { empty_kernel<<<1, 32, 0, stream>>>(); })));
}

void require_launch(const std::string& error) {
  if (error.empty()) return;
  std::fprintf(stderr, "%s\n", error.c_str());
  std::exit(1);
}

void print_row(cudaStream_t stream, int64_t num_rows) {
  std::mt19937 random(1);
  std::uniform_int_distribution<int32_t> len(1, kMaxLen);
  std::vector<int32_t> lens(static_cast<size_t>(num_rows));
  for (int32_t& value : lens) value = len(random);
  const PagedMqaMetadataPath path = bytegate::choose_path(num_rows);
  void* buffers[3] = {};
  const size_t bytes[3] = {lens.size() * sizeof(int32_t), 2 * (kNumSm + 1) * sizeof(int32_t),
                           bytegate::paged_mqa_metadata_workspace_bytes(num_rows, path) + 16};
  for (int i = 0; i < 3; ++i) require(cudaMalloc(&buffers[i], bytes[i]), "cudaMalloc");
  require(cudaMemcpy(buffers[0], lens.data(), bytes[0], cudaMemcpyHostToDevice), "cudaMemcpy");
  const PagedMqaMetadataArgs args =
      bytegate::kernel_args({.context_lens = static_cast<const int32_t*>(buffers[0]),
                             .num_rows = num_rows,
                             .num_sm = kNumSm,
                             .page_size = bytegate::kPagedMqaPageSize,
                             .remainder = 0,
                             .schedule_metadata = static_cast<int32_t*>(buffers[1]),
                             .workspace = buffers[2],
                             .workspace_bytes = bytes[2]});
  const float production = call_us(stream, [&] {
    require_launch(bytegate::launch_paged_mqa_metadata_on_cuda(args, path, stream));
  });
  const float baseline = call_us(stream, [&] {
    require_launch(bytegate::launch_paged_mqa_metadata_baseline_on_cuda(args, stream));
  });
  std::printf("%8lld  %-12s %10.2f %10.2f %8.1fx\n", static_cast<long long>(num_rows),
              bytegate::path_name(path).data(), static_cast<double>(production),
              static_cast<double>(baseline), static_cast<double>(baseline / production));
  for (void* buffer : buffers) require(cudaFree(buffer), "cudaFree");
}

}  // namespace

int main() {
  cudaStream_t stream{};
  require(cudaStreamCreate(&stream), "cudaStreamCreate");
  print_machine(stream);
  std::printf("paged_mqa_metadata, num_sm %d, lengths uniform in 1..%d, microseconds\n", kNumSm,
              kMaxLen);
  std::printf("%8s  %-12s %10s %10s %9s\n", "B", "path", "production", "baseline", "ratio");
  for (const int64_t num_rows : {1, 64, 512, 2048, 4096, 8192, 32768, 131072}) {
    print_row(stream, num_rows);
  }
  return 0;
}
