// The plain way: one warp sums up, then one lane walks the rows and writes SM after SM. What the
// three production paths replaced, and what their speed is compared with.
#pragma once

#include <cstdint>

#include "kernels/paged_mqa_metadata.h"
#include "kernels/simt/cuda_names.h"

namespace bytegate {

constexpr int kBaselineThreads = 32;

struct PagedMqaBaselineShared {
  int64_t lane_sums[kBaselineThreads];
};

BYTEGATE_DEVICE int64_t baseline_row_splits(const PagedMqaMetadataArgs& args, int64_t row) {
  return (int64_t{static_cast<uint32_t>(args.context_lens[row])} + kSplitKv - 1) / kSplitKv;
}

BYTEGATE_DEVICE void paged_mqa_metadata_baseline(const PagedMqaMetadataArgs& args,
                                                 PagedMqaBaselineShared& shared) {
  const int lane = static_cast<int>(threadIdx.x);
  int64_t sum = 0;
  for (int64_t row = lane; row < args.num_rows; row += kBaselineThreads) {
    sum += baseline_row_splits(args, row);
  }
  shared.lane_sums[lane] = sum;
  __syncthreads();
  if (lane != 0) return;
  int64_t total = 0;
  for (const int64_t lane_sum : shared.lane_sums) total += lane_sum;
  const int64_t share = total / args.num_sm;
  const int64_t rest = total - share * args.num_sm;
  int64_t row = 0;
  int64_t before = 0;  // splits of the rows before `row`
  for (int64_t sm = 0; sm <= args.num_sm; ++sm) {
    int64_t larger = sm < rest ? sm : rest;
    if (args.remainder == Remainder::kLast) {
      const int64_t pivot = args.num_sm - rest;
      larger = sm > pivot ? sm - pivot : 0;
    }
    const int64_t start = sm * share + larger;
    while (row < args.num_rows) {
      const int64_t splits = baseline_row_splits(args, row);
      if (before + splits > start) break;
      before += splits;
      ++row;
    }
    args.schedule_metadata[2 * sm] = static_cast<int32_t>(row);
    args.schedule_metadata[2 * sm + 1] =
        row < args.num_rows ? static_cast<int32_t>(start - before) : 0;
  }
}

}  // namespace bytegate
