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

// What a batch is known by.
enum class BatchOfLens : uint8_t { kOrdinary, kPadding, kNegative, kEdge, kAny };

BatchOfLens draw_batch_of_lens(Draw& draw) {
  constexpr std::array<BatchOfLens, 8> kKinds = {
      BatchOfLens::kOrdinary, BatchOfLens::kOrdinary, BatchOfLens::kPadding, BatchOfLens::kNegative,
      BatchOfLens::kEdge,     BatchOfLens::kEdge,     BatchOfLens::kAny,     BatchOfLens::kAny};
  return draw.among(std::span<const BatchOfLens>(kKinds));
}

int64_t draw_len_of(BatchOfLens kind, int64_t typical, Draw& draw) {
  switch (kind) {
    case BatchOfLens::kOrdinary:
      return draw.between(0, std::max<int64_t>(typical, 1));
    case BatchOfLens::kPadding:
      return draw.between(0, 1);
    case BatchOfLens::kNegative:
      return draw.one_in(2) ? draw.between(-3, -1) : INT32_MIN + draw.between(0, 5);
    case BatchOfLens::kEdge:
      return INT32_MAX - (draw.one_in(2) ? draw.between(0, 5) : draw.between(0, 300));
    default:
      return draw_any_len(typical, draw);
  }
}

// At the edges of int32 and of pages on both sides of 0.
int64_t draw_extreme_slot(int64_t page_size, Draw& draw) {
  const std::array<int64_t, 8> extremes = {INT32_MIN,     INT32_MIN + 1,  INT32_MAX,
                                           INT32_MAX - 1, -page_size - 1, -page_size,
                                           page_size - 1, page_size};
  return draw.among(std::span<const int64_t>(extremes));
}

}  // namespace

std::vector<int64_t> draw_seq_lens(int64_t num_requests, const DsaLengthLimits& limits,
                                   Draw& draw) {
  std::vector<int64_t> lens(static_cast<size_t>(num_requests));
  const BatchOfLens kind = draw_batch_of_lens(draw);
  const bool all_equal = draw.one_in(8);
  const int64_t rest = draw.between(0, 3);
  const int64_t edge_idx = draw.between(0, std::max<int64_t>(num_requests - 1, 0));
  for (int64_t b = 0; b < num_requests; ++b) {
    // One of the kind at least, among ordinary ones.
    const bool of_kind = b == edge_idx || rest < 2 || draw.one_in(4);
    const int64_t len = of_kind || kind == BatchOfLens::kPadding
                            ? draw_len_of(kind, limits.typical, draw)
                            : draw_len_of(BatchOfLens::kOrdinary, limits.typical, draw);
    lens[static_cast<size_t>(b)] = std::clamp(len, limits.low, limits.high);
  }
  if (all_equal && num_requests > 0) {
    std::fill(lens.begin(), lens.end(), lens[static_cast<size_t>(edge_idx)]);
  }
  // The same low 32 bits under other high ones.
  if (limits.wide && draw.one_in(3)) {
    for (int64_t b = 0; b < num_requests; ++b) {
      if (b != edge_idx && !draw.one_in(3)) continue;
      const int64_t high = draw.one_in(16) ? draw.between(INT32_MIN + 1, INT32_MAX - 1)
                                           : draw.between(1, 3) * (draw.one_in(2) ? 1 : -1);
      lens[static_cast<size_t>(b)] += high * (int64_t{1} << 32);
    }
  }
  return lens;
}

int64_t draw_topk(const DsaRowLens& lens, int64_t typical, Draw& draw) {
  const auto topk = [](int64_t value) { return std::clamp<int64_t>(value, 1, INT32_MAX); };
  switch (draw.between(0, 9)) {
    case 0:
      return draw.between(1, 4);
    case 1:
    case 2:  // each row is longer
      return topk(int64_t{lens.shortest} - (draw.one_in(2) ? 1 : draw.between(1, 300)));
    case 3:
    case 4:  // some are
      return topk(
          draw.between(lens.shortest, std::max(int64_t{lens.shortest}, int64_t{lens.longest} - 1)));
    case 5:  // none is
      return topk(lens.longest + draw.between(0, 1));
    case 6:
      return topk(lens.any + draw.between(-1, 1));
    case 7:
      return topk(draw.one_in(2) ? typical + draw.between(-2, 2) : INT32_MAX - draw.between(0, 1));
    default:
      return 2048;
  }
}

std::vector<int64_t> draw_extend_lens(int64_t num_requests, int64_t max_rows, Draw& draw) {
  std::vector<int64_t> lens(static_cast<size_t>(num_requests));
  const int64_t kind = draw.between(0, 7);
  const int64_t all = draw.between(0, 5);
  for (int64_t& len : lens) {
    if (kind == 0) len = all;
    if (kind == 1) len = draw.one_in(8) ? draw.between(1, 40) : 0;
    if (kind == 2) len = draw.between(0, 2);
    if (kind == 3) len = draw.between(1, 2);
    if (kind == 4) len = draw.between(1, 5);
    if (kind >= 5) len = draw.between(0, 5);
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
  enum : int { kWhole, kUnused, kPadded, kNegative, kExtreme, kAny };
  constexpr std::array<int, 10> kKinds = {kWhole,    kWhole,    kUnused,  kUnused,  kPadded,
                                          kNegative, kNegative, kExtreme, kExtreme, kAny};
  const int kind = draw.among(std::span<const int>(kKinds));
  const int64_t num_pages = std::max<int64_t>(1, INT32_MAX / page_size);
  size_t next = 0;
  for (int64_t row = 0; row < num_rows; ++row) {
    // Rows live up to here, the rest is unused.
    const int64_t live = draw.one_in(3) ? 0 : draw.between(0, num_columns);
    int64_t page = 0;
    for (int64_t column = 0; column < num_columns; ++column) {
      if (column % page_size == 0) page = draw.between(0, std::min<int64_t>(num_pages, 4096) - 1);
      int64_t slot = page * page_size + column % page_size;
      if (kind == kUnused && column >= live) slot = -1;
      if (kind == kPadded && column >= live) slot = 0;
      if (kind == kNegative && draw.one_in(3)) slot = draw.between(-3 * page_size, -1);
      if (kind == kExtreme) slot = draw_extreme_slot(page_size, draw);
      if (kind == kAny) slot = draw.between(INT32_MIN, INT32_MAX);
      slots[next++] = static_cast<int32_t>(std::clamp<int64_t>(slot, INT32_MIN, INT32_MAX));
    }
  }
  return slots;
}

}  // namespace bytegate
