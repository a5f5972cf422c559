// The texts in the folder of a finding that people read.
#pragma once

#include <string>

#include "fuzz/finding_folder.h"
#include "fuzz/reproducer/case_plan.h"
#include "kernels/backend.h"

namespace bytegate {

// Of a run of the case: every output element that is wrong, up to a number of them.
std::string difference_text(const Finding& finding, const CasePlan& plan, const RunResult& result);

// What was tested by what. `candidate_name` and `candidate_version` as its table has them.
std::string versions_text(const Finding& finding, const FindingContext& context,
                          const std::string& candidate_name, const std::string& candidate_version);

std::string finding_readme(const Finding& finding, const FindingContext& context,
                           const CasePlan& plan);

}  // namespace bytegate
