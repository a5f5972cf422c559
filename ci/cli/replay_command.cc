#include <iostream>

#include "ci/cli/case_summary.h"
#include "ci/cli/commands.h"
#include "ci/cli/options.h"
#include "fuzz/interrupt.h"
#include "fuzz/sources.h"
#include "kernels/builtin_candidate.h"
#include "oracles/case_text.h"
#include "properties/check_relations.h"

namespace bytegate::cli {
namespace {

struct ReplayCounts {
  int64_t passed = 0;
  int64_t failed = 0;
  int64_t skipped = 0;
  bool interrupted = false;  // before the last case
  int exit_code = kExitPass;
};

void worsen(ReplayCounts& counts, int code) {
  // A crash outranks everything, a failed verdict a bad file.
  if (code == kExitCrashed || counts.exit_code == kExitPass) counts.exit_code = code;
  if (code == kExitFailed && counts.exit_code == kExitUsage) counts.exit_code = code;
}

void replay_case(const Case& c, const std::string& file, Candidate& candidate, Backend& backend,
                 const std::string& candidate_name, ReplayCounts& counts) {
  const OpProperties& properties = *find_properties(all_properties(), *c.op);
  const Verdict verdict = check({&c, 1}, candidate, backend, properties, {}).front();
  const std::string where = std::string(backend_name(backend.kind())) +
                            (verdict.path.empty() ? "" : ", path " + verdict.path);
  if (verdict.passed()) {
    ++counts.passed;
    std::cout << "pass  " << file << " (" << where << ")\n";
    return;
  }
  if (says_nothing(verdict.kind) && !takes_every_case(candidate_name)) {
    ++counts.skipped;
    std::cout << "skip  " << file << " (" << where << "): " << describe(verdict) << "\n";
    return;
  }
  ++counts.failed;
  worsen(counts, exit_code_of(verdict.kind));
  std::cout << "FAIL  " << file << " (" << where << ")\n      " << describe(verdict)
            << "\n      case   " << summary_of(c) << "\n      replay "
            << replay_line(program_path(), file, candidate_name, backend.kind()) << "\n";
}

void replay_files(const LoadedCases& loaded, const Options& options,
                  const ChosenBackends::Entry& entry, ReplayCounts& counts) {
  Candidate::Result opened = open_candidate(options.candidate);
  BackendResult backend = open_backend(entry.kind, backend_options(options));
  if (opened.candidate == nullptr || backend.backend == nullptr) {
    complain(opened.error + backend.absent_reason);
    worsen(counts, kExitUsage);
    return;
  }
  for (size_t i = 0; i < loaded.cases.size(); ++i) {
    if (interrupted()) {
      counts.interrupted = true;
      return;
    }
    const Case& c = loaded.cases[i];
    if (c.backend != BackendKind::kAny && c.backend != entry.kind) {
      ++counts.skipped;
      std::cout << "skip  " << loaded.files[i] << ": for " << backend_name(c.backend) << " only\n";
      continue;
    }
    replay_case(c, loaded.files[i], *opened.candidate, *backend.backend, options.candidate, counts);
  }
}

int replay(const std::vector<std::string>& paths, const Options& options) {
  heed_interrupts();
  const std::unique_ptr<Candidate> candidate = chosen_candidate(options);
  if (candidate == nullptr) return kExitUsage;
  const ChosenBackends backends = chosen_backends(options, *candidate);
  if (backends.exit_code != kExitPass) return backends.exit_code;
  ReplayCounts counts;
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    const CaseFiles found = find_case_files(path);
    if (!found.error.empty()) {
      complain(found.error);
      worsen(counts, kExitUsage);
    }
    files.insert(files.end(), found.paths.begin(), found.paths.end());
  }
  const LoadedCases loaded = load_case_files(files, all_ops());
  for (const std::string& error : loaded.errors) {
    complain(error);
    worsen(counts, kExitUsage);
  }
  const int64_t num_planned = static_cast<int64_t>(loaded.cases.size() * backends.entries.size());
  for (const std::string& absent : backends.absent) std::cout << "not run: " << absent << "\n";
  for (const auto& entry : backends.entries) replay_files(loaded, options, entry, counts);
  if (counts.interrupted) {
    const int64_t num_done = counts.passed + counts.failed + counts.skipped;
    std::cout << "interrupted by " << interrupting_signal() << " after " << with_commas(num_done)
              << " of " << with_commas(num_planned) << " cases\n";
    worsen(counts, kExitFailed);
  }
  std::cout << counts.passed << " passed, " << counts.failed << " failed, " << counts.skipped
            << " skipped\n";
  // Nothing was compared: that is no pass.
  if (loaded.cases.empty()) worsen(counts, kExitUsage);
  if (counts.passed + counts.failed == 0 && counts.skipped > 0) worsen(counts, kExitFailed);
  return counts.exit_code;
}

}  // namespace

void add_replay(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("replay", "run saved cases, one line each");
  auto options = std::make_shared<Options>();
  auto paths = std::make_shared<std::vector<std::string>>();
  command->add_option("path", *paths, "case files, or folders of them")->required();
  add_candidate_options(*command, *options);
  command->callback([options, paths, &context] {
    context.chosen = [options, paths] { return replay(*paths, *options); };
  });
}

}  // namespace bytegate::cli
