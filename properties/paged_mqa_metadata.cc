#include "properties/paged_mqa_metadata.h"

#include <algorithm>
#include <array>

#include "oracles/paged_mqa_metadata.h"
#include "oracles/schedule_walker.h"
#include "properties/paged_mqa_metadata_lists.h"

namespace bytegate {
namespace {

using Index = PagedMqaMetadataIndex;

// The dispatch thresholds and the tile are part of the contract's text, so the generator states
// them for itself.
constexpr int64_t kTinyRows = 64;
constexpr int64_t kSmallRows = 2048;
constexpr int64_t kTile = 4096;

int64_t draw_num_rows(Draw& draw) {
  constexpr std::array<int64_t, 26> kEdges = {0,    1,    2,    3,    31,   32,   33,   63,  64,
                                              65,   127,  128,  255,  256,  257,  511,  512, 1023,
                                              1024, 2047, 2048, 2049, 4095, 4096, 4097, 8192};
  const int64_t kind = draw.between(0, 99);
  if (kind < 45) return draw.between(0, kTinyRows);
  if (kind < 65) return draw.among(std::span<const int64_t>(kEdges));
  if (kind < 85) return draw.between(kTinyRows + 1, kSmallRows);
  if (kind < 99) return draw.between(kSmallRows + 1, 3 * kTile + 2);
  return draw.between(kSmallRows + 1, int64_t{1} << draw.between(12, 17));
}

int64_t draw_num_sm(Draw& draw) {
  // Streaming multiprocessors of GPUs that serve, and the edges of warps and blocks.
  constexpr std::array<int64_t, 20> kLikely = {1,   2,   3,   31,  32,  33,  48,  78,   108,  114,
                                               127, 128, 129, 132, 148, 152, 256, 1023, 1024, 257};
  return draw.one_in(3) ? draw.among(std::span<const int64_t>(kLikely))
                        : draw.between(1, kMaxNumSm);
}

int32_t draw_len(Draw& draw) {
  switch (draw.between(0, 7)) {
    case 0:
      return 0;
    case 1:
      return static_cast<int32_t>(draw.between(0, 3));
    case 2:  // around a multiple of a split
      return static_cast<int32_t>(
          std::max<int64_t>(0, draw.between(0, 64) * kSplitKv + draw.between(-1, 1)));
    case 3:  // around a multiple of a split, anywhere
      return static_cast<int32_t>(std::clamp<int64_t>(
          draw.between(0, INT32_MAX / kSplitKv) * kSplitKv + draw.between(-1, 1), 0, INT32_MAX));
    case 4:  // around a power of two
      return static_cast<int32_t>(std::clamp<int64_t>(
          (int64_t{1} << draw.between(0, 31)) + draw.between(-1, 1), 0, INT32_MAX));
    case 5:
      return static_cast<int32_t>(INT32_MAX - draw.between(0, 300));
    case 6:
      return static_cast<int32_t>(draw.log_uniform(INT32_MAX));
    default:
      return static_cast<int32_t>(draw.between(1, 32768));
  }
}

void fill(std::vector<int32_t>& lens, Draw& draw) {
  const int64_t num_rows = static_cast<int64_t>(lens.size());
  switch (draw.between(0, 9)) {
    case 0:  // all equal
      std::fill(lens.begin(), lens.end(), draw_len(draw));
      return;
    case 1: {  // one length among zeros
      if (num_rows > 0) lens[static_cast<size_t>(draw.between(0, num_rows - 1))] = draw_len(draw);
      return;
    }
    case 2: {  // a ramp
      const int64_t step = draw.between(1, 300);
      for (int64_t i = 0; i < num_rows; ++i) {
        lens[static_cast<size_t>(i)] = static_cast<int32_t>(std::min<int64_t>(i * step, INT32_MAX));
      }
      return;
    }
    case 3: {  // runs of zeros between lengths
      int64_t i = 0;
      while (i < num_rows) {
        i += draw.log_uniform(num_rows);
        if (i < num_rows) lens[static_cast<size_t>(i++)] = draw_len(draw);
      }
      return;
    }
    case 4: {  // a few values, so that prefix sums tie
      constexpr std::array<int32_t, 6> kFew = {0, 1, 255, 256, 257, 512};
      for (int32_t& len : lens) len = draw.among(std::span<const int32_t>(kFew));
      return;
    }
    case 5:  // the largest there are
      std::fill(lens.begin(), lens.end(), INT32_MAX);
      return;
    case 6:  // a serving batch
      for (int32_t& len : lens) len = static_cast<int32_t>(draw.between(1, 32768));
      return;
    default:
      for (int32_t& len : lens) len = draw_len(draw);
      return;
  }
}

int64_t splits(int32_t len) {
  return (int64_t{len} + kSplitKv - 1) / kSplitKv;
}

// Changes the last rows so that the total is what is wanted, where that is possible.
void aim_total(std::vector<int32_t>& lens, int64_t wanted) {
  int64_t total = 0;
  for (const int32_t len : lens) total += splits(len);
  for (auto len = lens.rbegin(); len != lens.rend() && total != wanted; ++len) {
    constexpr int64_t kMaxSplits = int64_t{1} << 23;
    const int64_t now = splits(*len);
    const int64_t next = std::clamp<int64_t>(now + wanted - total, 0, kMaxSplits);
    *len = static_cast<int32_t>(std::min<int64_t>(next * kSplitKv, INT32_MAX));
    total += splits(*len) - now;
  }
}

// A captured launch that is replayed with other lengths: up, down, and to nothing.
void add_replays(Case& c, Draw& draw) {
  c.mode = Mode::kGraph;
  const int64_t num_replays = draw.between(1, 3);
  for (int64_t i = 0; i < num_replays; ++i) {
    std::vector<int32_t> lens(static_cast<size_t>(c.dims[0]));
    fill(lens, draw);
    c.later_steps.push_back(
        {.changes = {{.tensor = Index::kContextLens, .elements = Elements(std::move(lens))}}});
  }
}

Case generate(Draw& draw) {
  std::vector<int32_t> lens(static_cast<size_t>(draw_num_rows(draw)));
  const int64_t num_sm = draw_num_sm(draw);
  fill(lens, draw);
  if (draw.one_in(3)) {
    constexpr std::array<int64_t, 4> kPowers = {0, 31, 32, 33};
    const int64_t power = draw.among(std::span<const int64_t>(kPowers));
    const int64_t base = power > 0 ? int64_t{1} << power : draw.between(0, 40) * num_sm;
    aim_total(lens, std::max<int64_t>(0, base + draw.between(-1, 1)));
  }
  Case c = make_paged_mqa_metadata_case(std::move(lens), num_sm,
                                        draw.one_in(8) ? Remainder::kFirst : Remainder::kLast);
  // Now and then through a path that the number of rows would not choose.
  if (draw.one_in(8)) {
    const int64_t first = c.dims[0] <= kTinyRows ? 0 : c.dims[0] <= kSmallRows ? 1 : 2;
    c.forced_path = c.op->paths[static_cast<size_t>(draw.between(first, 2))];
  }
  if (!draw.one_in(4)) c.seed = draw.bits() | 1;
  // Rare: on a GPU a graph costs as much as a hundred plain launches.
  if (draw.one_in(64)) add_replays(c, draw);
  return c;
}

Case of_batch(const trace::ServedBatch& batch, Draw& draw) {
  // Streaming multiprocessors of GPUs that serve: H20, A100 and H800 among them, H100/H200, B200.
  constexpr std::array<int64_t, 6> kServing = {78, 108, 114, 132, 148, 152};
  return make_paged_mqa_metadata_case(batch.context_lens,
                                      draw.among(std::span<const int64_t>(kServing)));
}

enum Class : int {
  kEmptyBatch,
  kNoWork,
  kFewerSplitsThanSms,
  kEvenShares,
  kOneShort,
  kOneOver,
  kZeroRowFirst,
  kZeroRowInside,
  kZeroRowLast,
  kLongestRow,
  kTotalBeyond31Bits,
  kTotalBeyond32Bits,
  kOneSm,
  kMostSms,
  kForcedPath,
  kFirstRemainder,
  kNumClasses,
};

void classify_rows(std::span<const int32_t> lens, std::vector<int>& classes) {
  if (lens.empty()) return;
  if (lens.front() == 0) classes.push_back(kZeroRowFirst);
  const auto inside = lens.size() > 2 ? lens.subspan(1, lens.size() - 2) : lens.subspan(0, 0);
  if (std::find(inside.begin(), inside.end(), 0) != inside.end()) classes.push_back(kZeroRowInside);
  if (lens.back() == 0) classes.push_back(kZeroRowLast);
  if (std::find(lens.begin(), lens.end(), INT32_MAX) != lens.end()) classes.push_back(kLongestRow);
}

std::vector<int> classify(const Case& c) {
  const PagedMqaMetadataCase view = view_paged_mqa_metadata(c);
  int64_t total = 0;
  for (const int32_t len : view.context_lens) total += splits(len);
  std::vector<int> classes;
  if (view.context_lens.empty()) classes.push_back(kEmptyBatch);
  if (total == 0) classes.push_back(kNoWork);
  if (total > 0 && total < view.num_sm) classes.push_back(kFewerSplitsThanSms);
  if (total > 0 && total % view.num_sm == 0) classes.push_back(kEvenShares);
  if (total % view.num_sm == view.num_sm - 1) classes.push_back(kOneShort);
  if (total % view.num_sm == 1) classes.push_back(kOneOver);
  classify_rows(view.context_lens, classes);
  if (total > INT32_MAX) classes.push_back(kTotalBeyond31Bits);
  if (total > int64_t{UINT32_MAX}) classes.push_back(kTotalBeyond32Bits);
  if (view.num_sm == 1) classes.push_back(kOneSm);
  if (view.num_sm == kMaxNumSm) classes.push_back(kMostSms);
  if (!c.forced_path.empty()) classes.push_back(kForcedPath);
  if (view.remainder == Remainder::kFirst) classes.push_back(kFirstRemainder);
  return classes;
}

std::optional<std::string> broken_invariant(const Case& c, const Outputs& outputs) {
  return walk_schedule(view_paged_mqa_metadata(c), outputs[Index::kScheduleMetadata].int32());
}

}  // namespace

OpProperties paged_mqa_metadata_properties() {
  OpProperties properties;
  properties.op = &paged_mqa_metadata_op();
  properties.generate = generate;
  properties.of_batch = of_batch;
  properties.classes = {"empty batch",
                        "no work",
                        "fewer splits than SMs",
                        "even shares",
                        "one split short of even",
                        "one split over even",
                        "zero row first",
                        "zero row inside",
                        "zero row last",
                        "row of 2^31-1 tokens",
                        "total beyond 31 bits",
                        "total beyond 32 bits",
                        "one SM",
                        "1024 SMs",
                        "forced path",
                        "first remainder"};
  properties.classify = classify;
  properties.broken_invariant = broken_invariant;
  properties.lists = paged_mqa_metadata_lists();
  return properties;
}

}  // namespace bytegate
