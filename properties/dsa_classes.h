// The boundary classes of the DSA metadata operations.
#pragma once

#include <string_view>
#include <vector>

#include "oracles/dsa_metadata.h"

namespace bytegate {

std::vector<std::string_view> dsa_classes(const Op& op);
// Indices into dsa_classes() of the case's op, ascending.
std::vector<int> classify_dsa(const Case& c);

}  // namespace bytegate
