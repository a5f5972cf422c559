#include "ci/cli/left_over.h"

#include <algorithm>
#include <filesystem>
#include <iostream>

#include "ci/cli/case_summary.h"
#include "oracles/durable_file.h"

namespace bytegate::cli {
namespace {

void say(const std::string& line, Report& report) {
  std::cout << line << std::endl;
  report.notes.push_back(line);
}

std::string listed(const std::vector<std::string>& files) {
  constexpr size_t kMaxListed = 4;
  std::string text;
  for (size_t i = 0; i < std::min(files.size(), kMaxListed); ++i) {
    text += (i > 0 ? ", " : "") + files[i];
  }
  return files.size() > kMaxListed ? text + ", .." : text;
}

// Cases that are in files already need no more than to be named.
void say_files(const InterruptedRun& run, Report& report) {
  if (run.files.empty()) return;
  const auto num_files = static_cast<int64_t>(run.files.size());
  say(describe(run, num_files) + (num_files == 1 ? " is" : " are") + " kept in " +
          listed(run.files),
      report);
}

bool is_for(const InterruptedRun& run, const Options& options,
            const std::vector<const OpProperties*>& ops, const ChosenBackends& backends) {
  const bool has_op = std::any_of(ops.begin(), ops.end(), [&](const OpProperties* properties) {
    return properties->op == run.op;
  });
  const bool has_backend =
      std::any_of(backends.entries.begin(), backends.entries.end(),
                  [&](const auto& entry) { return backend_name(entry.kind) == run.owner.backend; });
  return has_op && has_backend && run.owner.candidate == candidate_identity(options.candidate);
}

}  // namespace

LeftOver::LeftOver(const std::string& findings, const Options& options,
                   const std::vector<const OpProperties*>& ops, const ChosenBackends& backends,
                   Report& report) {
  PickedUp found = pick_up(findings, BYTEGATE_VERSION, all_ops());
  report.errors.insert(report.errors.end(), found.errors.begin(), found.errors.end());
  for (const std::string& foreign : found.foreign) say(foreign, report);
  for (InterruptedRun& run : found.runs) {
    say_files(run, report);
    if (run.batches.empty()) continue;
    const std::string what = describe(run, run.num_cases());
    if (is_for(run, options, ops, backends)) {
      say("picked up " + what, report);
      runs_.push_back(std::move(run));
      continue;
    }
    const std::vector<std::string> errors = save_interrupted(findings, run);
    report.errors.insert(report.errors.end(), errors.begin(), errors.end());
    say("saved " + what + " in " + interrupted_folder(findings, *run.op), report);
  }
}

std::vector<const InterruptedRun*> LeftOver::runs_of(const Op& op, BackendKind backend) const {
  std::vector<const InterruptedRun*> runs;
  for (const InterruptedRun& run : runs_) {
    if (run.op == &op && run.owner.backend == backend_name(backend)) runs.push_back(&run);
  }
  return runs;
}

CaseSource LeftOver::source(const Op& op, BackendKind backend) const {
  return source_of_interrupted(runs_of(op, backend));
}

int64_t LeftOver::num_cases(const Op& op, BackendKind backend) const {
  int64_t num_cases = 0;
  for (const InterruptedRun* run : runs_of(op, backend)) num_cases += run->num_cases();
  return num_cases;
}

void remove_half_written(const std::string& findings, const Options& options, Report& report) {
  int64_t num_removed = options.report.empty() ? 0 : remove_stale_temps(options.report);
  for (const Op* op : all_ops()) {
    for (const char* folder : {"regress", "interrupted"}) {
      const auto path = std::filesystem::path(findings) / op->name / folder;
      num_removed += remove_stale_temps(path.string());
    }
  }
  if (num_removed > 0) {
    say("removed " + with_commas(num_removed) +
            (num_removed == 1 ? " file that was" : " files that were") +
            " half written when a "
            "run ended",
        report);
  }
}

}  // namespace bytegate::cli
