// The production DSA metadata: front door, chains and launch values. What it computes is stated in
// oracles/dsa_metadata_contract.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/front_door_checks.h"
#include "oracles/dsa_metadata_contract.h"

namespace bytegate {

enum class DsaChain : uint8_t {
  kFused,  // one launch
  kEager,  // the chain of small steps that it replaces, one launch each, on a workspace
};
std::string_view chain_name(DsaChain chain);
std::optional<DsaChain> chain_of_name(std::string_view name);

// A vector of int32 or int64.
struct DsaVector {
  const void* data = nullptr;
  int64_t stride = 1;  // elements, >= 0
  bool is_int64 = false;
};

// A table of int32.
struct DsaTable {
  int32_t* data = nullptr;
  int64_t num_columns = 0;  // of the caller's shape, at least what is written
  int64_t row_stride = 0;   // elements, at least what is written when there is more than one row
  bool present = false;
};

// A data pointer is null if and only if its tensor has no elements. No output and no workspace may
// overlap anything else, judged by the bytes from first to last element; inputs may overlap inputs.
struct DsaParams {
  DsaMode mode = DsaMode::kDecode;

  DsaVector seq_lens;                     // [B]
  DsaVector req_pool_indices;             // [B], each 0 .. R-1
  const int32_t* req_to_token = nullptr;  // [R, C]
  int64_t req_to_token_row_stride = 0;    // elements, >= 0
  int64_t req_to_token_column_stride = 0;
  DsaVector extend_seq_lens;  // [B] int32, each >= 0; ragged draft_extend only

  int64_t num_requests = 0;   // B, 0 .. 2^31-1
  int64_t num_pool_rows = 0;  // R >= 0
  int64_t num_columns = 0;    // C >= 0
  int64_t max_len = 0;        // 0 .. C
  int64_t topk = 0;           // 1 .. 2^31-1
  int64_t page_size = 0;      // 1 .. 2^31-1, tokens
  int64_t tail = 0;           // a DsaTail
  int64_t next_n = 0;         // target_verify: 1 .. 2^31-1
  int64_t form = 0;           // draft_extend: a DsaExtendForm
  int64_t total_len = 0;      // draft_extend: rows, 0 .. 2^31-1; the ragged lens must sum up to it
  int64_t extend_len = 0;     // draft_extend: rows of each request; 0 in the ragged form
  int64_t expanded_min = 0;   // not decode: a DsaExpandedMin

  int32_t* cache_seqlens = nullptr;      // [B]
  int32_t* cu_seqlens_k = nullptr;       // [B+1]
  DsaTable page_table;                   // [rows, >= max_len]; may be absent when page_size > 1
  int32_t* seqlens_expanded = nullptr;   // [rows]; not decode
  int32_t* dsa_cache_seqlens = nullptr;  // [rows]
  int32_t* dsa_cu_seqlens_k = nullptr;   // [rows+1]
  DsaTable real_page_table;  // [rows, >= ceil(max_len / page_size)]; present iff page_size > 1
  // [B, next_n]; target_verify only, and there it may be absent.
  DsaTable paged_mqa_ctx_lens;
  int64_t paged_mqa_ctx_lens_column_stride = 1;

