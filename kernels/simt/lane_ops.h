#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/simt/context.h"
#include "kernels/simt/launch.h"
#include "kernels/simt/site.h"

// What the running lane may ask of the executor. cuda_names.h and block_scan.h spell these in
// CUDA's words; kernels do not call them directly. All act on the lane that is running on this
// thread and are undefined where none is.
namespace bytegate::simt {

// Everything lanes can meet or wait at. Warp operations first, then those of a block.
enum class Op : std::uint8_t {
  kNone,
  kSpin,
  kSyncWarp,
  kShfl,
  kShflUp,
  kShflDown,
  kShflXor,
  kBallot,
  kAny,
  kAll,
  kMatchAny,
  kReduceAdd,
  kReduceMinInt,
  kReduceMinUnsigned,
  kReduceMaxInt,
  kReduceMaxUnsigned,
  kReduceAnd,
  kReduceOr,
  kReduceXor,
  kSyncThreads,
  kSyncThreadsCount,
  kSyncThreadsAnd,
  kSyncThreadsOr,
  kBlockScan,
  kBlockReduce,
};

// "__shfl_up_sync" and so on. Never null.
const char* op_name(Op op);

struct BlockCoordinates {
  Dim3 index;   // blockIdx
  Dim3 grid;    // gridDim
  Dim3 extent;  // blockDim
};

// The part of a lane that kernels see and that is needed to hand over to another.
struct RunningLane {
  Dim3 thread;              // threadIdx
  unsigned lane_idx = 0;    // within its warp, [0, 32)
  unsigned linear_idx = 0;  // within its block, x fastest
  const BlockCoordinates* block = nullptr;
  Switchboard* board = nullptr;
  const std::uint64_t* warp_result = nullptr;  // of the last warp operation
  const int* block_result = nullptr;           // of the last barrier
  Context context;
  Op waits_at = Op::kNone;  // where it waits or is about to
  unsigned mask = 0;        // of the warp operation it waits at
  Site site;
};

// The lane that is running on this thread; null outside a launch.
inline constinit thread_local RunningLane* current_lane = nullptr;

// What the running lane must do next: nullptr to go on, else switch to that context.
// The arrive_ functions do the work of the operations below them up to that point.
using Handover = Context*;

// Unwinds `self`, whose launch has failed; returns only when it is being unwound already.
void leave_launch(RunningLane& self);

[[gnu::always_inline]] inline void hand_over(RunningLane& self, Handover to) {
  if (to == nullptr) return;
  switch_context(*self.board, self.context, *to);
  if (self.board->aborting) [[unlikely]] {
    leave_launch(self);
  }
}

// Meets the lanes of `mask` at `op`. `value` is this lane's contribution (its bits, zero-extended),
// `source_lane` the lane a shuffle reads, in [0, 32); the result of reading a lane outside `mask`
// is a poison pattern.
Handover arrive_warp(RunningLane& self, std::uint64_t value, unsigned source_lane);
[[gnu::always_inline]] inline std::uint64_t meet_warp(Op op, unsigned mask, std::uint64_t value,
                                                      unsigned source_lane, Site site) {
  RunningLane& self = *current_lane;
  self.waits_at = op;
  self.mask = mask;
  self.site = site;
  hand_over(self, arrive_warp(self, value, source_lane));
  return *self.warp_result;
}

// Meets every lane of the block that has not exited. Returns what __syncthreads_count/_and/_or do.
Handover arrive_block(RunningLane& self, int predicate);
[[gnu::always_inline]] inline int meet_block(Op op, int predicate, Site site) {
  RunningLane& self = *current_lane;
  self.waits_at = op;
  self.site = site;
  hand_over(self, arrive_block(self, predicate));
  return *self.block_result;
}

// A collective of all `num_lanes` lanes of a one-dimensional block, none of which may have exited.
// `contribution` stays valid until return; the last lane to arrive calls combine once with all of
// them in lane order.
struct BlockCollective {
  Op op = Op::kBlockScan;
  unsigned num_lanes = 0;
  void* storage = nullptr;  // the same for all lanes; scribbled on, and not to be used again before
  std::size_t storage_bytes = 0;  // a __syncthreads
  void* contribution = nullptr;
  void (*combine)(void* const* contributions, unsigned num_lanes) = nullptr;
};
Handover arrive_block(RunningLane& self, const BlockCollective& collective);
[[gnu::always_inline]] inline void meet_block(const BlockCollective& collective, Site site) {
  RunningLane& self = *current_lane;
  self.waits_at = collective.op;
  self.site = site;
  hand_over(self, arrive_block(self, collective));
}

// Lets other lanes go first: a fence, a sleep, a step of a spin loop.
Handover arrive_spin(RunningLane& self, Site site);
[[gnu::always_inline]] inline void yield_lane(Site site) {
  RunningLane& self = *current_lane;
  hand_over(self, arrive_spin(self, site));
}

// After an atomic: `changed` says that memory now differs, which counts as progress.
Handover arrive_atomic(RunningLane& self, bool changed, Site site);
[[gnu::always_inline]] inline void after_atomic(bool changed, Site site) {
  RunningLane& self = *current_lane;
  hand_over(self, arrive_atomic(self, changed, site));
}

// Ends the launch with `misaligned access` unless `address` is a multiple of `alignment`.
void fail_misaligned(const void* address, std::size_t alignment, Site site);
inline void require_aligned(const void* address, std::size_t alignment, Site site) {
  if (reinterpret_cast<std::uintptr_t>(address) % alignment != 0) {
    fail_misaligned(address, alignment, site);
  }
}

// Ends the launch with `bad mask` unless a shuffle's width is 1, 2, 4, 8, 16 or 32.
void fail_width(int width, Site site);
inline void require_width(int width, Site site) {
  if (width <= 0 || width > static_cast<int>(kWarpLanes) || (width & (width - 1)) != 0) {
    fail_width(width, site);
  }
}

// The dynamic part of this block's shared memory, 128-byte aligned; its size in bytes.
void* dynamic_shared_base();
std::size_t dynamic_shared_size();

// The static shared memory of a resident block of this grid, or null when it has not started or
// has finished. `block_rank` is the block's linear index, x fastest.
void* shared_of_block(std::uint64_t block_rank);

// ExecutorOptions::arch and ::shared_poison of the running launch.
int running_arch();
std::uint8_t running_poison();

}  // namespace bytegate::simt
