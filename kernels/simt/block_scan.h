#pragma once

#include "kernels/simt/cuda_names.h"

// Block-wide sums under CUB's names: CUB itself under nvcc, a primitive of the executor on the
// host. As with CUB, every lane of a one-dimensional block of kThreads lanes takes part, and the
// storage may be used again, or shared with anything else, only after a __syncthreads.
//
//   BlockScan<T, kThreads>(storage).ExclusiveSum(in, out[, aggregate]) and InclusiveSum(..)
//   BlockReduce<T, kThreads>(storage).Sum(in)     the result is valid in thread 0 only

#ifdef __CUDACC__

#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>

namespace bytegate::simt {

template <typename T, int kThreads>
using BlockScan = cub::BlockScan<T, kThreads>;

template <typename T, int kThreads>
using BlockReduce = cub::BlockReduce<T, kThreads>;

}  // namespace bytegate::simt

#else

#include <cstddef>
#include <cstring>
#include <type_traits>

namespace bytegate::simt {

namespace host {

// About what CUB takes: one T per lane and per warp.
template <typename T, int kThreads>
struct BlockStorage {
  static_assert(kThreads >= 1 && kThreads <= static_cast<int>(kMaxBlockLanes));
  alignas(16) unsigned char bytes[sizeof(T) * (static_cast<std::size_t>(kThreads) +
                                               static_cast<std::size_t>(kThreads + 31) / 32)];
};

template <typename T>
struct BlockSum {
  static_assert(std::is_integral_v<T>, "the order of a float sum differs between the backends");
  T in{};
  T before{};  // sum of the lanes before this one
  T total{};   // of the block

  static void combine(void* const* contributions, unsigned num_lanes) {
    // Unsigned, so that sums wrap as they do on the device.
    std::make_unsigned_t<T> sum{};
    for (unsigned i = 0; i < num_lanes; ++i) {
      auto& lane = *static_cast<BlockSum*>(contributions[i]);
      lane.before = static_cast<T>(sum);
      sum = static_cast<std::make_unsigned_t<T> >(sum +
                                                  static_cast<std::make_unsigned_t<T> >(lane.in));
    }
    for (unsigned i = 0; i < num_lanes; ++i) {
      static_cast<BlockSum*>(contributions[i])->total = static_cast<T>(sum);
    }
  }

  template <int kThreads>
  static BlockSum meet(Op op, BlockStorage<T, kThreads>& storage, T in, Site site) {
    BlockSum sum;
    sum.in = in;
    meet_block(BlockCollective{.op = op,
                               .num_lanes = static_cast<unsigned>(kThreads),
                               .storage = &storage,
                               .storage_bytes = sizeof storage,
                               .contribution = &sum,
                               .combine = &BlockSum::combine},
               site);
    return sum;
  }
};

}  // namespace host

template <typename T, int kThreads>
class BlockScan {
 public:
  using TempStorage = host::BlockStorage<T, kThreads>;

  explicit BlockScan(TempStorage& storage) : storage_(storage) {}

  void ExclusiveSum(T in, T& out, T& aggregate, Site site = Site::here()) {
    const auto sum = host::BlockSum<T>::meet(Op::kBlockScan, storage_, in, site);
    out = sum.before;
    aggregate = sum.total;
  }
  void InclusiveSum(T in, T& out, T& aggregate, Site site = Site::here()) {
    ExclusiveSum(in, out, aggregate, site);
    using Unsigned = std::make_unsigned_t<T>;
    out = static_cast<T>(static_cast<Unsigned>(out) + static_cast<Unsigned>(in));
  }
  void ExclusiveSum(T in, T& out, Site site = Site::here()) {
    T aggregate{};
    ExclusiveSum(in, out, aggregate, site);
  }
  void InclusiveSum(T in, T& out, Site site = Site::here()) {
    T aggregate{};
    InclusiveSum(in, out, aggregate, site);
  }

 private:
  TempStorage& storage_;
};

template <typename T, int kThreads>
class BlockReduce {
 public:
  using TempStorage = host::BlockStorage<T, kThreads>;

  explicit BlockReduce(TempStorage& storage) : storage_(storage) {}

  // Lanes other than thread 0 get the poison pattern.
  T Sum(T in, Site site = Site::here()) {
    T total = host::BlockSum<T>::meet(Op::kBlockReduce, storage_, in, site).total;
    if (current_lane->linear_idx != 0) std::memset(&total, running_poison(), sizeof total);
    return total;
  }

 private:
  TempStorage& storage_;
};

}  // namespace bytegate::simt

#endif
