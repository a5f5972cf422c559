// `bytegate gate --list NAME`: the case lists of other suites, run as those suites do.
#pragma once

#include <vector>

#include "ci/cli/options.h"
#include "ci/cli/report.h"

namespace bytegate::cli {

// Runs the lists of that name of all operations; the exit code.
int gate_lists(const Options& options, const std::vector<const OpProperties*>& ops,
               const ChosenBackends& backends, Report& report);

}  // namespace bytegate::cli
