// Random vectors of context lengths: of each shape that a batch may have, and of the totals at
// which a schedule changes.
#pragma once

#include <cstdint>
#include <vector>

#include "properties/draw.h"

namespace bytegate {

// Overwrites all lengths by those of a random shape.
void draw_context_lens(std::vector<int32_t>& lens, Draw& draw);

// Changes lengths, mostly few, so that the number of splits is 0, below num_sm, a multiple of it or
// one beside, or around 2^31, 2^32 or 2^33, where the number of rows allows it.
void aim_num_splits(std::vector<int32_t>& lens, int64_t num_sm, Draw& draw);

}  // namespace bytegate
