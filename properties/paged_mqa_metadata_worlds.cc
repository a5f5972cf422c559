#include "properties/paged_mqa_metadata_worlds.h"

#include <array>

#include "oracles/paged_mqa_metadata.h"
#include "properties/world_digits.h"

namespace bytegate {
namespace {

// No split, one, two and three, from either side of their edges; and the most there are.
constexpr std::array<int32_t, 7> kLens = {0, 1, 256, 257, 512, 513, INT32_MAX};

std::vector<int32_t> next_batch(WorldDigits& digits, int64_t max_requests) {
  std::vector<int32_t> lens;
  for (const int64_t idx : digits.list(static_cast<int64_t>(kLens.size()), 0, max_requests)) {
    lens.push_back(kLens[static_cast<size_t>(idx)]);
  }
  return lens;
}

template <int64_t kMaxRequests, int64_t kMostSms, Remainder kRemainder>
Case batch_case(WorldDigits& digits) {
  const int64_t num_sm = 1 + digits.next(kMostSms);
  return make_paged_mqa_metadata_case(next_batch(digits, kMaxRequests), num_sm, kRemainder);
}

Case forced_path_case(WorldDigits& digits) {
  constexpr std::array<const char*, 2> kLarger = {"small", "multi_block"};
  constexpr std::array<Remainder, 2> kRemainders = {Remainder::kLast, Remainder::kFirst};
  const char* path = digits.among(kLarger);
  const Remainder remainder = digits.among(kRemainders);
  const int64_t num_sm = 1 + digits.next(256);
  Case c = make_paged_mqa_metadata_case(next_batch(digits, 2), num_sm, remainder);
  c.forced_path = path;
  return c;
}

// ---- 200 shapes: twenty sizes, ten fillings of each

// Around warps, blocks, and the ends of the paths `tiny` and `small`.
constexpr std::array<int64_t, 20> kSizes = {2,   3,   31,  32,  33,  63,  64,   65,   127,  128,
                                            129, 255, 257, 511, 512, 513, 1024, 2047, 2048, 2049};

enum class Filling : uint8_t {
  kNoWork,
  kOneSplitEach,
  kTwoSplitsEach,
  kLongest,
  kRamp,
  kRampDown,
  kGiantFirst,
  kGiantLast,
  kEverySecond,
  kHolesAround,
};
constexpr int64_t kNumFillings = 10;

int32_t len_of_row(Filling filling, int64_t row, int64_t num_rows) {
  constexpr int32_t kRampStep = 85;  // three rows to a split
  switch (filling) {
    case Filling::kNoWork:
      return 0;
    case Filling::kOneSplitEach:
      return 256;
    case Filling::kTwoSplitsEach:
      return 257;
    case Filling::kLongest:
      return INT32_MAX;
    case Filling::kRamp:
      return static_cast<int32_t>(row + 1) * kRampStep;
    case Filling::kRampDown:
      return static_cast<int32_t>(num_rows - row) * kRampStep;
    case Filling::kGiantFirst:
      return row == 0 ? INT32_MAX : 1;
    case Filling::kGiantLast:
      return row + 1 == num_rows ? INT32_MAX : 1;
    case Filling::kEverySecond:
      return row % 2 == 0 ? 0 : 513;
    case Filling::kHolesAround:
      return row * 3 < num_rows || row * 3 >= 2 * num_rows ? 0 : 1024;
  }
  return 0;
}

Case shape_case(WorldDigits& digits) {
  const int64_t num_sm = 1 + digits.next(kMaxNumSm);
  const auto filling = static_cast<Filling>(digits.next(kNumFillings));
  const int64_t num_rows = digits.among(kSizes);
  std::vector<int32_t> lens;
  for (int64_t row = 0; row < num_rows; ++row) lens.push_back(len_of_row(filling, row, num_rows));
  return make_paged_mqa_metadata_case(std::move(lens), num_sm);
}

// As many multiprocessors as there may be, since each is a place where a wrong sum shows.
Case every_length_case(WorldDigits& digits) {
  constexpr int64_t kNumBatches = 16384;
  constexpr int64_t kNumRows = 131072;
  static_assert(kNumBatches * kNumRows == int64_t{INT32_MAX} + 1);
  std::vector<int32_t> lens(static_cast<size_t>(kNumRows));
  // The last length has no successor, so that what counts is wider.
  int64_t next_len = digits.next(kNumBatches) * kNumRows;
  for (int32_t& len : lens) len = static_cast<int32_t>(next_len++);
  return make_paged_mqa_metadata_case(std::move(lens), kMaxNumSm);
}

}  // namespace

std::vector<World> paged_mqa_metadata_worlds() {
  return {
      world_of<batch_case<4, 256, Remainder::kLast>>(
          "batches-4",
          "up to 4 requests of 0, 1, 256, 257, 512, 513 or 2^31-1 tokens, num_sm 1..256"),
      world_of<batch_case<3, 256, Remainder::kFirst>>(
          "batches-3-first",
          "up to 3 requests of the same lengths, num_sm 1..256, remainder first"),
      world_of<forced_path_case>(
          "forced-paths",
          "up to 2 requests of the same lengths on the paths small and multi_block, num_sm 1..256, "
          "either remainder"),
      world_of<shape_case>(
          "shapes-200",
          "20 numbers of requests, 2 to 2049, each filled in 10 ways, num_sm 1..1024"),
      world_of<batch_case<6, kMaxNumSm, Remainder::kLast>>(
          "batches-6", "up to 6 requests of the lengths of batches-4, num_sm 1..1024", true),
      world_of<every_length_case>("every-length",
                                  "each length of 0..2^31-1 once, in batches of 131,072", true),
  };
}

}  // namespace bytegate
