// A DSA batch request by request, and what the outputs say of each: what relations are stated in.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "oracles/dsa_metadata.h"

namespace bytegate {

struct DsaRequest {
  int64_t seq = 0;
  int64_t pool_row = 0;
  int64_t num_rows = 0;

  friend auto operator<=>(const DsaRequest&, const DsaRequest&) = default;
};
using DsaRequests = std::vector<DsaRequest>;

// Of a valid case.
DsaRequests dsa_requests_of(const Case& c);

// The case with other requests, compact, in the ragged form where there is a choice.
Case with_dsa_requests(const Case& c, const DsaRequests& requests);

int32_t wrapping_add(int32_t a, int32_t b);

// Outputs of a valid single-step case, request by request and row by row. What the contract leaves
// open is taken for 0.
class DsaSaid {
 public:
  using Values = std::span<const int32_t>;

  DsaSaid(const Case& c, const Outputs& outputs);

  [[nodiscard]] int64_t num_requests() const;
  [[nodiscard]] int64_t num_rows() const { return first_rows_.back(); }
  [[nodiscard]] int64_t first_row_of(int64_t request) const;
  [[nodiscard]] int64_t rows_of(int64_t request) const;

  // Empty where the case has no such output.
  [[nodiscard]] Values request_lens() const { return all_of(tensors_.cache_seqlens); }
  [[nodiscard]] Values request_sums() const { return all_of(tensors_.cu_seqlens_k); }
  [[nodiscard]] Values expanded_lens() const { return all_of(tensors_.seqlens_expanded); }
  [[nodiscard]] Values row_lens() const { return all_of(tensors_.dsa_cache_seqlens); }
  [[nodiscard]] Values row_sums() const { return all_of(tensors_.dsa_cu_seqlens_k); }
  [[nodiscard]] Values ctx_lens(int64_t request) const;   // of paged_mqa_ctx_lens
  [[nodiscard]] Values pages(int64_t row) const;          // of page_table
  [[nodiscard]] Values compact_pages(int64_t row) const;  // of real_page_table
  [[nodiscard]] Values schedule() const { return all_of(tensors_.schedule_metadata); }

  // What this says of a row or request that `other` says otherwise of one of its own; of a request
  // that is its lengths and all its rows. Sums are said of no one.
  [[nodiscard]] std::optional<std::string> row_differs(int64_t row, const DsaSaid& other,
                                                       int64_t other_row) const;
  [[nodiscard]] std::optional<std::string> request_differs(int64_t request, const DsaSaid& other,
                                                           int64_t other_request) const;

 private:
  // Part `idx` of `count` equal ones; empty where the tensor is not there.
  [[nodiscard]] Values part(int tensor, int64_t idx, int64_t count) const;
  [[nodiscard]] Values all_of(int tensor) const { return part(tensor, 0, 1); }

  DsaTensors tensors_;
  Outputs outputs_;
  std::vector<int64_t> first_rows_;  // of each request, and their number
};

}  // namespace bytegate
