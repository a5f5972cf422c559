// Runs the case lists of other suites as those suites do: each case once, in this process, its
// output bytes compared and nothing else looked at.
#pragma once

#include <string>
#include <vector>

#include "fuzz/run.h"

namespace bytegate {

// The lists of an operation by that name; "all": each of them.
std::vector<CaseList> lists_of_name(const OpProperties& properties, const std::string& name);

// Findings are neither minimised nor saved. No buffer is guarded, changed inputs, gaps and
// neighbours are not looked at, nor are invariants; what ends the candidate ends this process. Of
// the options, the candidate, the backend and fail_fast count.
RunOutcome run_lists(const OpProperties& properties, const std::vector<CaseList>& lists,
                     const RunOptions& options);

}  // namespace bytegate
