// The contract of the DSA metadata operations, element by element from its definitions: walks the
// outputs and says what they break. Shares nothing with the eager oracle.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "oracles/dsa_metadata.h"

namespace bytegate {

// cache_seqlens[b].
int32_t dsa_cache_seqlen(const DsaCase& c, int64_t request);
// x[e] of row j of a request.
int32_t dsa_row_len(const DsaCase& c, int64_t request, int64_t j);
// Columns of a request's page table that tail = live states.
int64_t dsa_live_columns(const DsaCase& c, int64_t request);

// What the outputs of a valid single-step case break, or nothing. Outputs in the sizes of
// written_shape(); those of absent tensors are empty.
std::optional<std::string> walk_dsa(const Case& c, const Outputs& outputs);

}  // namespace bytegate
