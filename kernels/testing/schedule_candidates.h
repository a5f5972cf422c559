// Candidates for `paged_mqa_metadata` that are wrong on purpose, in ways seen in the wild.
#pragma once

#include "kernels/candidate.h"

namespace bytegate {

// Deals what is left over to the first SMs, whatever the variant.
const bytegate_candidate& forward_remainder_candidate();
// Sums all splits up in 32 bits.
const bytegate_candidate& narrow_total_candidate();

}  // namespace bytegate
