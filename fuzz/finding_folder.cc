#include "fuzz/finding_folder.h"

#include <filesystem>
#include <system_error>

#include "fuzz/finding_texts.h"
#include "fuzz/reproducer/cpp_reproducer.h"
#include "fuzz/reproducer/python_reproducer.h"
#include "kernels/builtin_candidate.h"
#include "oracles/durable_file.h"
#include "oracles/text_digest.h"

namespace bytegate {
namespace {

struct Rerun {
  RunResult result;
  std::string candidate_name;
  std::string candidate_version;
  std::string error;  // there was no way to run it
};

Rerun run_again(const Finding& finding, const CasePlan& plan, const FindingContext& context) {
  Rerun rerun;
  const Candidate::Result opened = open_candidate(context.candidate);
  if (opened.candidate == nullptr) {
    // That may be the finding.
    rerun.candidate_name = context.candidate;
    rerun.result = {.status = RunStatus::kLost, .message = opened.error};
    return rerun;
  }
  rerun.candidate_name = opened.candidate->name();
  rerun.candidate_version = opened.candidate->table().version;
  const BackendResult backend = open_backend(finding.backend, context.backend_options);
  if (backend.backend == nullptr) {
    rerun.error = backend.absent_reason;
    return rerun;
  }
  std::vector<RunResult> results =
      backend.backend->submit(*opened.candidate, {&plan.c, 1})->collect();
  if (!results.empty()) rerun.result = std::move(results.front());
  return rerun;
}

CasePlan plan_of(const Finding& finding, const FindingContext& context,
                 const std::vector<StepResult>& outcome) {
  CasePlan plan = plan_reproducer(finding.kept, finding.verdict.origin, finding.backend, outcome);
  plan.arch = context.backend_options.arch;
  if (builtin_candidate(context.candidate) == nullptr) {
    plan.candidate = candidate_identity(context.candidate);
  }
  return plan;
}

}  // namespace

std::string finding_folder_path(const std::string& case_file) {
  return std::filesystem::path(case_file).replace_extension("").string();
}

std::optional<std::string> write_finding_folder(const Finding& finding, const OpProperties&,
                                                const FindingContext& context) {
  if (finding.file.empty()) return "a finding without a file has no folder";
  const Rerun rerun = run_again(finding, plan_of(finding, context, {}), context);
  if (!rerun.error.empty()) return rerun.error;
  const CasePlan plan = plan_of(finding, context, rerun.result.steps);
  const std::string folder = finding_folder_path(finding.file);
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return "cannot create " + folder + ": " + error.message();
  const auto write = [&](const std::string& name, const std::string& text) {
    return write_durably(folder + "/" + name, text);
  };
  if (auto failed = write("difference.txt", difference_text(finding, plan, rerun.result))) {
    return failed;
  }
  // Of what is in a folder only this tells machines apart, so that folders of many become one.
  const std::string versions =
      versions_text(finding, context, rerun.candidate_name, rerun.candidate_version);
  if (auto failed = write("versions-" + text_digest(versions) + ".txt", versions)) return failed;
  if (plan.error.empty()) {
    if (auto failed = write("reproducer.cc", cpp_reproducer(plan))) return failed;
    if (auto failed = write("reproducer.py", python_reproducer(plan))) return failed;
  }
  // Last: a folder with it is whole.
  return write("README.md", finding_readme(finding, context, plan));
}

}  // namespace bytegate
