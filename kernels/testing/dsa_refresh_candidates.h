// Candidates for the DSA refresh operations: a plain right one, and one for each way to be wrong.
// They check nothing: calls outside the contract are not for them.
#pragma once

#include <cstdint>

#include "kernels/candidate.h"

namespace bytegate {

enum class DsaRefreshFlaw : uint8_t {
  kNone,
  // ---- the schedule
  kSchedulesFirst,      // before the metadata: of the lengths that the buffer held until then
  kSchedulesCacheLens,  // of cache_seqlens where it should be of seqlens_expanded
  kAlwaysLast,          // whatever the remainder
  // ---- the metadata
  kRemembersLens,  // takes seq_lens of its first call for those of every call with as many requests
  kLosesCarry,     // dsa_cu_seqlens_k starts again from 0 with each tile of 2048 rows
  kNumFlaws,
};

const bytegate_candidate& dsa_refresh_candidate(DsaRefreshFlaw flaw);

}  // namespace bytegate
