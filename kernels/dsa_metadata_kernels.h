// Kernel body of the fused DSA metadata, for nvcc and for the SIMT executor alike: one launch whose
// blocks share out three kinds of work.
//
//   request blocks   cache_seqlens, cu_seqlens_k, paged_mqa_ctx_lens
//   row blocks       seqlens_expanded, dsa_cache_seqlens, dsa_cu_seqlens_k
//   table blocks     page_table, real_page_table
//
// A sum needs all lengths before it. Blocks do not wait for each other: each adds up what comes
// before its part again, from the inputs.
#pragma once

#include <cstdint>

#include "kernels/dsa_metadata.h"
#include "kernels/dsa_row_walk.h"
#include "kernels/simt/block_scan.h"
#include "kernels/simt/cuda_names.h"

namespace bytegate {

struct DsaSumShared {
  uint32_t lens[kDsaTile];
  uint32_t before;
  union {
    simt::BlockScan<uint32_t, kDsaThreads>::TempStorage scan;
    simt::BlockReduce<uint32_t, kDsaThreads>::TempStorage reduce;
  };
};

struct DsaShared {
  DsaRowWalkShared walk;
  DsaSumShared sum;
  int32_t request_of_row[kDsaThreads];  // of a table block's unit; -1: none
};

// The low 32 bits, whatever the width.
BYTEGATE_DEVICE uint32_t dsa_seq(const DsaArgs& args, int64_t request) {
  const int64_t offset = request * args.seq_lens.stride;
  if (args.seq_lens.is_int64) {
    return static_cast<uint32_t>(static_cast<const int64_t*>(args.seq_lens.data)[offset]);
  }
  return static_cast<uint32_t>(static_cast<const int32_t*>(args.seq_lens.data)[offset]);
}

BYTEGATE_DEVICE int64_t dsa_pool_row(const DsaArgs& args, int64_t request) {
  const int64_t offset = request * args.req_pool_indices.stride;
  if (args.req_pool_indices.is_int64) {
    return static_cast<const int64_t*>(args.req_pool_indices.data)[offset];
  }
  return static_cast<const int32_t*>(args.req_pool_indices.data)[offset];
}

BYTEGATE_DEVICE uint32_t dsa_cache_len(const DsaArgs& args, int64_t request) {
  return dsa_seq(args, request) + static_cast<uint32_t>(args.cache_addend);
}

// x[e]
template <DsaMode kMode>
BYTEGATE_DEVICE int32_t dsa_row_len(const DsaArgs& args, const DsaRow& row) {
  uint32_t len = dsa_seq(args, row.request);
  if constexpr (kMode != DsaMode::kDecode) len += static_cast<uint32_t>(row.j) + 1;
  if constexpr (kMode == DsaMode::kDraftExtend) len -= static_cast<uint32_t>(row.num_rows);
  const int32_t signed_len = static_cast<int32_t>(len);
  return signed_len > args.expanded_min ? signed_len : args.expanded_min;
}

BYTEGATE_DEVICE int32_t dsa_topk_len(const DsaArgs& args, int32_t len) {
  return len < args.topk ? len : args.topk;
}

// ---- sums

struct DsaPart {
  int64_t first;
  int64_t last;  // exclusive
};

// The whole tiles of one of several blocks.
BYTEGATE_DEVICE DsaPart dsa_part(int64_t count, int64_t block, int64_t num_blocks) {
  // Counts are below 2^31, and a 64-bit division costs several times a 32-bit one.
  constexpr uint32_t kTile = static_cast<uint32_t>(kDsaTile);
  const uint32_t tiles = (static_cast<uint32_t>(count) + kTile - 1) / kTile;
  const uint32_t blocks = static_cast<uint32_t>(num_blocks);
  const int64_t size = int64_t{(tiles + blocks - 1) / blocks} * kDsaTile;
  const int64_t first = block * size;
  const int64_t last = first + size;
  return {first < count ? first : count, last < count ? last : count};
}

// The sum over the block of what each thread holds, in every thread. Ends at a barrier.
BYTEGATE_DEVICE uint32_t dsa_block_sum(uint32_t value, DsaSumShared& shared) {
  const uint32_t sum = simt::BlockReduce<uint32_t, kDsaThreads>(shared.reduce).Sum(value);
  if (threadIdx.x == 0) shared.before = sum;
  __syncthreads();
  return shared.before;
}

// Writes the running sums of a tile whose lengths are in shared.lens to sums[1 ..]; returns the sum
// up to its end. Begins and ends at a barrier.
BYTEGATE_DEVICE uint32_t dsa_store_sums(int64_t count, uint32_t before, int32_t* sums,
                                        DsaSumShared& shared) {
  const int thread = static_cast<int>(threadIdx.x);
  const int first = thread * kDsaLensPerThread;
  __syncthreads();
  uint32_t sum = 0;
  for (int i = 0; i < kDsaLensPerThread; ++i) sum += shared.lens[first + i];
  uint32_t running = 0;
  uint32_t total = 0;
  simt::BlockScan<uint32_t, kDsaThreads>(shared.scan).ExclusiveSum(sum, running, total);
  running += before;
  for (int i = 0; i < kDsaLensPerThread; ++i) {
    running += shared.lens[first + i];
    shared.lens[first + i] = running;
  }
  __syncthreads();
  // Striped, so that a warp writes neighbours.
  for (int64_t i = thread; i < count; i += kDsaThreads) {
    sums[1 + i] = static_cast<int32_t>(shared.lens[i]);
  }
  __syncthreads();
  return before + total;
}

// The same for as many lengths as there are threads, each of which holds one; nothing is staged.
BYTEGATE_DEVICE void dsa_store_few_sums(int64_t count, uint32_t len, int32_t* sums,
                                        DsaSumShared& shared) {
  uint32_t sum = 0;
  simt::BlockScan<uint32_t, kDsaThreads>(shared.scan).InclusiveSum(len, sum);
  if (threadIdx.x < count) sums[1 + threadIdx.x] = static_cast<int32_t>(sum);
}

BYTEGATE_DEVICE void dsa_clear_tile(DsaSumShared& shared) {
  for (int i = static_cast<int>(threadIdx.x); i < kDsaTile; i += kDsaThreads) shared.lens[i] = 0;
  __syncthreads();
}

// ---- request blocks

BYTEGATE_DEVICE void dsa_store_request(const DsaArgs& args, int64_t request, uint32_t len) {
  args.cache_seqlens[request] = static_cast<int32_t>(len);
  if (args.paged_mqa_ctx_lens == nullptr) return;
  int32_t* row = args.paged_mqa_ctx_lens + request * args.ctx_lens_row_stride;
  for (int64_t j = 0; j < args.rows_per_request; ++j) {
    row[j * args.ctx_lens_column_stride] = static_cast<int32_t>(len);
  }
}

BYTEGATE_DEVICE void dsa_write_requests(const DsaArgs& args, int64_t block, DsaSumShared& shared) {
  const int thread = static_cast<int>(threadIdx.x);
  if (args.num_requests <= kDsaThreads) {
    const uint32_t len = thread < args.num_requests ? dsa_cache_len(args, thread) : 0;
    if (thread == 0) args.cu_seqlens_k[0] = 0;
    if (thread < args.num_requests) dsa_store_request(args, thread, len);
    dsa_store_few_sums(args.num_requests, len, args.cu_seqlens_k, shared);
    return;
  }
  const DsaPart part = dsa_part(args.num_requests, block, args.grid.num_request_blocks);
  uint32_t sum = 0;
  for (int64_t b = thread; b < part.first; b += kDsaThreads) sum += dsa_cache_len(args, b);
  uint32_t before = part.first > 0 ? dsa_block_sum(sum, shared) : 0;
  if (block == 0 && thread == 0) args.cu_seqlens_k[0] = 0;
  for (int64_t tile = part.first; tile < part.last; tile += kDsaTile) {
    const int64_t left = part.last - tile;
    const int64_t count = left < kDsaTile ? left : kDsaTile;
    for (int64_t i = thread; i < kDsaTile; i += kDsaThreads) {
      const uint32_t len = i < count ? dsa_cache_len(args, tile + i) : 0;
      shared.lens[i] = len;
      if (i < count) dsa_store_request(args, tile + i, len);
    }
    before = dsa_store_sums(count, before, args.cu_seqlens_k + tile, shared);
  }
}

// ---- row blocks

// Writes what a row has; returns its share of dsa_cu_seqlens_k.
template <DsaMode kMode>
BYTEGATE_DEVICE uint32_t dsa_store_row(const DsaArgs& args, const DsaRow& row) {
  const int32_t len = dsa_row_len<kMode>(args, row);
  const int32_t topk_len = dsa_topk_len(args, len);
  if constexpr (kMode != DsaMode::kDecode) args.seqlens_expanded[row.row] = len;
  args.dsa_cache_seqlens[row.row] = topk_len;
  return static_cast<uint32_t>(topk_len);
}

// Rows in as many threads.
template <DsaMode kMode>
BYTEGATE_DEVICE void dsa_write_few_rows(const DsaArgs& args, DsaShared& shared) {
  const int64_t row = threadIdx.x;
  const uint32_t len = row < args.num_rows ? dsa_store_row<kMode>(args, dsa_row(args, row)) : 0u;
  if (row == 0) args.dsa_cu_seqlens_k[0] = 0;
  dsa_store_few_sums(args.num_rows, len, args.dsa_cu_seqlens_k, shared.sum);
}

template <DsaMode kMode, bool kRagged>
BYTEGATE_DEVICE void dsa_write_rows(const DsaArgs& args, int64_t block, DsaShared& shared) {
  if constexpr (!kRagged) {
    if (args.num_rows <= kDsaThreads) {
      dsa_write_few_rows<kMode>(args, shared);
      return;
    }
  }
  const DsaPart part = dsa_part(args.num_rows, block, args.grid.num_row_blocks);
  DsaWalk walk;
  uint32_t sum = 0;
  dsa_for_each_row<kRagged>(args, 0, part.first, walk, shared.walk, [&](const DsaRow& row) {
    sum += static_cast<uint32_t>(dsa_topk_len(args, dsa_row_len<kMode>(args, row)));
  });
  uint32_t before = part.first > 0 ? dsa_block_sum(sum, shared.sum) : 0;
  if (block == 0 && threadIdx.x == 0) args.dsa_cu_seqlens_k[0] = 0;
  for (int64_t tile = part.first; tile < part.last; tile += kDsaTile) {
    const int64_t left = part.last - tile;
    const int64_t count = left < kDsaTile ? left : kDsaTile;
    dsa_clear_tile(shared.sum);
    dsa_for_each_row<kRagged>(args, tile, tile + count, walk, shared.walk, [&](const DsaRow& row) {
      shared.sum.lens[row.row - tile] = dsa_store_row<kMode>(args, row);
    });
    before = dsa_store_sums(count, before, args.dsa_cu_seqlens_k + tile, shared.sum);
  }
}

// ---- table blocks

// `count` neighbours, by `num_lanes` threads of which this is `lane`; the loads of four elements
// are on their way together.
template <typename T, int64_t kWidth>
BYTEGATE_DEVICE void dsa_copy_as(const int32_t* from, int32_t* to, int64_t count, int lane,
                                 int num_lanes) {
  const int64_t stride = num_lanes * kWidth;
  int64_t i = lane * kWidth;
  for (; i + 3 * stride + kWidth <= count; i += 4 * stride) {
    const T a = simt::load_aligned<T>(from + i);
    const T b = simt::load_aligned<T>(from + i + stride);
    const T c = simt::load_aligned<T>(from + i + 2 * stride);
    const T d = simt::load_aligned<T>(from + i + 3 * stride);
    simt::store_aligned(to + i, a);
    simt::store_aligned(to + i + stride, b);
    simt::store_aligned(to + i + 2 * stride, c);
    simt::store_aligned(to + i + 3 * stride, d);
  }
  for (; i + kWidth <= count; i += stride) {
    simt::store_aligned(to + i, simt::load_aligned<T>(from + i));
  }
}

BYTEGATE_DEVICE void dsa_copy(const int32_t* from, int32_t* to, int64_t count, int lane,
                              int num_lanes) {
  constexpr int64_t kWidth = sizeof(int4) / sizeof(int32_t);
  const uintptr_t both = reinterpret_cast<uintptr_t>(from) | reinterpret_cast<uintptr_t>(to);
  const int64_t wide = both % sizeof(int4) == 0 ? count / kWidth * kWidth : 0;
  if (wide > 0) dsa_copy_as<int4, kWidth>(from, to, wide, lane, num_lanes);
  dsa_copy_as<int32_t, 1>(from + wide, to + wide, count - wide, lane, num_lanes);
}

BYTEGATE_DEVICE int32_t dsa_floor_div(int32_t slot, int32_t page_size) {
  const int32_t page = slot / page_size;
  return slot - page * page_size < 0 ? page - 1 : page;
}

// Columns first .. last-1 of one row of both tables.
BYTEGATE_DEVICE void dsa_copy_row(const DsaArgs& args, int64_t row, int64_t pool_row,
                                  const DsaPart& columns, int lane, int num_lanes) {
  const int32_t* slots = args.req_to_token + pool_row * args.req_to_token_row_stride;
  const int64_t column_stride = args.req_to_token_column_stride;
  // All below 2^31, so a page is found with 32 bits.
  const uint32_t page_size = static_cast<uint32_t>(args.page_size);
  int64_t page = (static_cast<uint32_t>(columns.first) + page_size - 1) / page_size + lane;
  const int64_t last_page = args.real_page_table == nullptr
                                ? 0
                                : (static_cast<uint32_t>(columns.last) + page_size - 1) / page_size;
  // Asked for before the copy, so that both wait for memory together.
  const int32_t first_slot = page < last_page ? slots[page * args.page_size * column_stride] : 0;
  if (args.page_table != nullptr) {
    int32_t* to = args.page_table + row * args.page_table_stride;
    if (column_stride == 1) {
      dsa_copy(slots + columns.first, to + columns.first, columns.last - columns.first, lane,
               num_lanes);
    } else {
      for (int64_t c = columns.first + lane; c < columns.last; c += num_lanes) {
        to[c] = slots[c * column_stride];
      }
    }
  }
  if (page >= last_page) return;
  int32_t* to = args.real_page_table + row * args.real_page_table_stride;
  to[page] = dsa_floor_div(first_slot, args.page_size);
  for (page += num_lanes; page < last_page; page += num_lanes) {
    to[page] = dsa_floor_div(slots[page * args.page_size * column_stride], args.page_size);
  }
}

BYTEGATE_DEVICE int64_t dsa_num_columns(const DsaArgs& args, int64_t request) {
  if (!args.live_tail) return args.max_len;
  const int64_t len = static_cast<int32_t>(dsa_cache_len(args, request));
  if (len <= 0) return 0;
  return len < args.max_len ? len : args.max_len;
}

// The request of one row of a unit, or -1. Where extend_seq_lens are to be walked, the block finds
// those of all rows of the unit together, between barriers.
template <bool kRagged>
BYTEGATE_DEVICE int64_t dsa_request_of_row(const DsaArgs& args, int64_t first_row, int row_idx,
                                           DsaWalk& walk, DsaShared& shared) {
  const int64_t row = first_row + row_idx;
  if constexpr (!kRagged) {
    return row < args.num_rows ? dsa_row(args, row).request : -1;
  } else {
    __syncthreads();  // the unit before this one may still be read
    shared.request_of_row[threadIdx.x] = -1;
    __syncthreads();
    const int64_t end = first_row + (kDsaThreads >> args.grid.log2_lanes);
    dsa_for_each_row<true>(args, first_row, end < args.num_rows ? end : args.num_rows, walk,
                           shared.walk, [&](const DsaRow& found) {
                             shared.request_of_row[found.row - first_row] =
                                 static_cast<int32_t>(found.request);
                           });  // the walk ends at a barrier
    return shared.request_of_row[row_idx];
  }
}

// A unit: a chunk of the columns of a few rows, each row by as many neighbouring threads.
template <bool kRagged>
BYTEGATE_DEVICE void dsa_write_unit(const DsaArgs& args, int64_t chunk, int64_t group,
                                    DsaWalk& walk, DsaShared& shared) {
  const int log2_lanes = args.grid.log2_lanes;
  const int thread = static_cast<int>(threadIdx.x);
  const int row_idx = thread >> log2_lanes;
  const int64_t first_row = group * (kDsaThreads >> log2_lanes);
  const int64_t request = dsa_request_of_row<kRagged>(args, first_row, row_idx, walk, shared);
  if (request < 0) return;
  const int64_t pool_row = dsa_pool_row(args, request);
  if (pool_row < 0 || pool_row >= args.num_pool_rows) return;
  const int64_t num_columns = dsa_num_columns(args, request);
  const int64_t first = chunk * args.grid.columns_per_unit;
  const int64_t end = first + args.grid.columns_per_unit;
  const DsaPart columns = {first, end < num_columns ? end : num_columns};
  if (columns.first >= columns.last) return;
  const int num_lanes = 1 << log2_lanes;
  dsa_copy_row(args, first_row + row_idx, pool_row, columns, thread & (num_lanes - 1), num_lanes);
}

template <DsaMode kMode, bool kRagged>
BYTEGATE_DEVICE void dsa_metadata_fused(const DsaArgs& args, DsaShared& shared) {
  int64_t block = blockIdx.x;
  if (block < args.grid.num_request_blocks) {
    dsa_write_requests(args, block, shared.sum);
    return;
  }
  block -= args.grid.num_request_blocks;
  if (block < args.grid.num_row_blocks) {
    dsa_write_rows<kMode, kRagged>(args, block, shared);
    return;
  }
  block -= args.grid.num_row_blocks;
  // Neighbouring units, so that a walk over the requests goes on where it was.
  const int64_t per_block = args.grid.units_per_block;
  const int64_t end = (block + 1) * per_block;
  const bool one_chunk = args.grid.num_units == args.grid.num_row_groups;
  DsaWalk walk;
  for (int64_t unit = block * per_block; unit < end && unit < args.grid.num_units; ++unit) {
    const int64_t chunk = one_chunk ? 0 : unit / args.grid.num_row_groups;
    const int64_t group = unit - chunk * args.grid.num_row_groups;
    dsa_write_unit<kRagged>(args, chunk, group, walk, shared);
  }
}

}  // namespace bytegate
