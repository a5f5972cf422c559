#pragma once

// cuda_names.h under nvcc.

#include <cuda/atomic>

#define BYTEGATE_DEVICE __device__ __forceinline__

namespace bytegate::simt {

template <typename T>
BYTEGATE_DEVICE T load_aligned(const void* address) {
  return *static_cast<const T*>(address);
}

template <typename T>
BYTEGATE_DEVICE void store_aligned(void* address, const T& value) {
  *static_cast<T*>(address) = value;
}

template <typename T>
BYTEGATE_DEVICE T load_acquire(const T* address) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8);
  cuda::atomic_ref<T, cuda::thread_scope_device> cell(*const_cast<T*>(address));
  return cell.load(cuda::memory_order_acquire);
}

template <typename T>
BYTEGATE_DEVICE void store_release(T* address, T value) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8);
  cuda::atomic_ref<T, cuda::thread_scope_device> cell(*address);
  cell.store(value, cuda::memory_order_release);
}

template <typename T>
BYTEGATE_DEVICE T* dynamic_shared() {
  extern __shared__ __align__(128) unsigned char bytegate_dynamic_shared[];
  return reinterpret_cast<T*>(bytegate_dynamic_shared);
}

BYTEGATE_DEVICE int architecture() {
#ifdef __CUDA_ARCH__
  return __CUDA_ARCH__ / 10;
#else
  return 0;
#endif
}

}  // namespace bytegate::simt
