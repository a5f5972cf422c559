#include "properties/dsa_values.h"

#include <algorithm>
#include <array>
#include <span>

namespace bytegate {
namespace {

int64_t draw_any_len(int64_t typical, Draw& draw) {
  switch (draw.between(0, 9)) {
    case 0:  // padding rows
      return draw.between(0, 1);
    case 1:
      return draw.between(-3, 8);
    case 2:  // around the width of the table
      return typical + draw.between(-2, 2);
    case 3:  // around a multiple of a split, as the schedule counts
      return draw.between(0, 40) * 256 + draw.between(-1, 1);
    case 4:
      return INT32_MAX - draw.between(0, 5);
    case 5:
      return INT32_MIN + draw.between(0, 5);
    case 6: {  // around a power of two
      const int64_t power = int64_t{1} << draw.between(0, 31);
      return power + draw.between(-1, 1);
    }
    case 7:
      return draw.log_uniform(INT32_MAX);
    default:
      return draw.between(0, std::max<int64_t>(typical, 1));
  }
}

}  // namespace

int64_t draw_seq_len(const DsaLengthLimits& limits, Draw& draw) {
  const int64_t len = std::clamp(draw_any_len(limits.typical, draw), limits.low, limits.high);
  if (!limits.wide) return std::clamp<int64_t>(len, INT32_MIN, INT32_MAX);
  const int64_t cut = static_cast<int32_t>(static_cast<uint32_t>(len));
  // The same low 32 bits under other high ones.
  if (draw.one_in(3)) return cut + draw.between(-3, 3) * (int64_t{1} << 32);
  if (draw.one_in(16)) return cut + draw.between(INT32_MIN + 1, INT32_MAX - 1) * (int64_t{1} << 32);
  return cut;
}

std::vector<int64_t> draw_seq_lens(int64_t num_requests, const DsaLengthLimits& limits,
                                   Draw& draw) {
  std::vector<int64_t> lens(static_cast<size_t>(num_requests));
  const int64_t kind = draw.between(0, 7);
  if (kind == 0) {
    std::fill(lens.begin(), lens.end(), draw_seq_len(limits, draw));
  } else if (kind <= 2) {  // an ordinary batch
    const int64_t low = std::max<int64_t>(limits.low, 0);
    const int64_t high = std::min(std::max(limits.typical, low + 1), limits.high);
    for (int64_t& len : lens) len = draw.between(std::min(low, high), high);
  } else {
    for (int64_t& len : lens) len = draw_seq_len(limits, draw);
  }
  return lens;
}

std::vector<int64_t> draw_extend_lens(int64_t num_requests, int64_t max_rows, Draw& draw) {
  std::vector<int64_t> lens(static_cast<size_t>(num_requests));
  const int64_t kind = draw.between(0, 5);
  const int64_t all = draw.between(0, 5);
  for (int64_t& len : lens) {
    if (kind == 0) len = all;
    if (kind == 1) len = draw.one_in(8) ? draw.between(1, 40) : 0;
    if (kind >= 2) len = draw.between(0, 5);
  }
  // One that owns most rows.
  if (num_requests > 0 && draw.one_in(6)) {
    lens[static_cast<size_t>(draw.between(0, num_requests - 1))] = draw.log_uniform(max_rows);
  }
  int64_t sum = 0;
  for (int64_t& len : lens) {
    len = std::min(len, max_rows - sum);
    sum += len;
  }
  return lens;
}

std::vector<int64_t> shuffle_extend_lens(std::vector<int64_t> lens, Draw& draw) {
  const int64_t count = static_cast<int64_t>(lens.size());
  for (int64_t i = count - 1; i > 0; --i) {
    std::swap(lens[static_cast<size_t>(i)], lens[static_cast<size_t>(draw.between(0, i))]);
  }
  // Move some rows between neighbours.
  for (size_t i = 0; i + 1 < lens.size(); ++i) {
    const int64_t moved = draw.between(0, lens[i]);
    if (!draw.one_in(3)) continue;
    lens[i] -= moved;
    lens[i + 1] += moved;
  }
  return lens;
}

std::vector<int64_t> draw_pool_rows(int64_t num_requests, int64_t num_pool_rows, Draw& draw) {
  std::vector<int64_t> rows(static_cast<size_t>(num_requests));
  const int64_t kind = draw.between(0, 4);
  for (int64_t b = 0; b < num_requests; ++b) {
    int64_t& row = rows[static_cast<size_t>(b)];
    switch (kind) {
      case 0:  // in order
        row = b % num_pool_rows;
        break;
      case 1:  // backwards
        row = num_pool_rows - 1 - b % num_pool_rows;
        break;
      case 2:  // few rows, so that they repeat; padding rows sit in row 0
        row = draw.between(0, std::min<int64_t>(num_pool_rows - 1, 2));
        break;
      default:
        row = draw.between(0, num_pool_rows - 1);
        break;
    }
  }
  return rows;
}

std::vector<int32_t> draw_slots(int64_t num_rows, int64_t num_columns, int64_t page_size,
                                Draw& draw) {
  std::vector<int32_t> slots(static_cast<size_t>(num_rows * num_columns));
  const int64_t kind = draw.between(0, 4);
  const int64_t num_pages = std::max<int64_t>(1, INT32_MAX / page_size);
  size_t next = 0;
  for (int64_t row = 0; row < num_rows; ++row) {
    // Rows live up to here, the rest is unused.
    const int64_t live = draw.between(0, num_columns);
    int64_t page = 0;
    for (int64_t column = 0; column < num_columns; ++column) {
      if (column % page_size == 0) page = draw.between(0, std::min<int64_t>(num_pages, 4096) - 1);
      int64_t slot = page * page_size + column % page_size;
      if (kind == 1 && column >= live) slot = -1;
      if (kind == 2 && column >= live) slot = 0;
      if (kind == 3) slot = draw.between(INT32_MIN, INT32_MAX);
      if (kind == 4 && draw.one_in(3)) slot = draw.between(-3 * page_size, -1);
      slots[next++] = static_cast<int32_t>(std::clamp<int64_t>(slot, INT32_MIN, INT32_MAX));
    }
  }
  return slots;
}

}  // namespace bytegate
