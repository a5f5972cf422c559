#include "properties/paged_mqa_metadata_generate.h"

#include <algorithm>
#include <array>
#include <span>

#include "oracles/paged_mqa_metadata.h"
#include "properties/paged_mqa_metadata_lens.h"

namespace bytegate {
namespace {

using Index = PagedMqaMetadataIndex;

// The dispatch thresholds and the tile are part of the contract's text, so the generator states
// them for itself.
constexpr int64_t kTinyRows = 64;
constexpr int64_t kSmallRows = 2048;
constexpr int64_t kTile = 4096;
constexpr int64_t kMaxRows = int64_t{1} << 20;

int64_t beside(int64_t edge, Draw& draw) {
  return edge + draw.between(-1, 1);
}

int64_t draw_block_edge(Draw& draw) {
  constexpr std::array<int64_t, 5> kBlocks = {128, 256, 512, 1024, 1024};
  return beside(draw.among(std::span<const int64_t>(kBlocks)), draw);
}

// Beyond three tiles. Rare, since they cost.
int64_t draw_many_rows(Draw& draw) {
  if (draw.one_in(40)) {
    return draw.one_in(10) ? kMaxRows : draw.between((int64_t{1} << 17) + 1, int64_t{1} << 18);
  }
  const int64_t kind = draw.between(0, 99);
  if (kind < 60) return draw.between(3 * kTile + 2, 16382);
  if (kind < 80) return beside(16384, draw);
  if (kind < 94) return beside(32768, draw);
  return kind < 98 ? beside(65536, draw) : int64_t{1} << 17;
}

int64_t draw_num_rows(Draw& draw) {
  const int64_t kind = draw.between(0, 199);
  if (kind < 4) return 0;
  if (kind < 14) return 1;
  if (kind < 60) return draw.between(2, 30);
  if (kind < 68) return beside(32, draw);
  if (kind < 90) return draw.between(2, kTinyRows);
  if (kind < 97) return beside(kTinyRows, draw);
  if (kind < 106) return draw.between(2, 6);
  if (kind < 150) return draw.between(kTinyRows + 2, kSmallRows - 2);
  if (kind < 162) return draw_block_edge(draw);
  if (kind < 168) return beside(kSmallRows, draw);
  if (kind < 170) return draw.between(4064, 4065);  // a table of 32 KiB and two words a row
  if (kind < 177) return draw.between(kSmallRows + 2, kTile - 2);
  if (kind < 186) return beside(kTile << (draw.one_in(2) ? 0 : 1), draw);
  if (kind < 188) return beside(3 * kTile, draw);
  if (kind < 196) return draw.between(kTile + 2, 3 * kTile - 2);
  return draw_many_rows(draw);
}

int64_t draw_num_sm(Draw& draw) {
  // Streaming multiprocessors of GPUs that serve.
  constexpr std::array<int64_t, 7> kReal = {48, 78, 108, 114, 132, 148, 152};
  const int64_t kind = draw.between(0, 99);
  if (kind < 6) return 1;
  if (kind < 16) return draw.between(2, 30);
  if (kind < 22) return beside(32, draw);
  if (kind < 37) return draw.among(std::span<const int64_t>(kReal));
  if (kind < 45) return std::min(draw_block_edge(draw), kMaxNumSm - 1);
  if (kind < 51) return kMaxNumSm;
  return draw.between(1, kMaxNumSm);
}

// A captured launch that is replayed with other lengths: up, down, and to nothing.
void add_replays(Case& c, Draw& draw) {
  c.mode = Mode::kGraph;
  const int64_t num_replays = draw.between(1, 3);
  for (int64_t i = 0; i < num_replays; ++i) {
    std::vector<int32_t> lens(static_cast<size_t>(c.dims[0]));
    draw_context_lens(lens, draw);
    c.later_steps.push_back(
        {.changes = {{.tensor = Index::kContextLens, .elements = Elements(std::move(lens))}}});
  }
}

}  // namespace

bool paged_mqa_metadata_path_takes(const Case& c) {
  if (c.forced_path == "tiny") return c.dims[0] <= kTinyRows;
  return c.forced_path != "small" || c.dims[0] <= kSmallRows;
}

bool paged_mqa_metadata_takes_workspace(const Case& c) {
  if (c.forced_path == "multi_block") return c.dims[0] > 0;
  return c.forced_path.empty() && c.dims[0] > kSmallRows;
}

Case generate_paged_mqa_metadata(Draw& draw) {
  std::vector<int32_t> lens(static_cast<size_t>(draw_num_rows(draw)));
  const int64_t num_sm = draw_num_sm(draw);
  draw_context_lens(lens, draw);
  if (draw.one_in(2)) aim_num_splits(lens, num_sm, draw);
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

}  // namespace bytegate
