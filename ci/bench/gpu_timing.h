// How the GPU benchmarks time: microseconds per call inside a replayed graph of many calls, the
// median of repeats. Every CUDA error ends the program with its name.
#pragma once

#include <cuda_runtime_api.h>

#include <functional>
#include <string>

namespace bytegate::bench {

void require(cudaError_t error, const char* call);
void require_launch(const std::string& error);

// Median time of `enqueue`, repeated after one warm-up.
float time_ms(cudaStream_t stream, const std::function<void()>& enqueue);
// Microseconds of one call of `launch` in a graph of `num_calls`.
float call_us(cudaStream_t stream, int num_calls, const std::function<void()>& launch);

// Device memory for the life of the object.
class DeviceBuffer {
 public:
  explicit DeviceBuffer(size_t bytes);
  DeviceBuffer(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(const DeviceBuffer&) = delete;
  ~DeviceBuffer();

  template <typename T>
  T* as() const {
    return static_cast<T*>(data_);
  }
  void upload(const void* from, size_t bytes) const;

 private:
  void* data_ = nullptr;
};

// Each prints a table.
void print_schedule_times(cudaStream_t stream);
void print_dsa_times(cudaStream_t stream, double copy_bytes_per_us);

}  // namespace bytegate::bench
