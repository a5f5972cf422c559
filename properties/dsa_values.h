// Random values of the DSA metadata operations' inputs.
#pragma once

#include <cstdint>
#include <vector>

#include "properties/draw.h"

namespace bytegate {

// What the lengths of a case must keep to.
struct DsaLengthLimits {
  bool wide = false;    // int64
  int64_t typical = 0;  // columns of the table: what lengths are near to
  // Where a length ends up after it is cut to int32; low <= high.
  int64_t low = INT32_MIN;
  int64_t high = INT32_MAX;
};

// All of a batch: ordinary, of padding rows (0 or 1), with negative ones, at an edge of int32 or
// beyond, or all equal.
std::vector<int64_t> draw_seq_lens(int64_t num_requests, const DsaLengthLimits& limits, Draw& draw);

// Row lengths of a case; those of one without a row are the initial values.
struct DsaRowLens {
  int32_t shortest = INT32_MAX;
  int32_t longest = INT32_MIN;
  int32_t any = 0;
};
// A topk that cuts each row, some, or none, or that is nearly some row's length; 2048 in practice.
int64_t draw_topk(const DsaRowLens& lens, int64_t typical, Draw& draw);

// Rows of each request, adding up to at most `max_rows`.
std::vector<int64_t> draw_extend_lens(int64_t num_requests, int64_t max_rows, Draw& draw);
// Other lengths with the same sum.
std::vector<int64_t> shuffle_extend_lens(std::vector<int64_t> lens, Draw& draw);

// Rows of the request pool, with or without repeats; num_pool_rows > 0 unless there is no request.
std::vector<int64_t> draw_pool_rows(int64_t num_requests, int64_t num_pool_rows, Draw& draw);

// Token slots of a [rows, columns] table: whole pages, unused (negative) ones, anything.
std::vector<int32_t> draw_slots(int64_t num_rows, int64_t num_columns, int64_t page_size,
                                Draw& draw);

}  // namespace bytegate
