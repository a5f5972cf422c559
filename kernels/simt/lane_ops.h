#pragma once

#include <cstddef>
#include <cstdint>

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

struct LaneCoordinates {
  Dim3 thread;              // threadIdx
  unsigned lane_idx = 0;    // within its warp, [0, 32)
  unsigned linear_idx = 0;  // within its block, x fastest
  const BlockCoordinates* block = nullptr;
};

// The lane that is running on this thread; null outside a launch.
inline constinit thread_local const LaneCoordinates* current_lane = nullptr;

// Meets the lanes of `mask` at `op`. `value` is this lane's contribution (its bits, zero-extended),
// `source_lane` the lane a shuffle reads, in [0, 32); the result of reading a lane outside `mask`
// is a poison pattern.
std::uint64_t meet_warp(Op op, unsigned mask, std::uint64_t value, unsigned source_lane, Site site);

// Meets every lane of the block that has not exited. Returns what __syncthreads_count/_and/_or do.
int meet_block(Op op, int predicate, Site site);

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
void meet_block(const BlockCollective& collective, Site site);

// Lets other lanes go first: a fence, a sleep, a step of a spin loop.
void yield_lane(Site site);

// After an atomic: `changed` says that memory now differs, which counts as progress.
void after_atomic(bool changed, Site site);

// Ends the launch with `misaligned access` unless `address` is a multiple of `alignment`.
void fail_misaligned(const void* address, std::size_t alignment, Site site);
inline void require_aligned(const void* address, std::size_t alignment, Site site) {
  if (reinterpret_cast<std::uintptr_t>(address) % alignment != 0) {
    fail_misaligned(address, alignment, site);
  }
}

// Ends the launch with `bad mask` unless a shuffle's width is 1, 2, 4, 8, 16 or 32.
void require_width(int width, Site site);

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
