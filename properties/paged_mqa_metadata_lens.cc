#include "properties/paged_mqa_metadata_lens.h"

#include <algorithm>
#include <array>
#include <span>

#include "oracles/paged_mqa_metadata_contract.h"

namespace bytegate {
namespace {

using Lens = std::vector<int32_t>;

constexpr int64_t kMaxSplitsOfRow = (int64_t{1} << 31) / kSplitKv;

int64_t splits(int32_t len) {
  return (int64_t{len} + kSplitKv - 1) / kSplitKv;
}

int64_t splits(const Lens& lens) {
  int64_t total = 0;
  for (const int32_t len : lens) total += splits(len);
  return total;
}

// Any length of so many splits.
int32_t len_of(int64_t num_splits, Draw& draw) {
  if (num_splits == 0) return 0;
  const int64_t longest = std::min<int64_t>(num_splits * kSplitKv, INT32_MAX);
  return static_cast<int32_t>(
      draw.one_in(2) ? longest : draw.between((num_splits - 1) * kSplitKv + 1, longest));
}

int32_t cut(int64_t len) {
  return static_cast<int32_t>(std::clamp<int64_t>(len, 0, INT32_MAX));
}

int32_t draw_len(Draw& draw) {
  switch (draw.between(0, 7)) {
    case 0:
      return 0;
    case 1:
      return cut(draw.between(0, 3));
    case 2:  // around a multiple of a split
      return cut(draw.between(0, 64) * kSplitKv + draw.between(-1, 1));
    case 3:  // around a multiple of a split, anywhere
      return cut(draw.between(0, INT32_MAX / kSplitKv) * kSplitKv + draw.between(-1, 1));
    case 4:  // around a power of two
      return cut((int64_t{1} << draw.between(0, 31)) + draw.between(-1, 1));
    case 5:
      return cut(INT32_MAX - draw.between(0, 300));
    case 6:
      return cut(draw.log_uniform(INT32_MAX));
    default:
      return cut(draw.between(1, 32768));
  }
}

int32_t draw_positive_len(Draw& draw) {
  return std::max(draw_len(draw), 1);
}

// Lengths of which none is 0, and none most of all.
void fill_positive(Lens& lens, Draw& draw) {
  if (draw.one_in(2)) {  // a serving batch
    for (int32_t& len : lens) len = cut(draw.between(1, 32768));
  } else {
    for (int32_t& len : lens) len = draw_positive_len(draw);
  }
}

void fill_ramp(Lens& lens, Draw& draw) {
  const int64_t step = draw.between(1, 300);
  const int64_t first = draw.one_in(2) ? 0 : draw_len(draw);
  for (size_t i = 0; i < lens.size(); ++i) lens[i] = cut(first + static_cast<int64_t>(i) * step);
  if (draw.one_in(3)) std::reverse(lens.begin(), lens.end());
}

void fill_sawtooth(Lens& lens, Draw& draw) {
  const int64_t num_rows = static_cast<int64_t>(lens.size());
  const int64_t period = draw.between(2, std::clamp<int64_t>(num_rows / 2, 2, 64));
  const int64_t step = draw.between(1, 600);
  const int64_t first = draw.one_in(2) ? draw.between(0, 1) : draw.between(0, 1 << 20);
  for (int64_t i = 0; i < num_rows; ++i) {
    lens[static_cast<size_t>(i)] = cut(first + i % period * step);
  }
}

// One that has most splits of all.
void fill_giant(Lens& lens, Draw& draw) {
  if (lens.empty()) return;
  const int64_t most = draw.one_in(2) ? 0 : kSplitKv;
  for (int32_t& len : lens) len = cut(draw.between(0, most));
  const int64_t num_rows = static_cast<int64_t>(lens.size());
  const int64_t place = draw.one_in(4) ? num_rows - 1 : draw.between(0, num_rows - 1);
  const int64_t least = most > 0 ? (num_rows + 1) * kSplitKv : 1;
  lens[static_cast<size_t>(place)] =
      draw.one_in(2) ? cut(INT32_MAX - draw.between(0, 300)) : cut(least + draw_len(draw));
}

// Runs of zeros between lengths.
void fill_zero_runs(Lens& lens, Draw& draw) {
  const int64_t num_rows = static_cast<int64_t>(lens.size());
  int64_t i = draw.one_in(2) ? 0 : draw.log_uniform(num_rows);
  while (i < num_rows) {
    for (int64_t run = draw.between(1, 3); run > 0 && i < num_rows; --run) {
      lens[static_cast<size_t>(i++)] = draw_len(draw);
    }
    i += draw.log_uniform(num_rows);
  }
}

// Zeros at some place, each by itself.
void fill_lone_zeros(Lens& lens, Draw& draw) {
  fill_positive(lens, draw);
  const int64_t num_rows = static_cast<int64_t>(lens.size());
  if (num_rows == 0) return;
  const int64_t kind = draw.between(0, 2);
  if (kind == 0) lens.front() = 0;
  if (kind == 1) lens.back() = 0;
  if (kind == 2 && num_rows > 2) {
    lens[static_cast<size_t>(draw.between(1, num_rows - 2))] = 0;
    if (draw.one_in(2)) lens[static_cast<size_t>(draw.between(0, 1) * (num_rows - 1))] = 0;
  }
}

// Adds splits to one row, or takes them from it, so that `remainder` of them are left over.
void aim_remainder(Lens& lens, int64_t num_sm, int64_t remainder, Draw& draw) {
  const int64_t total = splits(lens);
  const int64_t more = (remainder - total % num_sm + num_sm) % num_sm;
  int32_t& len =
      draw.one_in(2)
          ? lens.back()
          : lens[static_cast<size_t>(draw.between(0, static_cast<int64_t>(lens.size()) - 1))];
  int64_t wanted = splits(len) + more;
  if (total + more < num_sm) wanted += num_sm;
  if (wanted > kMaxSplitsOfRow) wanted -= num_sm;
  if (wanted != splits(len)) len = len_of(wanted, draw);
}

// Changes the last rows so that the total is what is wanted, where that is possible.
void aim_total(Lens& lens, int64_t wanted, Draw& draw) {
  int64_t total = splits(lens);
  for (auto len = lens.rbegin(); len != lens.rend() && total != wanted; ++len) {
    const int64_t now = splits(*len);
    const int64_t next = std::clamp<int64_t>(now + wanted - total, 0, kMaxSplitsOfRow);
    *len = len_of(next, draw);
    total += next - now;
  }
}

// So few splits that multiprocessors stay idle: in one row, or in several.
void spread_few(Lens& lens, int64_t num_splits, Draw& draw) {
  const int64_t num_rows = static_cast<int64_t>(lens.size());
  std::fill(lens.begin(), lens.end(), 0);
  while (num_splits > 0) {
    const int64_t place = draw.between(0, num_rows - 1);
    int32_t& len = lens[static_cast<size_t>(place)];
    const int64_t part =
        draw.one_in(4) ? num_splits : draw.between(1, std::min<int64_t>(num_splits, 3));
    len = len_of(splits(len) + part, draw);
    num_splits -= part;
  }
}

}  // namespace

void draw_context_lens(Lens& lens, Draw& draw) {
  std::fill(lens.begin(), lens.end(), 0);
  switch (draw.between(0, 23)) {
    case 0:  // nothing to do
      return;
    case 1:
    case 2:
      std::fill(lens.begin(), lens.end(), draw_len(draw));
      return;
    case 3:  // the longest there are
      std::fill(lens.begin(), lens.end(), INT32_MAX);
      return;
    case 4:
    case 5:
      return fill_ramp(lens, draw);
    case 6:
    case 7:
      return fill_sawtooth(lens, draw);
    case 8:
    case 9:
      return fill_giant(lens, draw);
    case 10:
    case 11:
      return fill_zero_runs(lens, draw);
    case 12:
    case 13:
    case 14:
    case 15:
    case 16:
    case 17:
      return fill_lone_zeros(lens, draw);
    case 18:
    case 19: {  // a few values, so that rows tie
      constexpr std::array<int32_t, 6> kFew = {0, 1, 255, 256, 257, 512};
      const auto some = std::span<const int32_t>(kFew).subspan(draw.one_in(4) ? 0 : 1);
      for (int32_t& len : lens) len = draw.among(some);
      return;
    }
    case 20:
    case 21:
      for (int32_t& len : lens) len = draw_len(draw);
      return;
    default:
      return fill_positive(lens, draw);
  }
}

void aim_num_splits(Lens& lens, int64_t num_sm, Draw& draw) {
  if (lens.empty()) return;
  constexpr int kFirstPower = 31;
  const int64_t most = static_cast<int64_t>(lens.size()) * kMaxSplitsOfRow;
  int64_t num_powers = 0;
  while (num_powers < 3 && most >= (int64_t{1} << (kFirstPower + num_powers)) - 1) ++num_powers;
  const int64_t kind = draw.between(0, 4 + num_powers);
  if (kind > 4) {
    const int64_t power = int64_t{1} << (kFirstPower + kind - 5);
    return aim_total(lens, std::min(power + draw.between(-1, 1), most), draw);
  }
  if (kind == 0) return std::fill(lens.begin(), lens.end(), 0);
  if (kind == 1 && num_sm > 1) {
    return spread_few(lens, draw.one_in(3) ? num_sm - 1 : draw.between(1, num_sm - 1), draw);
  }
  // One short of even, even, one over.
  const int64_t step = kind - 3;
  if (draw.one_in(4)) {
    return aim_total(lens, std::max<int64_t>(0, draw.between(1, 40) * num_sm + step), draw);
  }
  aim_remainder(lens, num_sm, (num_sm + step) % num_sm, draw);
}

}  // namespace bytegate
