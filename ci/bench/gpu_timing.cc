#include "ci/bench/gpu_timing.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace bytegate::bench {
namespace {

constexpr int kRepeats = 21;

float median_ms(std::vector<float> times) {
  std::nth_element(times.begin(), times.begin() + kRepeats / 2, times.end());
  return times[kRepeats / 2];
}

}  // namespace

void require(cudaError_t error, const char* call) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s (%s)\n", call, cudaGetErrorName(error), cudaGetErrorString(error));
  std::exit(1);
}

void require_launch(const std::string& error) {
  if (error.empty()) return;
  std::fprintf(stderr, "%s\n", error.c_str());
  std::exit(1);
}

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

float call_us(cudaStream_t stream, int num_calls, const std::function<void()>& launch) {
  cudaGraph_t graph{};
  cudaGraphExec_t exec{};
  require(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "begin capture");
  for (int i = 0; i < num_calls; ++i) launch();
  require(cudaStreamEndCapture(stream, &graph), "cudaStreamEndCapture");
  require(cudaGraphInstantiate(&exec, graph, 0), "cudaGraphInstantiate");
  const float ms =
      time_ms(stream, [&] { require(cudaGraphLaunch(exec, stream), "cudaGraphLaunch"); });
  require(cudaGraphExecDestroy(exec), "cudaGraphExecDestroy");
  require(cudaGraphDestroy(graph), "cudaGraphDestroy");
  return ms * 1000 / static_cast<float>(num_calls);
}

DeviceBuffer::DeviceBuffer(size_t bytes) {
  // Never null, so that empty tensors need no special case here.
  require(cudaMalloc(&data_, std::max<size_t>(bytes, 16)), "cudaMalloc");
}

DeviceBuffer::~DeviceBuffer() {
  static_cast<void>(cudaFree(data_));
}

void DeviceBuffer::upload(const void* from, size_t bytes) const {
  require(cudaMemcpy(data_, from, bytes, cudaMemcpyHostToDevice), "cudaMemcpy");
}

}  // namespace bytegate::bench
