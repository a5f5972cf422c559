// What the multiprocessors of a schedule go through, as states for coverage-guided search.
#pragma once

#include <string_view>
#include <vector>

#include "oracles/case.h"

namespace bytegate {

std::vector<std::string_view> paged_mqa_metadata_states();

// One or more for each multiprocessor of the case's schedule, in order; the first kMaxStates only.
std::vector<int> walk_paged_mqa_metadata_states(const Case& c, const Outputs& outputs);

}  // namespace bytegate
