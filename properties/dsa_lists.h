#pragma once

#include <vector>

#include "oracles/op.h"
#include "properties/case_list.h"

namespace bytegate {

// What a serving engine's test suite runs for the operation (mid 2026): as many launches, of the
// same kind, with values of our own. None for an operation that no suite tests by itself.
std::vector<CaseList> dsa_lists(const Op& op);

}  // namespace bytegate
