// Which request owns which rows: one division where every request has as many, else a walk over
// extend_seq_lens by the whole block.
#pragma once

#include <cstdint>

#include "kernels/dsa_metadata.h"
#include "kernels/simt/block_scan.h"
#include "kernels/simt/cuda_names.h"

namespace bytegate {

constexpr int kDsaRequestsPerThread = static_cast<int>(kDsaWindow / kDsaThreads);

struct DsaRowWalkShared {
  int64_t first_row[kDsaWindow];
  simt::BlockScan<int64_t, kDsaThreads>::TempStorage scan;
};

struct DsaRow {
  int64_t row;      // e
  int64_t request;  // b
  int32_t j;
  int32_t num_rows;  // of the request
};

// How far a block has walked; the same in all of its threads.
struct DsaWalk {
  int64_t window = 0;  // first request of the window
  int64_t before = 0;  // rows before it
};

BYTEGATE_DEVICE int64_t dsa_extend_len(const DsaArgs& args, int64_t request) {
  const int32_t len = args.extend_seq_lens[request * args.extend_stride];
  return len > 0 ? len : 0;
}

// Rows before each request of the window that begins at `first_request`, which begins at row
// `before`; returns the row after the window. Ends at a barrier.
BYTEGATE_DEVICE int64_t dsa_load_window(const DsaArgs& args, int64_t first_request, int64_t before,
                                        DsaRowWalkShared& shared) {
  const int first = static_cast<int>(threadIdx.x) * kDsaRequestsPerThread;
  int64_t lens[kDsaRequestsPerThread];
  int64_t sum = 0;
  for (int i = 0; i < kDsaRequestsPerThread; ++i) {
    const int64_t request = first_request + first + i;
    lens[i] = request < args.num_requests ? dsa_extend_len(args, request) : 0;
    sum += lens[i];
  }
  int64_t row = 0;
  int64_t total = 0;
  simt::BlockScan<int64_t, kDsaThreads>(shared.scan).ExclusiveSum(sum, row, total);
  row += before;
  for (int i = 0; i < kDsaRequestsPerThread; ++i) {
    shared.first_row[first + i] = row;
    row += lens[i];
  }
  __syncthreads();
  return before + total;
}

// The last request of the window that begins at or before the row: of those that begin at the same
// row, the one that is not empty.
BYTEGATE_DEVICE int dsa_find_request(const DsaRowWalkShared& shared, int64_t row) {
  int owner = 0;
  for (int step = static_cast<int>(kDsaWindow) / 2; step > 0; step /= 2) {
    if (shared.first_row[owner + step] <= row) owner += step;
  }
  return owner;
}

BYTEGATE_DEVICE DsaRow dsa_row(const DsaArgs& args, int64_t row) {
  const uint32_t per_request = static_cast<uint32_t>(args.rows_per_request);
  const uint32_t request = static_cast<uint32_t>(row) / per_request;
  const uint32_t j = static_cast<uint32_t>(row) - request * per_request;
  return {row, int64_t{request}, static_cast<int32_t>(j), args.rows_per_request};
}

// Calls visit(DsaRow) for every row of first .. last-1, each in one thread of the block. Rows that
// extend_seq_lens do not reach are left out. All threads of the block take part. The walk goes on
// where it was, so that blocks that take rows in ascending order pass each request once.
template <bool kRagged, typename Visit>
BYTEGATE_DEVICE void dsa_for_each_row(const DsaArgs& args, int64_t first, int64_t last,
                                      DsaWalk& walk, DsaRowWalkShared& shared, Visit&& visit) {
  const int thread = static_cast<int>(threadIdx.x);
  if constexpr (!kRagged) {
    for (int64_t row = first + thread; row < last; row += kDsaThreads) visit(dsa_row(args, row));
  } else {
    if (first < walk.before) walk = DsaWalk{};
    while (walk.window < args.num_requests && walk.before < last) {
      const int64_t after = dsa_load_window(args, walk.window, walk.before, shared);
      const int64_t begin = first > walk.before ? first : walk.before;
      const int64_t end = last < after ? last : after;
      for (int64_t row = begin + thread; row < end; row += kDsaThreads) {
        const int owner = dsa_find_request(shared, row);
        const int64_t request = walk.window + owner;
        visit(DsaRow{row, request, static_cast<int32_t>(row - shared.first_row[owner]),
                     static_cast<int32_t>(dsa_extend_len(args, request))});
      }
      __syncthreads();           // the next window reuses the storage
      if (after > last) return;  // this window has rows for whoever goes on
      walk.window += kDsaWindow;
      walk.before = after;
    }
  }
}

}  // namespace bytegate
