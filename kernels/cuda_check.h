// What a CUDA call answered, with its name: no result goes unchecked, and no error without a call.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <string>

namespace bytegate {

struct [[nodiscard]] CudaStatus {
  const char* call = "";  // a string literal
  cudaError_t error = cudaSuccess;

  [[nodiscard]] bool ok() const { return error == cudaSuccess; }
  // "cudaMalloc: cudaErrorMemoryAllocation (out of memory)"
  [[nodiscard]] std::string text() const {
    return std::string(call) + ": " + cudaGetErrorName(error) + " (" + cudaGetErrorString(error) +
           ")";
  }
};

// Takes the error out of the runtime's last-error slot, so that no later call is blamed for it.
inline CudaStatus cuda_call(const char* call, cudaError_t error) {
  if (error != cudaSuccess) static_cast<void>(cudaGetLastError());
  return {.call = call, .error = error};
}

// The error that the launch of a kernel left, or "".
inline std::string launch_error(const char* kernel) {
  const CudaStatus status = cuda_call(kernel, cudaGetLastError());
  return status.ok() ? "" : status.text();
}

// How work on the device went.
struct [[nodiscard]] CudaOutcome {
  enum class Kind : uint8_t {
    kOk,
    kCallFailed,  // a call was answered with an error; the device is as good as before
    kExhausted,   // no memory
    kLost,        // nothing works any more in this process
  };
  Kind kind = Kind::kOk;
  std::string text = {};

  [[nodiscard]] bool ok() const { return kind == Kind::kOk; }
};

}  // namespace bytegate
