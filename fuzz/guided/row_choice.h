// Which rows of a dimension are kept, and in which order: lists for arrange_rows().
#pragma once

#include <cstdint>
#include <vector>

#include "properties/draw.h"

namespace bytegate {

// Swaps two, turns a part round, or moves the first ones to the end. There is at least one row.
void permute_rows(std::vector<int64_t>& from, Draw& draw);

// Takes out a part, or puts new ones or copies in, until there are `count`.
void resize_rows(std::vector<int64_t>& from, int64_t count, Draw& draw);

}  // namespace bytegate
