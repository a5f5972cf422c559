#pragma once

// cuda_names.h under a host compiler: indices, barriers, warp collectives and bit counts.

#include <bit>
#include <cstdint>
#include <type_traits>

#include "kernels/simt/lane_ops.h"

// Function names are CUDA's, reserved or not. Macros where CUDA has variables that differ per lane.
// NOLINTBEGIN(bugprone-reserved-identifier)

#define BYTEGATE_DEVICE inline
#define threadIdx (::bytegate::simt::current_lane->thread)
#define blockIdx (::bytegate::simt::current_lane->block->index)
#define blockDim (::bytegate::simt::current_lane->block->extent)
#define gridDim (::bytegate::simt::current_lane->block->grid)

using dim3 = bytegate::simt::Dim3;
inline constexpr int warpSize = 32;

namespace bytegate::simt::host {

template <typename T>
concept Shufflable = std::is_arithmetic_v<T> &&(sizeof(T) == 4 || sizeof(T) == 8);

template <typename T>
using BitsOf = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

template <Shufflable T>
T shuffle(Op op, unsigned mask, T value, unsigned source_lane, Site site) {
  const std::uint64_t bits = std::bit_cast<BitsOf<T>>(value);
  return std::bit_cast<T>(static_cast<BitsOf<T>>(meet_warp(op, mask, bits, source_lane, site)));
}

// The lanes a shuffle of this width may read: `first` to `last` around the calling lane.
struct Segment {
  unsigned lane;
  unsigned first;
  unsigned last;
};

inline Segment segment(int width, Site site) {
  require_width(width, site);
  const unsigned lane = current_lane->lane_idx;
  const unsigned first = lane & ~(static_cast<unsigned>(width) - 1);
  return Segment{lane, first, first + static_cast<unsigned>(width) - 1};
}

inline unsigned reduce(Op op, unsigned mask, unsigned value, Site site) {
  return static_cast<unsigned>(meet_warp(op, mask, value, 0, site));
}

inline int reduce(Op op, unsigned mask, int value, Site site) {
  return static_cast<int>(
      static_cast<unsigned>(meet_warp(op, mask, static_cast<std::uint32_t>(value), 0, site)));
}

}  // namespace bytegate::simt::host

inline void __syncthreads(bytegate::simt::Site site = bytegate::simt::Site::here()) {
  bytegate::simt::meet_block(bytegate::simt::Op::kSyncThreads, 0, site);
}
inline int __syncthreads_count(int predicate,
                               bytegate::simt::Site site = bytegate::simt::Site::here()) {
  return bytegate::simt::meet_block(bytegate::simt::Op::kSyncThreadsCount, predicate, site);
}
inline int __syncthreads_and(int predicate,
                             bytegate::simt::Site site = bytegate::simt::Site::here()) {
  return bytegate::simt::meet_block(bytegate::simt::Op::kSyncThreadsAnd, predicate, site);
}
inline int __syncthreads_or(int predicate,
                            bytegate::simt::Site site = bytegate::simt::Site::here()) {
  return bytegate::simt::meet_block(bytegate::simt::Op::kSyncThreadsOr, predicate, site);
}
inline void __syncwarp(unsigned mask = 0xffffffffu,
                       bytegate::simt::Site site = bytegate::simt::Site::here()) {
  bytegate::simt::meet_warp(bytegate::simt::Op::kSyncWarp, mask, 0, 0, site);
}
inline void __threadfence(bytegate::simt::Site site = bytegate::simt::Site::here()) {
  bytegate::simt::yield_lane(site);
}
inline void __threadfence_block(bytegate::simt::Site site = bytegate::simt::Site::here()) {
  bytegate::simt::yield_lane(site);
}
inline void __threadfence_system(bytegate::simt::Site site = bytegate::simt::Site::here()) {
  bytegate::simt::yield_lane(site);
}
inline void __nanosleep(unsigned, bytegate::simt::Site site = bytegate::simt::Site::here()) {
  bytegate::simt::yield_lane(site);
}
inline unsigned __activemask() {
  return 1u << bytegate::simt::current_lane->lane_idx;
}

// Like the hardware, shuffles use the low five bits of a lane number or distance.
template <bytegate::simt::host::Shufflable T>
T __shfl_sync(unsigned mask, T value, int source, int width = warpSize,
              bytegate::simt::Site site = bytegate::simt::Site::here()) {
  const auto part = bytegate::simt::host::segment(width, site);
  const unsigned from = part.first | (static_cast<unsigned>(source) & (part.last - part.first));
  return bytegate::simt::host::shuffle(bytegate::simt::Op::kShfl, mask, value, from, site);
}
template <bytegate::simt::host::Shufflable T>
T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = warpSize,
                 bytegate::simt::Site site = bytegate::simt::Site::here()) {
  const auto part = bytegate::simt::host::segment(width, site);
  const unsigned distance = delta % 32;
  const unsigned from = part.lane >= part.first + distance ? part.lane - distance : part.lane;
  return bytegate::simt::host::shuffle(bytegate::simt::Op::kShflUp, mask, value, from, site);
}
template <bytegate::simt::host::Shufflable T>
T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = warpSize,
                   bytegate::simt::Site site = bytegate::simt::Site::here()) {
  const auto part = bytegate::simt::host::segment(width, site);
  const unsigned target = part.lane + delta % 32;
  const unsigned from = target <= part.last ? target : part.lane;
  return bytegate::simt::host::shuffle(bytegate::simt::Op::kShflDown, mask, value, from, site);
}
template <bytegate::simt::host::Shufflable T>
T __shfl_xor_sync(unsigned mask, T value, int lane_mask, int width = warpSize,
                  bytegate::simt::Site site = bytegate::simt::Site::here()) {
  const auto part = bytegate::simt::host::segment(width, site);
  const unsigned target = part.lane ^ (static_cast<unsigned>(lane_mask) % 32);
  const unsigned from = target <= part.last ? target : part.lane;
  return bytegate::simt::host::shuffle(bytegate::simt::Op::kShflXor, mask, value, from, site);
}

