// Times of the GPU kernels, beside the empty launch and the copy bandwidth of the same run. Compare
// ratios, not times.
#include <cstdio>

#include "ci/bench/gpu_timing.h"

namespace {

using bytegate::bench::call_us;
using bytegate::bench::DeviceBuffer;
using bytegate::bench::require;

__global__ void empty_kernel() {}

// Bytes read and written in a microsecond.
double print_machine(cudaStream_t stream) {
  cudaDeviceProp device{};
  require(cudaGetDeviceProperties(&device, 0), "cudaGetDeviceProperties");
  constexpr size_t kBytes = size_t{1} << 30;
  const DeviceBuffer from(kBytes);
  const DeviceBuffer to(kBytes);
  require(cudaMemset(from.as<void>(), 1, kBytes), "cudaMemset");
  const float copy_ms = bytegate::bench::time_ms(stream, [&] {
    require(
        cudaMemcpyAsync(to.as<void>(), from.as<void>(), kBytes, cudaMemcpyDeviceToDevice, stream),
        "cudaMemcpyAsync");
  });
  const double bytes_per_us =
      2.0 * static_cast<double>(kBytes) / static_cast<double>(copy_ms) / 1e3;
  const float empty_us = call_us(stream, 100, [stream] { empty_kernel<<<1, 32, 0, stream>>>(); });
  std::printf("%s, %d SMs; device copy %.2f TB/s (read + written); empty kernel %.2f us\n",
              device.name, device.multiProcessorCount, bytes_per_us / 1e6,
              static_cast<double>(empty_us));
  return bytes_per_us;
}

}  // namespace

int main() {
  cudaStream_t stream{};
  require(cudaStreamCreate(&stream), "cudaStreamCreate");
  const double copy_bytes_per_us = print_machine(stream);
  bytegate::bench::print_schedule_times(stream);
  bytegate::bench::print_dsa_times(stream, copy_bytes_per_us);
  return 0;
}
