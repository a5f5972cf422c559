// A schedule as a chart: which splits of which requests each SM attends to.
#pragma once

#include <span>
#include <string>

#include "oracles/paged_mqa_metadata.h"

namespace bytegate {

// One line an SM, runs of idle SMs and of those that share one request folded into one, at most
// some forty lines in all: what is left out is counted. `table` is [num_sm + 1][2], and right.
std::string schedule_picture(const PagedMqaMetadataCase& c, std::span<const int32_t> table);

}  // namespace bytegate
