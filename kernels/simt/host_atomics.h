#pragma once

// cuda_names.h under a host compiler: atomics. All lanes of an executor share one OS thread, so
// plain reads and writes are atomic; what matters is that lanes may give way afterwards.

#include <algorithm>
#include <type_traits>

#include "kernels/simt/lane_ops.h"

namespace bytegate::simt::host {

template <typename T, typename... Allowed>
inline constexpr bool kIsOneOf = (std::is_same_v<T, Allowed> || ...);

// The types CUDA has these atomics for.
template <typename T>
concept Addable = kIsOneOf<T, int, unsigned, unsigned long long, float, double>;
template <typename T>
concept Subtractable = kIsOneOf<T, int, unsigned>;
template <typename T>
concept Comparable = kIsOneOf<T, int, unsigned, long long, unsigned long long>;
template <typename T>
concept Bitwise = kIsOneOf<T, int, unsigned, unsigned long long>;
template <typename T>
concept Exchangeable = kIsOneOf<T, int, unsigned, unsigned long long, float>;

template <typename T, typename Update>
T update(T* address, Site site, Update next) {
  require_aligned(address, sizeof(T), site);
  const T old = *address;
  const T now = next(old);
  *address = now;
  after_atomic(now != old, site);
  return old;
}

// Two's complement, as on the device: signed sums wrap.
template <typename T>
T wrapping_add(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    using Unsigned = std::make_unsigned_t<T>;
    return static_cast<T>(static_cast<Unsigned>(a) + static_cast<Unsigned>(b));
  } else {
    return a + b;
  }
}

}  // namespace bytegate::simt::host

// In a declaration's place for the value: deduced from the address alone, so literals convert.
template <bytegate::simt::host::Addable T>
T atomicAdd(T* address, std::type_identity_t<T> value,
            bytegate::simt::Site site = bytegate::simt::Site::here()) {
  return bytegate::simt::host::update(
      address, site, [value](T old) { return bytegate::simt::host::wrapping_add(old, value); });
}

template <bytegate::simt::host::Subtractable T>
T atomicSub(T* address, std::type_identity_t<T> value,
            bytegate::simt::Site site = bytegate::simt::Site::here()) {
  return bytegate::simt::host::update(address, site, [value](T old) {
    return static_cast<T>(static_cast<unsigned>(old) - static_cast<unsigned>(value));
  });
}

template <bytegate::simt::host::Comparable T>
T atomicMin(T* address, std::type_identity_t<T> value,
            bytegate::simt::Site site = bytegate::simt::Site::here()) {
  return bytegate::simt::host::update(address, site,
                                      [value](T old) { return std::min(old, value); });
}

template <bytegate::simt::host::Comparable T>
T atomicMax(T* address, std::type_identity_t<T> value,
            bytegate::simt::Site site = bytegate::simt::Site::here()) {
  return bytegate::simt::host::update(address, site,
                                      [value](T old) { return std::max(old, value); });
}

template <bytegate::simt::host::Bitwise T>
T atomicAnd(T* address, std::type_identity_t<T> value,
            bytegate::simt::Site site = bytegate::simt::Site::here()) {
  return bytegate::simt::host::update(address, site, [value](T old) { return old & value; });
}

template <bytegate::simt::host::Bitwise T>
T atomicOr(T* address, std::type_identity_t<T> value,
           bytegate::simt::Site site = bytegate::simt::Site::here()) {
  return bytegate::simt::host::update(address, site, [value](T old) { return old | value; });
}

template <bytegate::simt::host::Bitwise T>
T atomicXor(T* address, std::type_identity_t<T> value,
            bytegate::simt::Site site = bytegate::simt::Site::here()) {
  return bytegate::simt::host::update(address, site, [value](T old) { return old ^ value; });
}

template <bytegate::simt::host::Exchangeable T>
T atomicExch(T* address, std::type_identity_t<T> value,
             bytegate::simt::Site site = bytegate::simt::Site::here()) {
  return bytegate::simt::host::update(address, site, [value](T) { return value; });
}

template <bytegate::simt::host::Bitwise T>
T atomicCAS(T* address, std::type_identity_t<T> expect, std::type_identity_t<T> value,
            bytegate::simt::Site site = bytegate::simt::Site::here()) {
  return bytegate::simt::host::update(
      address, site, [expect, value](T old) { return old == expect ? value : old; });
}

inline unsigned atomicInc(unsigned* address, unsigned limit,
                          bytegate::simt::Site site = bytegate::simt::Site::here()) {
  return bytegate::simt::host::update(
      address, site, [limit](unsigned old) { return old >= limit ? 0u : old + 1; });
}

inline unsigned atomicDec(unsigned* address, unsigned limit,
                          bytegate::simt::Site site = bytegate::simt::Site::here()) {
  return bytegate::simt::host::update(
      address, site, [limit](unsigned old) { return old == 0 || old > limit ? limit : old - 1; });
}

namespace bytegate::simt {

// A load that a spin loop may consist of: other lanes may go first.
template <typename T>
T load_acquire(const T* address, Site site = Site::here()) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8);
  require_aligned(address, sizeof(T), site);
  const T value = *address;
  after_atomic(false, site);
  return value;
}

template <typename T>
void store_release(T* address, std::type_identity_t<T> value, Site site = Site::here()) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8);
  host::update(address, site, [value](T) { return value; });
}

}  // namespace bytegate::simt
