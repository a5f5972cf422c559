#include "properties/paged_mqa_metadata_classes.h"

#include <algorithm>
#include <array>
#include <span>

#include "oracles/paged_mqa_metadata.h"

namespace bytegate {
namespace {

using Lens = std::span<const int32_t>;

// Of each axis a case has one class, the first that fits; the flags behind the axes are free.
enum Class : int {
  // rows
  kNoRow,
  kOneRow,
  kBelowWarpRows,
  kWarpEdgeRows,
  kTinyRows,
  kTinyEdgeRows,
  kSmallRows,
  kBlockEdgeRows,
  kSmallEdgeRows,
  kOneTileRows,
  kTileEdgeRows,
  kTilesRows,
  kManyRows,
  // num_sm
  kOneSm,
  kBelowWarpSms,
  kWarpEdgeSms,
  kRealSms,
  kBlockEdgeSms,
  kMostSms,
  kOtherSms,
  // total
  kNoSplit,
  kAround31Bits,
  kAround32Bits,
  kAround33Bits,
  kFewerThanSms,
  kEven,
  kOneShort,
  kOneOver,
  kUneven,
  // shape
  kNoLen,
  kAllZero,
  kEqual,
  kSawtooth,
  kRamp,
  kGiant,
  kZeroRuns,
  kZeroFirst,
  kZeroLast,
  kZeroInside,
  kFewLens,
  kMixed,
  // flags
  kAnyZeroFirst,
  kAnyZeroInside,
  kAnyZeroLast,
  kLongestRow,
  kShortOfSplit,
  kWholeSplits,
  kOverSplit,
  kNoWorkInWarps,
  kBeyond31Bits,
  kBeyond32Bits,
  kBeyond131072Rows,
  kForcedPath,
  kFirstRemainder,
  kNumClasses,
};

constexpr std::array<std::string_view, kNumClasses> kNames = {
    "no row",
    "1 row",
    "2 to 30 rows",
    "31 to 33 rows",
    "34 to 62 rows",
    "63 to 65 rows",
    "66 to 2046 rows",
    "rows at the edge of a block",
    "2047 to 2049 rows",
    "2050 to 4094 rows",
    "rows at the edge of a tile",
    "rows of up to three tiles",
    "more rows than three tiles",
    "1 SM",
    "2 to 30 SMs",
    "31 to 33 SMs",
    "SMs of a GPU that serves",
    "SMs at the edge of a block",
    "1024 SMs",
    "SMs between",
    "no split",
    "splits around 2^31",
    "splits around 2^32",
    "splits around 2^33",
    "fewer splits than SMs",
    "even shares",
    "one split short of even",
    "one split over even",
    "uneven shares",
    "no length",
    "all lengths zero",
    "equal lengths",
    "sawtooth",
    "ramp",
    "one row of most splits",
    "zeros side by side",
    "lone zero first",
    "lone zero last",
    "lone zero inside",
    "few different lengths",
    "mixed lengths",
    "zero row first",
    "zero row inside",
    "zero row last",
    "row of 2^31-1 tokens",
    "row one token short of a split",
    "row of whole splits",
    "row one token over a split",
    "no work in a multiple of 32 rows",
    "total beyond 31 bits",
    "total beyond 32 bits",
    "more than 131072 rows",
    "forced path",
    "first remainder",
};

// Dispatch thresholds and tile of the contract's text, stated once more.
constexpr int64_t kTile = 4096;
constexpr int64_t kMaxSplitsOfRow = (int64_t{1} << 31) / kSplitKv;

bool is_beside(int64_t value, int64_t edge) {
  return value >= edge - 1 && value <= edge + 1;
}

bool is_block_edge(int64_t value) {
  return is_beside(value, 128) || is_beside(value, 256) || is_beside(value, 512) ||
         is_beside(value, 1024);
}

Class rows_class(int64_t num_rows) {
  if (num_rows == 0) return kNoRow;
  if (num_rows == 1) return kOneRow;
  if (num_rows <= 30) return kBelowWarpRows;
  if (num_rows <= 33) return kWarpEdgeRows;
  if (num_rows <= 62) return kTinyRows;
  if (num_rows <= 65) return kTinyEdgeRows;
  if (is_block_edge(num_rows)) return kBlockEdgeRows;
  if (num_rows <= 2046) return kSmallRows;
  if (num_rows <= 2049) return kSmallEdgeRows;
  if (num_rows <= kTile - 2) return kOneTileRows;
  if (num_rows > 3 * kTile + 1) return kManyRows;
  return (num_rows + 1) % kTile <= 2 ? kTileEdgeRows : kTilesRows;
}

Class num_sm_class(int64_t num_sm) {
  constexpr std::array<int64_t, 7> kReal = {48, 78, 108, 114, 132, 148, 152};
  if (num_sm == 1) return kOneSm;
  if (num_sm <= 30) return kBelowWarpSms;
  if (num_sm <= 33) return kWarpEdgeSms;
  if (num_sm == kMaxNumSm) return kMostSms;
  if (std::find(kReal.begin(), kReal.end(), num_sm) != kReal.end()) return kRealSms;
  return is_block_edge(num_sm) ? kBlockEdgeSms : kOtherSms;
}

Class total_class(int64_t total, int64_t num_sm) {
  if (total == 0) return kNoSplit;
  if (is_beside(total, int64_t{1} << 31)) return kAround31Bits;
  if (is_beside(total, int64_t{1} << 32)) return kAround32Bits;
  if (is_beside(total, int64_t{1} << 33)) return kAround33Bits;
  if (total < num_sm) return kFewerThanSms;
  const int64_t left_over = total % num_sm;
  if (left_over == 0) return kEven;
  if (left_over == num_sm - 1) return kOneShort;
  return left_over == 1 ? kOneOver : kUneven;
}

// What one pass over the lengths finds.
struct Summary {
  int64_t total = 0;
  int64_t most_splits = 0;
  int64_t num_zeros = 0;
  bool zeros_adjoin = false;
  bool longest = false;
  bool short_of_split = false;
  bool whole_splits = false;
  bool over_split = false;
};

Summary summary_of(Lens lens) {
  Summary s;
  int32_t before = 1;
  for (const int32_t len : lens) {
    const int64_t num_splits = (int64_t{len} + kSplitKv - 1) / kSplitKv;
    const int32_t tokens = len % static_cast<int32_t>(kSplitKv);
    s.total += num_splits;
    s.most_splits = std::max(s.most_splits, num_splits);
    s.num_zeros += len == 0 ? 1 : 0;
    s.zeros_adjoin |= (len | before) == 0;
    s.longest |= len == INT32_MAX;
    s.short_of_split |= tokens == static_cast<int32_t>(kSplitKv) - 1;
    s.whole_splits |= len != 0 && tokens == 0;
    s.over_split |= tokens == 1;
    before = len;
  }
  return s;
}

// Ramps of one step that begin anew at least once.
bool is_sawtooth(Lens lens) {
  if (lens.size() < 4 || lens[1] <= lens[0]) return false;
  const int64_t step = int64_t{lens[1]} - lens[0];
  bool falls = false;
  for (size_t i = 1; i < lens.size(); ++i) {
    const int64_t difference = int64_t{lens[i]} - lens[i - 1];
    if (difference >= 0 && difference != step) return false;
    if (difference < 0 && i + 1 < lens.size() && lens[i + 1] < lens[i]) return false;
    falls |= difference < 0 && i + 1 < lens.size();
  }
  return falls;
}

bool has_few_lens(Lens lens) {
  std::array<int32_t, 8> known{};
  size_t num_known = 0;
  for (const int32_t len : lens) {
    const auto end = known.begin() + static_cast<std::ptrdiff_t>(num_known);
    if (std::find(known.begin(), end, len) != end) continue;
    if (num_known == known.size()) return false;
    known[num_known++] = len;
  }
  return true;
}

Class shape_class(Lens lens, const Summary& s) {
  if (lens.empty()) return kNoLen;
  if (s.total == 0) return kAllZero;
  if (std::all_of(lens.begin(), lens.end(), [&](int32_t len) { return len == lens[0]; })) {
    return kEqual;
  }
  if (is_sawtooth(lens)) return kSawtooth;
  if (std::is_sorted(lens.begin(), lens.end()) || std::is_sorted(lens.rbegin(), lens.rend())) {
    return kRamp;
  }
  if (s.most_splits > s.total / 2) return kGiant;
  if (s.zeros_adjoin) return kZeroRuns;
  if (lens.front() == 0) return kZeroFirst;
  if (lens.back() == 0) return kZeroLast;
  if (s.num_zeros > 0) return kZeroInside;
  return has_few_lens(lens) ? kFewLens : kMixed;
}

// ---- which cells there are

// The most rows of a class; those of the last one are not bounded.
int64_t most_rows(int rows) {
  constexpr std::array<int64_t, kManyRows> kMost = {
      0, 1, 30, 33, 62, 65, 2046, 1025, 2049, kTile - 2, 3 * kTile + 1, 3 * kTile - 2};
  return rows < kManyRows ? kMost[static_cast<size_t>(rows)] : INT32_MAX;
}

bool rows_have_total(int rows, int total) {
  if (rows == kNoRow) return total == kNoSplit;
  if (total < kAround31Bits || total > kAround33Bits) return true;
  const int power = 31 + total - kAround31Bits;
  return most_rows(rows) * kMaxSplitsOfRow >= (int64_t{1} << power) - 1;
}

bool rows_have_shape(int rows, int shape) {
  if (rows == kNoRow) return shape == kNoLen;
  if (rows == kOneRow) return shape == kAllZero || shape == kEqual;
  return shape != kNoLen;
}

// One multiprocessor has no remainder, and no fewer splits unless there is none.
bool total_has_num_sm(int total, int num_sm) {
  return num_sm != kOneSm || (total != kFewerThanSms && total < kOneShort);
}

}  // namespace

std::vector<std::string_view> paged_mqa_metadata_classes() {
  return {kNames.begin(), kNames.end()};
}

std::vector<ClassAxis> paged_mqa_metadata_axes() {
  const auto axis = [](std::string_view name, int first, int end) {
    return ClassAxis{.name = name, .first_class = first, .num_classes = end - first};
  };
  return {axis("rows", kNoRow, kOneSm), axis("num_sm", kOneSm, kNoSplit),
          axis("total", kNoSplit, kNoLen), axis("shape", kNoLen, kAnyZeroFirst)};
}

std::vector<ClassProduct> paged_mqa_metadata_products() {
  enum : int { kRows, kNumSm, kTotal, kShape };
  return {{.first_axis = kRows, .second_axis = kNumSm},
          {.first_axis = kRows, .second_axis = kTotal, .possible = rows_have_total},
          {.first_axis = kRows, .second_axis = kShape, .possible = rows_have_shape},
          {.first_axis = kTotal, .second_axis = kNumSm, .possible = total_has_num_sm}};
}

std::vector<int> classify_paged_mqa_metadata(const Case& c) {
  const PagedMqaMetadataCase view = view_paged_mqa_metadata(c);
  const Lens lens = view.context_lens;
  const int64_t num_rows = static_cast<int64_t>(lens.size());
  const Summary s = summary_of(lens);
  std::vector<int> classes = {rows_class(num_rows), num_sm_class(view.num_sm),
                              total_class(s.total, view.num_sm), shape_class(lens, s)};
  const auto add = [&](int flag, bool is_set) {
    if (is_set) classes.push_back(flag);
  };
  const auto inside = num_rows > 2 ? lens.subspan(1, lens.size() - 2) : Lens{};
  add(kAnyZeroFirst, num_rows > 0 && lens.front() == 0);
  add(kAnyZeroInside, std::find(inside.begin(), inside.end(), 0) != inside.end());
  add(kAnyZeroLast, num_rows > 0 && lens.back() == 0);
  add(kLongestRow, s.longest);
  add(kShortOfSplit, s.short_of_split);
  add(kWholeSplits, s.whole_splits);
  add(kOverSplit, s.over_split);
  add(kNoWorkInWarps, num_rows > 0 && num_rows % 32 == 0 && s.total == 0);
  add(kBeyond31Bits, s.total > INT32_MAX);
  add(kBeyond32Bits, s.total > int64_t{UINT32_MAX});
  add(kBeyond131072Rows, num_rows > 131072);
  add(kForcedPath, !c.forced_path.empty());
  add(kFirstRemainder, view.remainder == Remainder::kFirst);
  return classes;
}

}  // namespace bytegate
