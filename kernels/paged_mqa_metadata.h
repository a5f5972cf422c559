// The production `paged_mqa_metadata`: front door, dispatch paths and launch values. What it
// computes is stated in oracles/paged_mqa_metadata_contract.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "oracles/paged_mqa_metadata_contract.h"

namespace bytegate {

enum class PagedMqaMetadataPath : uint8_t {
  kTiny,        // up to kTinyMaxRows: one block, prefix sums in one warp, 32-bit sums suffice
  kSmall,       // up to kSmallMaxRows: one block, one tile
  kMultiBlock,  // any number of rows: tiles of kTileRows, two launches, caller-owned workspace
};
constexpr int64_t kTinyMaxRows = 64;
constexpr int64_t kSmallMaxRows = 2048;
constexpr int64_t kTileRows = 4096;

std::string_view path_name(PagedMqaMetadataPath path);
std::optional<PagedMqaMetadataPath> path_of_name(std::string_view name);
PagedMqaMetadataPath choose_path(int64_t num_rows);

struct PagedMqaMetadataParams {
  const int32_t* context_lens = nullptr;  // [num_rows], tokens, each >= 0; null iff num_rows is 0
  int64_t num_rows = 0;                   // B, 0 .. 2^31-1
  int64_t num_sm = 0;                     // 1 .. kMaxNumSm
  int64_t page_size = 0;                  // kPagedMqaPageSize
  int64_t remainder = 0;                  // a Remainder
  int32_t* schedule_metadata = nullptr;   // [num_sm + 1, 2], overlapping nothing else
  void* workspace = nullptr;              // 16-byte aligned, arbitrary contents; null if unused
  size_t workspace_bytes = 0;             // at least paged_mqa_metadata_workspace_bytes
};

// Bytes of workspace that `path` needs for `num_rows` requests.
size_t paged_mqa_metadata_workspace_bytes(int64_t num_rows, PagedMqaMetadataPath path);

// Why the call is outside the contract, naming the field; nothing when it is inside.
std::optional<std::string> paged_mqa_metadata_error(const PagedMqaMetadataParams& params,
                                                    PagedMqaMetadataPath path);

// What the kernels get, by value.
struct PagedMqaMetadataArgs {
  const int32_t* context_lens;
  int32_t* schedule_metadata;
  int64_t* tile_sums;  // [num_tiles]: splits of each tile; multi-block only
  int64_t num_rows;
  int32_t num_sm;
  Remainder remainder;
};
PagedMqaMetadataArgs kernel_args(const PagedMqaMetadataParams& params);

constexpr int64_t num_tiles(int64_t num_rows) {
  return (num_rows + kTileRows - 1) / kTileRows;
}

// Blocks of the two multi-block launches. Beyond the cap a block takes several tiles in a row, so
// that reading all tile sums in every block stays cheap.
constexpr int64_t kMaxTileBlocks = 1024;
constexpr int64_t num_tile_blocks(int64_t num_rows) {
  const int64_t tiles = num_tiles(num_rows);
  const int64_t tiles_per_block = (tiles + kMaxTileBlocks - 1) / kMaxTileBlocks;
  return tiles == 0 ? 1 : (tiles + tiles_per_block - 1) / tiles_per_block;
}

}  // namespace bytegate
