// What earlier runs left in the findings folder when they were killed.
#pragma once

#include <string>
#include <vector>

#include "ci/cli/options.h"
#include "ci/cli/report.h"
#include "fuzz/interrupted.h"

namespace bytegate::cli {

// Cases that were running, for the runs of this gate; they come before all others.
class LeftOver {
 public:
  // Those that no run of this gate is for become case files below `findings`. Says at once what was
  // picked up, since the same cases may end this process, too; the report gets the same lines.
  LeftOver(const std::string& findings, const Options& options,
           const std::vector<const OpProperties*>& ops, const ChosenBackends& backends,
           Report& report);

  [[nodiscard]] CaseSource source(const Op& op, BackendKind backend) const;
  [[nodiscard]] int64_t num_cases(const Op& op, BackendKind backend) const;

 private:
  [[nodiscard]] std::vector<const InterruptedRun*> runs_of(const Op& op, BackendKind backend) const;

  std::vector<InterruptedRun> runs_;
};

// Removes files that a run was killed in the middle of writing, and notes it.
void remove_half_written(const std::string& findings, const Options& options, Report& report);

}  // namespace bytegate::cli