inline unsigned __ballot_sync(unsigned mask, int predicate,
                              bytegate::simt::Site site = bytegate::simt::Site::here()) {
  return static_cast<unsigned>(bytegate::simt::meet_warp(bytegate::simt::Op::kBallot, mask,
                                                         predicate != 0 ? 1 : 0, 0, site));
}
inline int __any_sync(unsigned mask, int predicate,
                      bytegate::simt::Site site = bytegate::simt::Site::here()) {
  return static_cast<int>(
      bytegate::simt::meet_warp(bytegate::simt::Op::kAny, mask, predicate != 0 ? 1 : 0, 0, site));
}
inline int __all_sync(unsigned mask, int predicate,
                      bytegate::simt::Site site = bytegate::simt::Site::here()) {
  return static_cast<int>(
      bytegate::simt::meet_warp(bytegate::simt::Op::kAll, mask, predicate != 0 ? 1 : 0, 0, site));
}
template <bytegate::simt::host::Shufflable T>
unsigned __match_any_sync(unsigned mask, T value,
                          bytegate::simt::Site site = bytegate::simt::Site::here()) {
  const std::uint64_t bits = std::bit_cast<bytegate::simt::host::BitsOf<T>>(value);
  return static_cast<unsigned>(
      bytegate::simt::meet_warp(bytegate::simt::Op::kMatchAny, mask, bits, 0, site));
}

template <typename T>
requires std::is_same_v<T, int> || std::is_same_v<T, unsigned> T __reduce_add_sync(
    unsigned mask, T value, bytegate::simt::Site site = bytegate::simt::Site::here()) {
  return bytegate::simt::host::reduce(bytegate::simt::Op::kReduceAdd, mask, value, site);
}
inline int __reduce_min_sync(unsigned mask, int value,
                             bytegate::simt::Site site = bytegate::simt::Site::here()) {
  return bytegate::simt::host::reduce(bytegate::simt::Op::kReduceMinInt, mask, value, site);
}
inline unsigned __reduce_min_sync(unsigned mask, unsigned value,
                                  bytegate::simt::Site site = bytegate::simt::Site::here()) {
  return bytegate::simt::host::reduce(bytegate::simt::Op::kReduceMinUnsigned, mask, value, site);
}
inline int __reduce_max_sync(unsigned mask, int value,
                             bytegate::simt::Site site = bytegate::simt::Site::here()) {
  return bytegate::simt::host::reduce(bytegate::simt::Op::kReduceMaxInt, mask, value, site);
}
inline unsigned __reduce_max_sync(unsigned mask, unsigned value,
                                  bytegate::simt::Site site = bytegate::simt::Site::here()) {
  return bytegate::simt::host::reduce(bytegate::simt::Op::kReduceMaxUnsigned, mask, value, site);
}
inline unsigned __reduce_and_sync(unsigned mask, unsigned value,
                                  bytegate::simt::Site site = bytegate::simt::Site::here()) {
  return bytegate::simt::host::reduce(bytegate::simt::Op::kReduceAnd, mask, value, site);
}
inline unsigned __reduce_or_sync(unsigned mask, unsigned value,
                                 bytegate::simt::Site site = bytegate::simt::Site::here()) {
  return bytegate::simt::host::reduce(bytegate::simt::Op::kReduceOr, mask, value, site);
}
inline unsigned __reduce_xor_sync(unsigned mask, unsigned value,
                                  bytegate::simt::Site site = bytegate::simt::Site::here()) {
  return bytegate::simt::host::reduce(bytegate::simt::Op::kReduceXor, mask, value, site);
}

inline int __popc(unsigned value) {
  return std::popcount(value);
}
inline int __popcll(unsigned long long value) {
  return std::popcount(value);
}
inline int __clz(int value) {
  return std::countl_zero(static_cast<unsigned>(value));
}
inline int __clzll(long long value) {
  return std::countl_zero(static_cast<unsigned long long>(value));
}
inline int __ffs(int value) {
  return value == 0 ? 0 : std::countr_zero(static_cast<unsigned>(value)) + 1;
}
inline int __ffsll(long long value) {
  return value == 0 ? 0 : std::countr_zero(static_cast<unsigned long long>(value)) + 1;
}
inline unsigned long long __brevll(unsigned long long value) {
  unsigned long long reversed = 0;
  for (int i = 0; i < 64; ++i) reversed |= ((value >> i) & 1u) << (63 - i);
  return reversed;
}
inline unsigned __brev(unsigned value) {
  return static_cast<unsigned>(__brevll(value) >> 32);
}

// NOLINTEND(bugprone-reserved-identifier)