  void* workspace = nullptr;   // 16-byte aligned, arbitrary contents; null if its size is 0
  size_t workspace_bytes = 0;  // at least dsa_workspace_bytes
};

// Rows of the call's tables; meaningful once dsa_call_error has nothing to say.
int64_t dsa_num_rows(const DsaParams& params);
int64_t dsa_num_pages(const DsaParams& params);
size_t dsa_workspace_bytes(const DsaParams& params, DsaChain chain);

// Why the call is outside the contract, naming the field; nothing when it is inside. The first
// looks at scalars, sizes and inputs alone, and the second takes them to be right.
std::optional<std::string> dsa_call_error(const DsaParams& params);
// The part of it that looks at no pointer.
std::optional<std::string> dsa_sizes_error(const DsaParams& params);
// `more_outputs` must not overlap anything either.
std::optional<std::string> dsa_buffers_error(const DsaParams& params, size_t workspace_bytes,
                                             std::span<const ByteRange> more_outputs = {});

// How the blocks of the fused launch share the work.
struct DsaGrid {
  int32_t num_request_blocks;  // write what there is per request
  int32_t num_row_blocks;      // write the lengths per row
  int32_t num_table_blocks;    // copy tables
  int32_t log2_lanes;          // threads that copy one row of a unit
  int64_t columns_per_unit;    // of req_to_token
  int64_t num_row_groups;      // units next to each other
  int64_t num_units;
  int64_t units_per_block;
};

// What the kernels get, by value.
struct DsaArgs {
  DsaVector seq_lens;
  DsaVector req_pool_indices;
  const int32_t* req_to_token;
  int64_t req_to_token_row_stride;
  int64_t req_to_token_column_stride;
  const int32_t* extend_seq_lens;  // null: every request has rows_per_request rows
  int64_t extend_stride;

  int64_t num_requests;
  int64_t num_rows;
  int64_t num_pool_rows;
  int64_t max_len;
  int64_t num_pages;
  int32_t topk;
  int32_t page_size;
  int32_t rows_per_request;
  int32_t cache_addend;  // cache_seqlens is seq + this
  int32_t expanded_min;  // INT32_MIN: none
  bool live_tail;

  int32_t* cache_seqlens;
  int32_t* cu_seqlens_k;
  int32_t* page_table;  // null: not wanted, or nothing to write
  int64_t page_table_stride;
  int32_t* seqlens_expanded;  // null in decode
  int32_t* dsa_cache_seqlens;
  int32_t* dsa_cu_seqlens_k;
  int32_t* real_page_table;
  int64_t real_page_table_stride;
  int32_t* paged_mqa_ctx_lens;
  int64_t ctx_lens_row_stride;
  int64_t ctx_lens_column_stride;

  DsaGrid grid;
};
DsaArgs dsa_kernel_args(const DsaParams& params);

// Sections of the eager chain's workspace.
struct DsaEagerWorkspace {
  int32_t* seq_lens;        // [B]
  int64_t* counts;          // [B] rows of each request
  int64_t* ends;            // [B] running sums of counts
  int32_t* request_of_row;  // [rows]
  int32_t* positions;       // [rows] j + 1
  int32_t* lens_of_row;     // [rows]
  int64_t* pool_rows;       // [rows]
};
DsaEagerWorkspace dsa_eager_workspace(const DsaParams& params);

// Between two sections of a workspace: never touched, so that a store past one is seen.
constexpr size_t kRedZoneBytes = 64;
struct DsaSection {
  const char* name;
  size_t offset;  // bytes, from the beginning of the workspace
  size_t bytes;
};
// Of the workspace of the chain, ascending.
std::vector<DsaSection> dsa_workspace_sections(const DsaParams& params, DsaChain chain);

constexpr int kDsaThreads = 256;
constexpr int kDsaLensPerThread = 8;
constexpr int64_t kDsaTile = int64_t{kDsaThreads} * kDsaLensPerThread;  // lengths summed up at once
// More blocks would read more of each other's lengths than they save.
constexpr int64_t kDsaMaxSumBlocks = 64;
constexpr int64_t kDsaMaxTableBlocks = int64_t{1} << 20;
// Where each of them has more than one window of extend_seq_lens to walk.
constexpr int64_t kDsaMaxWalkingBlocks = 1024;
constexpr int64_t kDsaWindow = int64_t{kDsaThreads} * 4;  // requests looked at together
constexpr int64_t kDsaMinElementsPerLane = 4;             // one wide load
constexpr int64_t kDsaMaxElementsPerLane = 32;
constexpr int kDsaMaxLanesPerRow = 32;  // unless there are fewer rows than warps

}  // namespace bytegate
