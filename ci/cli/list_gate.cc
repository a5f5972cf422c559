#include "ci/cli/list_gate.h"

#include "fuzz/list_run.h"

namespace bytegate::cli {
namespace {

std::string names_of_lists(const std::vector<const OpProperties*>& ops) {
  std::string names;
  for (const OpProperties* properties : ops) {
    for (const CaseList& list : properties->lists) {
      names += (names.empty() ? "" : ", ") + std::string(list.name) + " (" +
               std::string(properties->op->name) + ")";
    }
  }
  return names.empty() ? "none" : names;
}

}  // namespace

int gate_lists(const Options& options, const std::vector<const OpProperties*>& ops,
               const ChosenBackends& backends, Report& report) {
  bool found = false;
  bool stopped = false;
  for (const OpProperties* properties : ops) {
    const std::vector<CaseList> lists = lists_of_name(*properties, options.list);
    if (lists.empty()) continue;
    for (const ChosenBackends::Entry& backend : backends.entries) {
      RunOptions run = run_options(options, backend.kind);
      run.fail_fast = options.fail_fast;
      RunRow row = {.properties = properties,
                    .backend = backend.kind,
                    .backend_description = backend.description,
                    .outcome = run_lists(*properties, lists, run)};
      stopped = stopped || row.outcome.stopped;
      found = true;
      if (options.op.empty() && !is_production(report) && is_foreign(row)) {
        report.absent.push_back(std::string(properties->op->name) + " on " +
                                std::string(backend_name(backend.kind)) +
                                ": the candidate does not have this operation");
        continue;
      }
      report.rows.push_back(std::move(row));
    }
  }
  if (stopped) note_interrupted(0, report);
  if (!found) {
    complain("--list " + options.list + ": no such list; there are: " + names_of_lists(ops));
    return kExitUsage;
  }
  report.notes.push_back("case lists of other suites: output bytes were compared, nothing else");
  return finish(report, options.report);
}

}  // namespace bytegate::cli
