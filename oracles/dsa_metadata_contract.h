// Contract of the DSA metadata operations: lengths, their sums and page tables of sparse attention,
// made right before a captured graph is replayed.
//
// For request b: seq = seq_lens[b], slots = row req_pool_indices[b] of req_to_token. Row e belongs
// to request b as its row j. Every length is int32 and wraps; sums wrap, too.
//
//   mode           rows                        cache_seqlens[b]  x[e]
//   decode         B, e = b                    seq               seq
//   target_verify  B * next_n, e = b next_n+j  seq + next_n      max(seq + j + 1, expanded_min)
//   draft_extend   total_len; b owns the next  seq               max(seq - extend[b] + j + 1,
//                  extend[b] of them                                 expanded_min)
//
//   seqlens_expanded[e]    = x[e]                (not in decode)
//   dsa_cache_seqlens[e]   = min(x[e], topk)     (signed)
//   cu_seqlens_k           = 0 and the running sums of cache_seqlens
//   dsa_cu_seqlens_k       = 0 and the running sums of dsa_cache_seqlens
//   page_table[e, c]       = slots[c]                             for c < max_len
//   real_page_table[e, p]  = floor(slots[p page_size] / page_size)
//                                                       for p < ceil(max_len / page_size)
//   paged_mqa_ctx_lens[b, j] = seq + next_n             (target_verify, where it is given)
//
// What lies in a table beyond those columns keeps its bytes. page_table may be left out when
// page_size > 1; real_page_table exists only then. Element offsets are 64-bit.
//
// Three entries compute this. `metadata` writes into buffers of any row stride. `precompute`
// (decode and target_verify) allocates compact outputs, and returns one buffer where the contract
// has one value under two names: seqlens_expanded is cache_seqlens in decode, real_page_table is
// page_table when page_size is 1. `refresh` goes on to write the paged_mqa_metadata schedule of
// cache_seqlens (decode) or of seqlens_expanded; a negative length reaching it is outside the
// contract.
#pragma once

#include <cstdint>

namespace bytegate {

enum class DsaMode : uint8_t { kDecode, kTargetVerify, kDraftExtend };
enum class DsaEntry : uint8_t { kMetadata, kPrecompute, kRefresh };

// What x[e] is clamped to from below. Padding rows, whose request is shorter than the draft is
// wide, go negative without it.
enum class DsaExpandedMin : int64_t { kNone = 0, kZero = 1, kOne = 2 };

// Which columns of a table are stated.
enum class DsaTail : int64_t {
  kFull = 0,
  // clamp(cache_seqlens[b], 0, max_len) of page_table, and as many pages as those begin of
  // real_page_table. The rest, up to max_len, may hold anything.
  kLive = 1,
};

// How draft_extend is told which rows a request owns.
enum class DsaExtendForm : int64_t {
  kRagged = 0,  // extend_seq_lens on the device, each >= 0, summing up to the scalar total_len
  kStatic = 1,  // the scalar extend_len for every request; total_len is B * extend_len
};

// The largest B, and the largest number of rows.
constexpr int64_t kDsaMaxRows = INT32_MAX;

}  // namespace bytegate
