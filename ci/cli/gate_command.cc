#include <filesystem>
#include <iostream>

#include "ci/cli/case_summary.h"
#include "ci/cli/commands.h"
#include "ci/cli/options.h"
#include "ci/cli/progress.h"
#include "ci/cli/report.h"
#include "fuzz/sources.h"

namespace bytegate::cli {
namespace {

// From this many cases on, a gate of the production kernels must have reached every path.
constexpr int64_t kMinCasesForPaths = 1000;

// The folder of --corpus, or ./corpus where there is one, or nothing.
std::string corpus_of(const Options& options) {
  if (!options.corpus.empty()) return options.corpus;
  return std::filesystem::is_directory("corpus") ? "corpus" : "";
}

LoadedCases load_corpus(const Options& options, Report& report) {
  const std::string corpus = corpus_of(options);
  if (corpus.empty()) {
    report.absent.push_back("corpus: no --corpus was given and there is no ./corpus");
    return {};
  }
  const CaseFiles found = find_case_files(corpus);
  if (!found.error.empty()) report.errors.push_back("--corpus " + found.error);
  LoadedCases loaded = load_case_files(found.paths, all_ops());
  report.errors.insert(report.errors.end(), loaded.errors.begin(), loaded.errors.end());
  return loaded;
}

void note_unmet(const RunRow& row, Report& report) {
  const Tally& tally = row.outcome.tally;
  if (!is_production(report)) return;
  if (tally.all.passed + tally.all.failed < kMinCasesForPaths) return;
  for (const std::string_view path : row.properties->op->paths) {
    const auto counts = tally.by_path.find(std::string(path));
    if (counts != tally.by_path.end() && counts->second.passed > 0) continue;
    report.unmet.push_back(std::string(row.properties->op->name) + " on " +
                           std::string(backend_name(row.backend)) + ": no case passed on path " +
                           std::string(path));
  }
}

RunRow gate_op(const OpProperties& properties, const ChosenBackends::Entry& backend,
               const LoadedCases& corpus, const Options& options, const Shard& shard,
               std::chrono::steady_clock::time_point begin) {
  RunOptions run = run_options(options, backend.kind);
  run.findings_dir = options.findings.empty() ? corpus_of(options) : options.findings;
  if (run.findings_dir.empty()) run.findings_dir = "corpus";
  if (options.seconds > 0) {
    run.deadline = begin + std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                               std::chrono::duration<double>(options.seconds));
  }
  Progress progress(std::string(properties.op->name) + " on " +
                    std::string(backend_name(backend.kind)));
  run.progress = progress.callback();
  const GeneratedRange range = {.seed = options.seed,
                                .num_cases = options.num_cases,
                                .shard = shard.idx,
                                .num_shards = shard.count};
  CaseSource source = joined({source_of_files(corpus, *properties.op, backend.kind),
                              source_of_generator(properties, range, backend.kind)});
  return {.properties = &properties,
          .backend = backend.kind,
          .backend_description = backend.description,
          .outcome = bytegate::run(properties, std::move(source), run)};
}

int gate(const Options& options, const std::string& command_line) {
  const auto begin = std::chrono::steady_clock::now();
  const std::optional<Shard> shard = parse_shard(options.shard);
  if (!shard) {
    complain("--shard " + options.shard + ": must be I/N with 0 <= I < N");
    return kExitUsage;
  }
  const std::vector<const OpProperties*> ops = chosen_ops(options);
  const std::unique_ptr<Candidate> candidate = chosen_candidate(options);
  if (ops.empty() || candidate == nullptr) return kExitUsage;
  const ChosenBackends backends = chosen_backends(options, *candidate);
  if (backends.exit_code != kExitPass) return backends.exit_code;
  Report report;
  report.command = command_line;
  report.candidate = candidate->name() + " " + candidate->table().version;
  report.seed = options.seed;
  report.absent = backends.absent;
  const LoadedCases corpus = load_corpus(options, report);
  for (const OpProperties* properties : ops) {
    for (const ChosenBackends::Entry& backend : backends.entries) {
      report.rows.push_back(gate_op(*properties, backend, corpus, options, *shard, begin));
      note_unmet(report.rows.back(), report);
    }
  }
  print_report(report, std::cout);
  if (!options.report.empty()) {
    if (const auto failure = write_report(report, options.report)) {
      complain(*failure);
      return std::max<int>(exit_code_of(report), kExitUsage);
    }
  }
  return exit_code_of(report);
}

}  // namespace

void add_gate(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand(
      "gate", "replay the corpus and the trace cases, then check generated cases");
  auto options = std::make_shared<Options>();
  add_candidate_options(*command, *options);
  add_run_options(*command, *options);
  add_corpus_options(*command, *options);
  command->callback([options, &context] {
    context.chosen = [options, &context] { return gate(*options, context.command_line); };
  });
}

}  // namespace bytegate::cli
