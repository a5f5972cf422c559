// A case of a small world of the DSA metadata operations, from what its digits chose.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "oracles/dsa_metadata.h"

namespace bytegate {

// Token slots of a pool row, around the edges of pages.
enum class DsaSlots : uint8_t { kTokens, kUnused, kEdges, kShiftedEdges };

struct DsaWorldPoint {
  // Of each request.
  std::vector<int64_t> lens;
  std::vector<int64_t> pool_rows = {};    // empty: b % num_pool_rows
  std::vector<int64_t> extend_lens = {};  // draft_extend, ragged form

  int64_t rows_per_request = 1;  // next_n, or the extend_len of the static form
  bool is_static = false;
  DType lens_dtype = DType::kInt32;
  DType pool_rows_dtype = DType::kInt32;
  int64_t num_pool_rows = 2;
  DsaSlots slots = DsaSlots::kTokens;

  int64_t max_len = 1;
  int64_t topk = 2048;
  int64_t page_size = 1;
  DsaTail tail = DsaTail::kFull;
  DsaExpandedMin expanded_min = DsaExpandedMin::kNone;
  int64_t num_sm = 3;
  int64_t remainder = 0;

  int64_t more_columns = 0;  // of every table than are needed
  bool has_page_table = true;
  bool has_ctx_lens = false;
  std::string_view path = {};
};

// Scalars that the operation does not have are left out.
Case make_dsa_world_case(const Op& op, const DsaWorldPoint& point);

}  // namespace bytegate
