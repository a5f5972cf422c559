// Candidates for the DSA metadata operations (`metadata` alone, no `precompute` and no `refresh`):
// a plain right one, and one for each way to be wrong. They check nothing: calls outside the
// contract are not for them.
#pragma once

#include <cstdint>

#include "kernels/candidate.h"

namespace bytegate {

enum class DsaFlaw : uint8_t {
  kNone,
  // ---- lengths
  kReadsLensAsInt32,    // seq_lens of int64 read as if they were int32
  kClampsCacheLens,     // cache_seqlens raised to expanded_min, too
  kCountsRowsFromZero,  // x[e] without its + 1
  kExtendOfFirst,       // every request has the rows of the first
  kForgetsExpandedMin,  // x[e] as it comes
  kUnsignedTopk,        // a negative x[e] is taken for a large one
  kCutsLensLast,        // an int64 length meets expanded_min and topk before it is cut to int32
  kCtxLensOfRow,        // paged_mqa_ctx_lens[b, j] = seq + j + 1
  // ---- sums
  kSums1024Requests,  // one block of 1024: later entries of cu_seqlens_k stay unwritten
  kSums1024Rows,      // the same of dsa_cu_seqlens_k
  kSumsTopkLens,      // cu_seqlens_k sums lengths cut by topk
  // ---- tables
  kPoolRowOfRow,         // the pool index of row e (modulo B) instead of its request's
  kNarrowSlotsOffset,    // row offset into req_to_token in 32 bits
  kNarrowTableOffset,    // row offset into page_table in 32 bits
  kNarrowPagesOffset,    // row offset into real_page_table in 32 bits
  kLeavesLastColumn,     // of page_table
  kWritesColumnTooMany,  // of page_table
  kWritesPageTooMany,    // a column too many of real_page_table
  kFillsWholeWidth,      // zeros behind what page_table has to hold
  kWholePagesOnly,       // the last page is left out where max_len begins but does not fill it
  kTruncatesPages,       // a negative slot divides towards zero
  kNumFlaws,
};

const bytegate_candidate& dsa_candidate(DsaFlaw flaw);

}  // namespace bytegate
