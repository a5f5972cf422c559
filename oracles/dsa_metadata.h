// The DSA metadata operations on the host: their descriptions, and the typed view of a case. The
// oracle is in dsa_eager.h, the second statement of the contract in dsa_walker.h.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "oracles/case.h"
#include "oracles/dsa_metadata_contract.h"

namespace bytegate {

const Op& dsa_decode_metadata_op();
const Op& dsa_target_verify_metadata_op();
const Op& dsa_draft_extend_metadata_op();
const Op& dsa_decode_precompute_op();
const Op& dsa_target_verify_precompute_op();
const Op& dsa_decode_refresh_op();
const Op& dsa_target_verify_refresh_op();
const Op& dsa_draft_extend_refresh_op();

// All of the above.
std::array<const Op*, 8> dsa_ops();

// Where an op's tensors are in Op::tensors; -1: it has no such tensor.
struct DsaTensors {
  int seq_lens = -1;
  int req_pool_indices = -1;
  int req_to_token = -1;
  int extend_seq_lens = -1;
  int cache_seqlens = -1;
  int cu_seqlens_k = -1;
  int page_table = -1;
  int seqlens_expanded = -1;
  int dsa_cache_seqlens = -1;
  int dsa_cu_seqlens_k = -1;
  int real_page_table = -1;
  int paged_mqa_ctx_lens = -1;
  int schedule_metadata = -1;
};

// Where an op's scalars are in Op::scalars; -1: it has no such scalar.
struct DsaScalars {
  int max_len = -1;
  int topk = -1;
  int page_size = -1;
  int tail = -1;
  int next_n = -1;
  int form = -1;
  int total_len = -1;
  int extend_len = -1;
  int expanded_min = -1;
  int num_sm = -1;
  int remainder = -1;
};

// Where an op's dimensions are in Op::dims; -1: it has no such dimension.
struct DsaDims {
  int num_requests = -1;
  int num_pool_rows = -1;
  int num_columns = -1;
  int page_table_width = -1;
  int real_page_table_width = -1;
};

struct DsaDescription {
  DsaMode mode = DsaMode::kDecode;
  DsaEntry entry = DsaEntry::kMetadata;
  DsaTensors tensors;
  DsaScalars scalars;
  DsaDims dims;
};
// Of one of dsa_ops().
const DsaDescription& describe_dsa(const Op& op);

// A well-formed case, typed. It must not outlive the case.
struct DsaCase {
  DsaMode mode = DsaMode::kDecode;
  DsaEntry entry = DsaEntry::kMetadata;
  DsaTensors tensors;

  int64_t num_requests = 0;   // B
  int64_t num_rows = 0;       // e is below it
  int64_t num_pool_rows = 0;  // R
  int64_t num_columns = 0;    // C
  int64_t max_len = 0;        // columns of page_table that are filled, 0 .. C
  int64_t topk = 1;
  int64_t page_size = 1;
  DsaTail tail = DsaTail::kFull;
  DsaExpandedMin expanded_min = DsaExpandedMin::kNone;
  int64_t next_n = 1;                 // rows of a request in target_verify
  std::optional<int64_t> extend_len;  // rows of every request in the static form of draft_extend

  const Elements* seq_lens = nullptr;          // [B]
  const Elements* req_pool_indices = nullptr;  // [B], 0 .. R-1
  std::span<const int32_t> req_to_token;       // [R, C] row-major
  std::span<const int32_t> extend_seq_lens;    // [B], each >= 0; ragged form only
};
DsaCase view_dsa(const Case& c);

// Rows of request b: 1, next_n, or its extend length.
int64_t dsa_rows_of_request(const DsaCase& c, int64_t request);

// Columns that page_table and real_page_table have to fill.
constexpr int64_t dsa_num_pages(int64_t columns, int64_t page_size) {
  return page_size < 1 ? 0 : columns / page_size + (columns % page_size > 0 ? 1 : 0);
}

}  // namespace bytegate
