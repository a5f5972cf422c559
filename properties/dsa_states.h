// What the rows of DSA metadata look like to the attention that reads them, as states for
// coverage-guided search.
#pragma once

#include <string_view>
#include <vector>

#include "oracles/case.h"

namespace bytegate {

std::vector<std::string_view> dsa_states();

// Two or more for each row, in order: its length, and the pages it reads; the first rows only.
std::vector<int> walk_dsa_states(const Case& c, const Outputs& outputs);

}  // namespace bytegate
