// Candidates that trust what is on the device: right, or at least harmless, for every valid case,
// and harmful for one whose elements are outside the contract. What they compute is not the point.
#pragma once

#include "kernels/candidate.h"

namespace bytegate {

// paged_mqa_metadata: counts the requests of each length below num_sm, and forgets that a length
// may be negative.
const bytegate_candidate& indexes_by_length_candidate();
// paged_mqa_metadata: counts splits down to nothing, which a negative length never reaches.
const bytegate_candidate& counts_down_candidate();
// dsa_draft_extend_metadata, ragged: moves on by each extend length as it comes.
const bytegate_candidate& trusts_extend_lens_candidate();

}  // namespace bytegate
