// What a DSA metadata operation writes, as text.
#pragma once

#include <string>

#include "oracles/case.h"

namespace bytegate {

// One paragraph a row of the batch: its request, its length and its page tables, in runs; then the
// schedule, where the operation makes one. Long tables are cut, with counts.
std::string dsa_picture(const Case& c, const Outputs& outputs);

}  // namespace bytegate
