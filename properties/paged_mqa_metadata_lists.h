#pragma once

#include <vector>

#include "properties/case_list.h"

namespace bytegate {

// What the test suites of serving engines run for this operation (mid 2026): as many cases, of the
// same kind, with values of our own where a suite draws them.
std::vector<CaseList> paged_mqa_metadata_lists();

}  // namespace bytegate
