// Kernel bodies of `paged_mqa_metadata`, for nvcc and for the SIMT executor alike.
//
// All three paths do the same: prefix sums of the rows' splits, then one search per SM. They differ
// in how far a sum must reach. Sums over more than 64 rows pass 32 bits, so they are 64-bit there.
#pragma once

#include <cstdint>

#include "kernels/paged_mqa_metadata.h"
#include "kernels/simt/block_scan.h"
#include "kernels/simt/cuda_names.h"

namespace bytegate {

constexpr int kWarpLanes = 32;
constexpr int kTinyThreads = 128;
constexpr int kBlockThreads = 256;
constexpr int kSmallRowsPerThread = 8;
constexpr int kTileRowsPerThread = 16;
static_assert(kTinyMaxRows == int64_t{2} * kWarpLanes, "tiny: one warp holds two rows a lane");
static_assert(kSmallMaxRows == int64_t{kBlockThreads} * kSmallRowsPerThread);
static_assert(kTileRows == int64_t{kBlockThreads} * kTileRowsPerThread);

// Splits of one row. Lengths are taken as unsigned, so that a negative one (outside the contract)
// gives a large number instead of a place before the table.
constexpr uint32_t kMaxRowSplits = (uint64_t{UINT32_MAX} + kSplitKv - 1) / kSplitKv;
static_assert(kTinyMaxRows * kMaxRowSplits <= UINT32_MAX, "tiny sums fit 32 bits");

BYTEGATE_DEVICE uint32_t row_splits(int32_t len_tokens) {
  const uint32_t len = static_cast<uint32_t>(len_tokens);
  constexpr uint32_t kSplit = static_cast<uint32_t>(kSplitKv);
  return len / kSplit + (len % kSplit != 0 ? 1u : 0u);
}

// How `total` splits are dealt to the SMs. Sum is wide enough for `total`.
template <typename Sum>
struct Deal {
  Sum total;
  Sum share;
  Sum num_larger;    // SMs that take one split more than `share`
  Sum first_larger;  // the first of them

  BYTEGATE_DEVICE static Deal of(Sum total, const PagedMqaMetadataArgs& args) {
    const Sum num_sm = static_cast<Sum>(args.num_sm);
    // A 64-bit division costs several times a 32-bit one, and totals are small in practice.
    const bool narrow = total <= static_cast<Sum>(UINT32_MAX);
    const Sum share =
        narrow ? static_cast<uint32_t>(total) / static_cast<uint32_t>(num_sm) : total / num_sm;
    const Sum num_larger = total - share * num_sm;
    const Sum first = args.remainder == Remainder::kLast ? num_sm - num_larger : Sum{0};
    return {total, share, num_larger, first};
  }

