// MTP precompute: the metadata into compact outputs that are allocated for the call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "kernels/dsa_metadata.h"

namespace bytegate {

// Whoever owns the memory: kernels and front doors allocate none. Called with the name of an output
// and its bytes, never 0; answers with memory aligned to int32, or with null.
struct DsaAllocator {
  void* (*allocate)(void* context, const char* output, size_t bytes) = nullptr;
  void* context = nullptr;
};

// What decode and target_verify return. Pointers of outputs without elements are null.
struct DsaPrecomputed {
  int32_t* cache_seqlens = nullptr;
  int32_t* cu_seqlens_k = nullptr;
  int32_t* page_table = nullptr;        // [rows, max_len]
  int32_t* seqlens_expanded = nullptr;  // in decode the same buffer as cache_seqlens
  int32_t* dsa_cache_seqlens = nullptr;
  int32_t* dsa_cu_seqlens_k = nullptr;
  // [rows, ceil(max_len / page_size)]; the same buffer as page_table when page_size is 1
  int32_t* real_page_table = nullptr;
};

// Allocates the outputs of a call whose scalars, sizes and inputs are set, points `params` at them
// and says what the call will return. The caller goes on as for any call. Answers with what
// could not be allocated, or with why the call is outside the contract; then there is no result.
std::optional<std::string> allocate_dsa_precompute(const DsaAllocator& allocator, DsaParams& params,
                                                   DsaPrecomputed& result);

}  // namespace bytegate
