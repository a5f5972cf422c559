#include "ci/cli/sanitizer.h"

#include <utility>

#include "ci/cli/checker_gate.h"
#include "ci/cli/sanitizer_tool.h"
#include "fuzz/interrupt.h"

namespace bytegate::cli {
namespace {

std::string line_again(const Options& options, const OpProperties& properties) {
  std::vector<std::string> words = {
      program_path(), "gate",
      "--sanitizer",  options.sanitizer.checker,
      "--op",         std::string(properties.op->name),
      "--seed",       std::to_string(options.seed),
      "--cases",      std::to_string(options.num_cases.value_or(kCheckerCases))};
  if (options.candidate != "production") {
    words.insert(words.end(), {"--candidate", options.candidate});
  }
  if (!options.corpus.empty()) words.insert(words.end(), {"--corpus", options.corpus});
  if (!options.sanitizer.path.empty()) {
    words.insert(words.end(), {"--sanitizer-path", options.sanitizer.path});
  }
  if (options.sanitizer.bare_backend != "cuda") {
    words.insert(words.end(), {"--bare-backend", options.sanitizer.bare_backend});
  }
  return shell_line(words);
}

}  // namespace

void add_sanitizer_options(CLI::App& command, Options& options) {
  std::vector<std::string> names;
  for (const CheckerSpec& checker : checkers()) names.emplace_back(checker.name);
  CLI::Option* sanitizer =
      command
          .add_option("--sanitizer", options.sanitizer.checker,
                      "run under compute-sanitizer, with this tool of it, on the GPU (--cases: " +
                          std::to_string(kCheckerCases) + " per operation)")
          ->check(CLI::IsMember(names));
  for (const char* other : {"--shard", "--seconds", "--large", "--backend", "--jobs"}) {
    sanitizer->excludes(command.get_option(other));
  }
  command
      .add_option("--sanitizer-path", options.sanitizer.path,
                  "the compute-sanitizer to run (default: looked for)")
      ->needs(sanitizer);
  command.add_option("--bare-backend", options.sanitizer.bare_backend)
      ->check(CLI::IsMember({"cuda", "host"}))
      ->needs(sanitizer)
      ->group("");
  command.add_option("--checker-seconds", options.sanitizer.case_seconds)
      ->check(CLI::Range(0.1, 1e5))
      ->needs(sanitizer)
      ->group("");
}

int gate_under_sanitizer(const Options& options, const std::vector<const OpProperties*>& ops,
                         const LoadedCases& corpus, Report report) {
  FoundTool tool = find_tool(options.sanitizer.path);
  if (tool.path.empty()) {
    complain("--sanitizer " + options.sanitizer.checker +
             ": compute-sanitizer is missing; looked for: " + tool.looked);
    return kExitNoBackend;
  }
  tool.version = version_of_tool(tool.path);
  for (const OpProperties* properties : ops) {
    if (interrupted()) break;
    CheckerGate gate(*properties, corpus, options, tool);
    gate.run();
    gate.row().checker->again = line_again(options, *properties);
    const std::string where =
        std::string(properties->op->name) + " under " + options.sanitizer.checker + ": ";
    for (const std::string& problem : gate.problems()) report.unmet.push_back(where + problem);
    const int64_t num_other = num_for_other_backends(corpus, *properties->op, BackendKind::kCuda);
    if (num_other > 0) {
      report.absent.push_back(where + std::to_string(num_other) +
                              " corpus cases are for another backend only");
    }
    if (gate.num_too_large() > 0) {
      report.absent.push_back(where + std::to_string(gate.num_too_large()) +
                              " corpus cases take more than " +
                              std::to_string(kMaxBareBytes >> 20) + " MiB");
    }
    if (options.op.empty() && !is_production(report) && gate.problems().empty() &&
        is_foreign(gate.row())) {
      report.absent.push_back(where + "the candidate does not have this operation");
      continue;
    }
    report.rows.push_back(std::move(gate.row()));
    if (gate.backend_is_absent()) {
      report.exit_code = kExitNoBackend;
      break;
    }
  }
  if (interrupted()) {
    note_interrupted(0, report);
  } else if (report.rows.empty()) {
    report.unmet.push_back("the candidate has none of the operations");
  }
  return finish(report, options.report);
}

}  // namespace bytegate::cli
