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
  for (const OpProperties* properties : ops) {
    const std::vector<CaseList> lists = lists_of_name(*properties, options.list);
    if (lists.empty()) continue;
    for (const ChosenBackends::Entry& backend : backends.entries) {
      RunOptions run = run_options(options, backend.kind);
      run.fail_fast = options.fail_fast;
      report.rows.push_back({.properties = properties,
                             .backend = backend.kind,
                             .backend_description = backend.description,
                             .outcome = run_lists(*properties, lists, run)});
    }
  }
  if (report.rows.empty()) {
    complain("--list " + options.list + ": no such list; there are: " + names_of_lists(ops));
    return kExitUsage;
  }
  report.notes.push_back("case lists of other suites: output bytes were compared, nothing else");
  return finish(report, options.report);
}

}  // namespace bytegate::cli