  // The split at which SM `sm` starts.
  BYTEGATE_DEVICE Sum start(int sm) const {
    const Sum i = static_cast<Sum>(sm);
    const Sum past = i > first_larger ? i - first_larger : Sum{0};
    return i * share + (past < num_larger ? past : num_larger);
  }
};

BYTEGATE_DEVICE void store_row(const PagedMqaMetadataArgs& args, int sm, int64_t row,
                               int64_t offset) {
  int32_t* table_row = args.schedule_metadata + int64_t{2} * sm;
  table_row[0] = static_cast<int32_t>(row);
  table_row[1] = static_cast<int32_t>(offset);
}

// ---- tiny
// -------------------------------------------------------------------------------------------

struct PagedMqaTinyShared {
  uint32_t prefix[kTinyMaxRows];  // inclusive; rows past the batch repeat the total
};

BYTEGATE_DEVICE void paged_mqa_metadata_tiny(const PagedMqaMetadataArgs& args,
                                             PagedMqaTinyShared& shared) {
  const int thread = static_cast<int>(threadIdx.x);
  const int num_rows = static_cast<int>(args.num_rows);
  if (thread < kWarpLanes) {
    constexpr unsigned kAllLanes = 0xffffffffu;
    const int row = 2 * thread;
    const uint32_t first = row < num_rows ? row_splits(args.context_lens[row]) : 0;
    const uint32_t second = row + 1 < num_rows ? row_splits(args.context_lens[row + 1]) : 0;
    uint32_t sum = first + second;
    for (int delta = 1; delta < kWarpLanes; delta *= 2) {
      const uint32_t below = __shfl_up_sync(kAllLanes, sum, delta);
      if (thread >= delta) sum += below;
    }
    shared.prefix[row] = sum - second;
    shared.prefix[row + 1] = sum;
  }
  __syncthreads();
  const Deal<uint32_t> deal = Deal<uint32_t>::of(shared.prefix[kTinyMaxRows - 1], args);
  for (int sm = thread; sm <= args.num_sm; sm += kTinyThreads) {
    const uint32_t start = deal.start(sm);
    if (start >= deal.total) {
      store_row(args, sm, num_rows, 0);
      continue;
    }
    int row = 0;  // rows whose splits all lie before `start`
    for (int step = kTinyMaxRows / 2; step > 0; step /= 2) {
      if (shared.prefix[row + step - 1] <= start) row += step;
    }
    store_row(args, sm, row, start - (row > 0 ? shared.prefix[row - 1] : 0));
  }
}

// ---- a tile of rows in one block
// ------------------------------------------------------------------------

template <int kRowsPerThread>
struct TileShared {
  uint32_t splits[kBlockThreads * kRowsPerThread];
  int64_t prefix[kBlockThreads];  // splits of the tile before each thread's rows
  typename simt::BlockScan<int64_t, kBlockThreads>::TempStorage scan;
};

// Loads a tile's splits and sums them up; returns the tile's total in every thread. Ends at a
// barrier.
template <int kRowsPerThread>
BYTEGATE_DEVICE int64_t scan_tile(const PagedMqaMetadataArgs& args, int64_t first_row,
                                  TileShared<kRowsPerThread>& shared) {
  const int thread = static_cast<int>(threadIdx.x);
  const int32_t* lens = args.context_lens + first_row;
  const int64_t num_rows = args.num_rows - first_row;
  // Striped over the threads, so that a warp reads neighbouring rows.

  for (int i = 0; i < kRowsPerThread; ++i) {
    const int row = i * kBlockThreads + thread;
    shared.splits[row] = row < num_rows ? row_splits(lens[row]) : 0;
  }
  __syncthreads();
  int64_t sum = 0;

  for (int i = 0; i < kRowsPerThread; ++i) sum += shared.splits[thread * kRowsPerThread + i];
  int64_t before = 0;
  int64_t total = 0;
  simt::BlockScan<int64_t, kBlockThreads>(shared.scan).ExclusiveSum(sum, before, total);
  shared.prefix[thread] = before;
  __syncthreads();
  return total;
}

// Writes the row of SM `sm`, which starts `start` splits into the tile, before the tile's end.
template <int kRowsPerThread>
BYTEGATE_DEVICE void store_start(const PagedMqaMetadataArgs& args, int sm, int64_t first_row,
                                 int64_t start, const TileShared<kRowsPerThread>& shared) {
  int owner = 0;  // the last thread whose rows begin at or before `start`
  for (int step = kBlockThreads / 2; step > 0; step /= 2) {
    if (shared.prefix[owner + step] <= start) owner += step;
  }
  int row = owner * kRowsPerThread;
  int64_t offset = start - shared.prefix[owner];
  while (offset >= shared.splits[row]) offset -= shared.splits[row++];
  store_row(args, sm, first_row + row, offset);
}

// ---- small
// ------------------------------------------------------------------------------------------

using PagedMqaSmallShared = TileShared<kSmallRowsPerThread>;

BYTEGATE_DEVICE void paged_mqa_metadata_small(const PagedMqaMetadataArgs& args,
                                              PagedMqaSmallShared& shared) {
  const int64_t total = scan_tile(args, 0, shared);
  const Deal<int64_t> deal = Deal<int64_t>::of(total, args);
  for (int sm = static_cast<int>(threadIdx.x); sm <= args.num_sm; sm += kBlockThreads) {
    const int64_t start = deal.start(sm);
    if (start >= total) {
      store_row(args, sm, args.num_rows, 0);
    } else {
      store_start(args, sm, 0, start, shared);
    }
  }
}

// ---- multi-block
// ----------------------------------------------------------------------------------------

struct TileRange {
  int64_t first;
  int64_t last;  // exclusive
};

BYTEGATE_DEVICE TileRange tiles_of_block(const PagedMqaMetadataArgs& args) {
  const int64_t tiles = num_tiles(args.num_rows);
  const int64_t per_block = (tiles + gridDim.x - 1) / gridDim.x;
  const int64_t first = per_block * blockIdx.x;
  const int64_t last = first + per_block;
  return {first < tiles ? first : tiles, last < tiles ? last : tiles};
}

struct PagedMqaTileSumsShared {
  simt::BlockReduce<int64_t, kBlockThreads>::TempStorage reduce;
};

// First launch: the splits of every tile.
BYTEGATE_DEVICE void paged_mqa_metadata_tile_sums(const PagedMqaMetadataArgs& args,
                                                  PagedMqaTileSumsShared& shared) {
  const TileRange tiles = tiles_of_block(args);
  for (int64_t tile = tiles.first; tile < tiles.last; ++tile) {
    const int64_t first_row = tile * kTileRows + static_cast<int64_t>(threadIdx.x);
    int64_t sum = 0;

    for (int i = 0; i < kTileRowsPerThread; ++i) {
      const int64_t row = first_row + int64_t{i} * kBlockThreads;
      if (row < args.num_rows) sum += row_splits(args.context_lens[row]);
    }
    sum = simt::BlockReduce<int64_t, kBlockThreads>(shared.reduce).Sum(sum);
    if (threadIdx.x == 0) args.tile_sums[tile] = sum;
    __syncthreads();  // the next tile reuses the reduction's storage
  }
}

struct PagedMqaDealShared {
  TileShared<kTileRowsPerThread> tile;
  simt::BlockReduce<int64_t, kBlockThreads>::TempStorage reduce_total;
  simt::BlockReduce<int64_t, kBlockThreads>::TempStorage reduce_before;
  int64_t total;   // splits of the whole batch
  int64_t before;  // splits before this block's first tile
};

BYTEGATE_DEVICE void sum_tiles(const PagedMqaMetadataArgs& args, int64_t first_tile,
                               PagedMqaDealShared& shared) {
  int64_t total = 0;
  int64_t before = 0;
  const int64_t tiles = num_tiles(args.num_rows);
  for (int64_t tile = static_cast<int64_t>(threadIdx.x); tile < tiles; tile += kBlockThreads) {
    const int64_t sum = args.tile_sums[tile];
    total += sum;
    if (tile < first_tile) before += sum;
  }
  total = simt::BlockReduce<int64_t, kBlockThreads>(shared.reduce_total).Sum(total);
  before = simt::BlockReduce<int64_t, kBlockThreads>(shared.reduce_before).Sum(before);
  if (threadIdx.x == 0) {
    shared.total = total;
    shared.before = before;
  }
  __syncthreads();
}

// Second launch: each block writes the rows of the SMs that start in its tiles; block 0 also writes
// the sentinels.
BYTEGATE_DEVICE void paged_mqa_metadata_deal(const PagedMqaMetadataArgs& args,
                                             PagedMqaDealShared& shared) {
  const TileRange tiles = tiles_of_block(args);
  sum_tiles(args, tiles.first, shared);
  const Deal<int64_t> deal = Deal<int64_t>::of(shared.total, args);
  if (blockIdx.x == 0) {
    for (int sm = static_cast<int>(threadIdx.x); sm <= args.num_sm; sm += kBlockThreads) {
      if (deal.start(sm) >= deal.total) store_row(args, sm, args.num_rows, 0);
    }
  }
  int64_t before = shared.before;
  for (int64_t tile = tiles.first; tile < tiles.last; ++tile) {
    const int64_t first_row = tile * kTileRows;
    const int64_t sum = scan_tile(args, first_row, shared.tile);
    for (int sm = static_cast<int>(threadIdx.x); sm <= args.num_sm; sm += kBlockThreads) {
      const int64_t start = deal.start(sm) - before;
      if (start >= 0 && start < sum) store_start(args, sm, first_row, start, shared.tile);
    }
    before += sum;
    __syncthreads();  // the next tile reuses the shared tile
  }
}

}  // namespace bytegate
