// `gate --sanitizer TOOL`: a number of cases of each operation under one of compute-sanitizer's
// tools. The cases run in a process of their own, on buffers that are allocations of exactly their
// size; what the tool prints becomes verdicts.
#pragma once

#include <vector>

#include "ci/cli/options.h"
#include "ci/cli/report.h"
#include "fuzz/sources.h"

namespace bytegate::cli {

void add_sanitizer_options(CLI::App& command, Options& options);

// Fills and finishes the report; the exit code. That the tool is missing, did not run, or ran fewer
// cases than it was to, is a failure.
int gate_under_sanitizer(const Options& options, const std::vector<const OpProperties*>& ops,
                         const LoadedCases& corpus, Report report);

}  // namespace bytegate::cli
