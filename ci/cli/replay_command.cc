#include <filesystem>
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

struct MinimizeArguments {
  Options options;
  std::string file;
  std::string out;
};

// Minimises on one backend and says what came of it; 0 when the case does not fail there.
int minimize_on(const MinimizeArguments& arguments, const Case& c, Candidate& candidate,
                BackendKind kind) {
  const OpProperties& properties = *find_properties(all_properties(), *c.op);
  const BackendResult backend = open_backend(kind, backend_options(arguments.options));
  if (backend.backend == nullptr) {
    complain(backend.absent_reason);
    return kExitNoBackend;
  }
  const RunOptions run = run_options(arguments.options, kind);
  const MinimizeResult result = minimize(
      c,
      [&](const Case& simpler) {
        return check({&simpler, 1}, candidate, *backend.backend, properties, {}).front();
      },
      run.minimize);
  if (result.verdict.passed() || says_nothing(result.verdict.kind)) {
    std::cout << describe(result.verdict) << " on " << backend_name(kind) << "\n";
    return kExitPass;
  }
  Case smallest = result.smallest;
  smallest.origin = result.verdict.origin;
  std::string out = arguments.out;
  if (out.empty()) {
    out = (std::filesystem::path(arguments.file).parent_path() /
           (std::filesystem::path(arguments.file).stem().string() + ".min.case"))
              .string();
  }
  if (const auto failure = save_case(out, smallest)) {
    complain(*failure);
    return kExitUsage;
  }
  std::cout << describe(result.verdict) << "\n  case   " << summary_of(smallest)
            << (result.minimal ? "  (minimal)" : "  (the time ran out)") << "\n  tried  "
            << with_commas(result.num_tried) << " simpler cases, kept "
            << with_commas(result.num_accepted) << "\n  saved  " << out << "\n  replay "
            << replay_line(program_path(), out, arguments.options.candidate, kind) << "\n";
  return exit_code_of(result.verdict.kind);
}

int minimize_file(const MinimizeArguments& arguments) {
  const std::unique_ptr<Candidate> candidate = chosen_candidate(arguments.options);
  if (candidate == nullptr) return kExitUsage;
  const ChosenBackends backends = chosen_backends(arguments.options, *candidate);
  if (backends.exit_code != kExitPass) return backends.exit_code;
  const LoadResult loaded = load_case(arguments.file, all_ops());
  if (!loaded.value) {
    complain(loaded.error);
    return kExitUsage;
  }
  bool ran = false;
  for (const ChosenBackends::Entry& entry : backends.entries) {
    const BackendKind wanted = loaded.value->backend;
    if (wanted != BackendKind::kAny && wanted != entry.kind) continue;
    ran = true;
    const int code = minimize_on(arguments, *loaded.value, *candidate, entry.kind);
    if (code != kExitPass) return code;
  }
  if (!ran) {
    complain(arguments.file + " is for " + std::string(backend_name(loaded.value->backend)) +
             " only, which is not here");
    return kExitNoBackend;
  }
  std::cout << arguments.file << ": nothing to minimise here\n";
  return kExitPass;
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

void add_minimize(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("minimize", "make a failing case as small as it gets");
  auto arguments = std::make_shared<MinimizeArguments>();
  command->add_option("file", arguments->file, "a case file")->required();
  command->add_option("--out", arguments->out, "where to save it (default: FILE.min.case)");
  command->add_option("--minimize-seconds", arguments->options.minimize_seconds, "time limit")
      ->check(CLI::Range(0.0, 1e7).description("0 .. 10^7"))
      ->capture_default_str();
  add_candidate_options(*command, arguments->options);
  command->callback([arguments, &context] {
    context.chosen = [arguments] { return minimize_file(*arguments); };
  });
}

}  // namespace bytegate::cli
