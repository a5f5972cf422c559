#pragma once

// cuda_names.h under a host compiler: vector types and whole-vector loads and stores.

#include <cstddef>
#include <cstring>
#include <type_traits>

#include "kernels/simt/lane_ops.h"

namespace bytegate::simt::host {

template <typename T>
struct alignas(2 * sizeof(T)) Vector2 {
  T x;
  T y;
};

// At most 16 bytes are moved at once, so no vector is aligned to more.
template <typename T>
struct alignas(16) Vector4 {
  T x;
  T y;
  T z;
  T w;
};

}  // namespace bytegate::simt::host

using int2 = bytegate::simt::host::Vector2<int>;
using int4 = bytegate::simt::host::Vector4<int>;
using uint2 = bytegate::simt::host::Vector2<unsigned>;
using uint4 = bytegate::simt::host::Vector4<unsigned>;
using float2 = bytegate::simt::host::Vector2<float>;
using float4 = bytegate::simt::host::Vector4<float>;
using longlong2 = bytegate::simt::host::Vector2<long long>;
using ulonglong2 = bytegate::simt::host::Vector2<unsigned long long>;

inline int2 make_int2(int x, int y) {
  return {x, y};
}
inline int4 make_int4(int x, int y, int z, int w) {
  return {x, y, z, w};
}
inline uint2 make_uint2(unsigned x, unsigned y) {
  return {x, y};
}
inline uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) {
  return {x, y, z, w};
}
inline float2 make_float2(float x, float y) {
  return {x, y};
}
inline float4 make_float4(float x, float y, float z, float w) {
  return {x, y, z, w};
}
inline longlong2 make_longlong2(long long x, long long y) {
  return {x, y};
}
inline ulonglong2 make_ulonglong2(unsigned long long x, unsigned long long y) {
  return {x, y};
}

namespace bytegate::simt {

template <typename T>
T load_aligned(const void* address, Site site = Site::here()) {
  static_assert(std::is_trivially_copyable_v<T>);
  require_aligned(address, alignof(T), site);
  T value;
  std::memcpy(&value, address, sizeof value);
  return value;
}

template <typename T>
void store_aligned(void* address, const T& value, Site site = Site::here()) {
  static_assert(std::is_trivially_copyable_v<T>);
  require_aligned(address, alignof(T), site);
  std::memcpy(address, &value, sizeof value);
}

template <typename T>
T* dynamic_shared() {
  static_assert(alignof(T) <= 128);
  return static_cast<T*>(dynamic_shared_base());
}

inline int architecture() {
  return running_arch();
}

}  // namespace bytegate::simt

template <typename T>
// NOLINTNEXTLINE(bugprone-reserved-identifier)
T __ldg(const T* address, bytegate::simt::Site site = bytegate::simt::Site::here()) {
  return bytegate::simt::load_aligned<T>(address, site);
}
