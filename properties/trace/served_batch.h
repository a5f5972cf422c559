// One decode step of a serving engine, with the place of every token: what an operation needs to
// derive a case from (OpProperties::of_batch).
//
// A token lives in a slot of the token pool. Slots are handed out in pages of page_size, so token t
// of a request is in slot page[t / page_size] * page_size + t % page_size, page being the request's
// list of pages. The engine's table req_to_token[pool row][t] holds just these slots for t below
// the tokens held, and anything beyond.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <vector>

namespace bytegate::trace {

struct ServedBatch {
  int64_t step_idx = 0;                   // as in Batch
  std::vector<int32_t> context_lens;      // [B] tokens held by each request, >= 0
  std::vector<int32_t> req_pool_indices;  // [B] its row of req_to_token; distinct
  int64_t num_pool_rows = 0;              // every pool index is below; the same in a whole run
  int64_t page_size = 64;                 // tokens, >= 1
  // Every page is below; the same in a whole run. num_pages * page_size <= 2^31.
  int64_t num_pages = 0;
  // The pages of all requests, end to end: those of request b are first_page[b] and on, before
  // first_page[b + 1], ceil(context_lens[b] / page_size) of them. No page is there twice.
  std::vector<int32_t> pages;
  std::vector<int64_t> first_page = {0};  // [B + 1]

  int64_t num_requests() const { return std::ssize(context_lens); }

  std::span<const int32_t> pages_of(int64_t request_idx) const {
    const auto b = static_cast<size_t>(request_idx);
    const auto first = static_cast<size_t>(first_page[b]);
    return std::span(pages).subspan(first, static_cast<size_t>(first_page[b + 1]) - first);
  }

  // For 0 <= token_idx < context_lens[request_idx].
  int32_t slot(int64_t request_idx, int64_t token_idx) const {
    const int64_t page = pages_of(request_idx)[static_cast<size_t>(token_idx / page_size)];
    return static_cast<int32_t>(page * page_size + token_idx % page_size);
  }

  friend bool operator==(const ServedBatch&, const ServedBatch&) = default;
};

}  // namespace bytegate::trace
