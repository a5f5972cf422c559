// What the boundary classes of the DSA metadata operations ask of a case, collected in one pass.
#pragma once

#include <cstdint>

#include "oracles/dsa_metadata.h"

namespace bytegate {

// It must not outlive the case. "Served" are the requests that own a row.
struct DsaFacts {
  const Case& c;
  DsaCase view;
  bool beyond_int32 = false;     // an int64 length
  bool length_wraps = false;     // seq + next_n
  bool sum_wraps = false;        // of cache_seqlens
  bool negative_row = false;     // x[e] < 0
  bool raised_row = false;       // by expanded_min
  bool row_of_topk = false;      // x[e] = topk
  bool topk_cuts = false;        // some x[e] > topk
  bool topk_spares = false;      // some x[e] <= topk
  bool padding_request = false;  // seq 0 or 1
  bool padded_bucket = false;    // by the last request, in pool row 0 unlike the first
  bool repeated_pool_row = false;
  bool request_without_rows = false;
  bool equal_extends = true;   // as many rows for each request
  bool negative_slot = false;  // that begins a page, but is no first slot of one
  // Of the slots that begin a page and are copied.
  int32_t lowest_slot = INT32_MAX;
  int32_t highest_slot = INT32_MIN;
  // Of served requests: lengths cut to int32.
  int32_t lowest_len = INT32_MAX;
  int32_t highest_len = INT32_MIN;
  bool served_beyond_int32 = false;
  int64_t last_pool_row = -1;  // of those that are copied
  bool dead_columns = false;   // tail = live leaves some open
};

DsaFacts dsa_facts_of(const Case& c);

}  // namespace bytegate
