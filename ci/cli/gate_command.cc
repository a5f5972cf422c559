#include <algorithm>
#include <chrono>

#include "ci/cli/case_summary.h"
#include "ci/cli/commands.h"
#include "ci/cli/left_over.h"
#include "ci/cli/list_gate.h"
#include "ci/cli/options.h"
#include "ci/cli/progress.h"
#include "ci/cli/report.h"
#include "ci/cli/sanitizer.h"
#include "fuzz/interrupt.h"
#include "fuzz/promises.h"
#include "fuzz/sources.h"

namespace bytegate::cli {
namespace {

LoadedCases load_corpus(const Options& options, Report& report) {
  if (options.no_corpus) {
    report.absent.push_back("corpus: --no-corpus");
    return {};
  }
  const std::string corpus = corpus_dir(options);
  if (corpus.empty()) {
    report.absent.push_back("corpus: no --corpus was given, and there is none here or installed");
    return {};
  }
  CaseFiles found = find_case_files(corpus);
  if (!found.error.empty()) report.errors.push_back("--corpus " + found.error);
  if (!options.large) {
    const size_t num_large = std::erase_if(found.paths, is_large_case);
    if (num_large > 0) {
      report.absent.push_back("corpus: " + std::to_string(num_large) +
                              " large cases (--large runs them)");
    }
  }
  LoadedCases loaded = load_case_files(found.paths, all_ops());
  report.errors.insert(report.errors.end(), loaded.errors.begin(), loaded.errors.end());
  return loaded;
}

void note_unmet(const RunRow& row, Report& report) {
  // A run that was stopped, or failed, is red for that, and promised nothing of its first part.
  if (row.outcome.stopped || row.outcome.failed_fast) return;
  const Tally& tally = row.outcome.tally;
  const std::string where = std::string(row.properties->op->name) + " on " +
                            std::string(backend_name(row.backend)) + ": ";
  if (row.outcome.error.empty() && tally.num_compared() == 0) {
    report.unmet.push_back(where + "no case passed whose output bytes were compared");
  }
  if (!is_production(report)) return;
  for (const std::string& promise : unmet_promises(*row.properties, row.outcome.generated)) {
    report.unmet.push_back(where + promise);
  }
  if (report.without_oracle) {
    for (const std::string& unmet : unmet_relations(*row.properties, row.outcome.generated)) {
      report.unmet.push_back(where + unmet);
    }
  }
  for (const std::string& mode : unmet_modes(*row.properties, row.backend, row.outcome.generated)) {
    report.unmet.push_back(where + mode);
  }
}

// What the row did not run, and would otherwise be silent about.
void note_absent(const RunRow& row, const LoadedCases& corpus, Report& report) {
  const std::string where = std::string(row.properties->op->name) + " on " +
                            std::string(backend_name(row.backend)) + ": ";
  const int64_t num_other = num_for_other_backends(corpus, *row.properties->op, row.backend);
  if (num_other > 0) {
    report.absent.push_back(where + std::to_string(num_other) +
                            " corpus cases are for another backend only");
  }
  if (row.outcome.out_of_time) {
    report.absent.push_back(where + "the time ran out before the last generated case");
  }
  if (row.outcome.failed_fast) {
    report.absent.push_back(where + "what came after the first failure (--fail-fast)");
  }
  if (!row.outcome.journal_error.empty()) {
    report.unmet.push_back(where +
                           "running cases could not be kept on disk: " + row.outcome.journal_error);
  }
}

// What all runs of a gate have in common.
struct GateInputs {
  const Options& options;
  Shard shard;
  const LoadedCases& corpus;
  const LeftOver& left_over;
  double seconds_per_run = 0;
};

// How many cases a run would have when nothing stops it.
int64_t num_planned(const GateInputs& inputs, const OpProperties& properties, BackendKind backend) {
  const Op& op = *properties.op;
  const int64_t num_generated_here =
      (num_generated(inputs.options, properties) - inputs.shard.idx + inputs.shard.count - 1) /
      inputs.shard.count;
  const int64_t num_kept = std::count_if(inputs.corpus.cases.begin(), inputs.corpus.cases.end(),
                                         [&](const Case& c) { return c.op == &op; }) -
                           num_for_other_backends(inputs.corpus, op, backend);
  return num_kept + num_generated_here + inputs.left_over.num_cases(op, backend);
}

RunRow gate_op(const OpProperties& properties, const ChosenBackends::Entry& backend,
               const GateInputs& inputs) {
  const Options& options = inputs.options;
  RunOptions run = run_options(options, backend.kind);
  run.findings_dir = findings_dir(options);
  run.fail_fast = options.fail_fast;
  run.checks = options.without_oracle ? kWithoutOracle : kFollowSome;
  if (inputs.seconds_per_run > 0) {
    run.deadline = std::chrono::steady_clock::now() +
                   std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                       std::chrono::duration<double>(inputs.seconds_per_run));
  }
  Progress progress(std::string(properties.op->name) + " on " +
                    std::string(backend_name(backend.kind)));
  run.progress = progress.callback();
  const GeneratedRange range = {.seed = options.seed,
                                .num_cases = num_generated(options, properties),
                                .shard = inputs.shard.idx,
                                .num_shards = inputs.shard.count};
  CaseSource source = joined({inputs.left_over.source(*properties.op, backend.kind),
                              source_of_files(inputs.corpus, *properties.op, backend.kind),
                              source_of_generator(properties, range, backend.kind)});
  return {.properties = &properties,
          .backend = backend.kind,
          .backend_description = backend.description,
          .outcome = bytegate::run(properties, std::move(source), run)};
}

void run_all(const std::vector<const OpProperties*>& ops, const ChosenBackends& backends,
             const GateInputs& inputs, Report& report) {
  int64_t num_cases = 0;
  bool stopped = false;
  for (const OpProperties* properties : ops) {
    for (const ChosenBackends::Entry& backend : backends.entries) {
      const std::string where =
          std::string(properties->op->name) + " on " + std::string(backend_name(backend.kind));
      const int64_t num_planned_here = num_planned(inputs, *properties, backend.kind);
      if (interrupted()) {
        stopped = true;
        num_cases += num_planned_here;
        report.absent.push_back(where + ": the gate was interrupted before it began");
        continue;
      }
      RunRow row = gate_op(*properties, backend, inputs);
      // One that was asked for, and one of ours, must be there.
      if (inputs.options.op.empty() && !is_production(report) && is_foreign(row)) {
        report.absent.push_back(where + ": the candidate does not have this operation");
        continue;
      }
      num_cases += num_planned_here;
      stopped = stopped || row.outcome.stopped;
      report.rows.push_back(std::move(row));
      note_unmet(report.rows.back(), report);
      note_absent(report.rows.back(), inputs.corpus, report);
    }
  }
  if (stopped) {
    note_interrupted(num_cases, report);
  } else if (report.rows.empty()) {
    report.unmet.push_back("the candidate has none of the operations");
  }
}

int gate(const Options& options, const std::string& command_line) {
  heed_interrupts();
  const std::optional<Shard> shard = parse_shard(options.shard);
  if (!shard) {
    complain("--shard " + options.shard + ": must be I/N with 0 <= I < N");
    return kExitUsage;
  }
  const std::vector<const OpProperties*> ops = chosen_ops(options);
  const std::unique_ptr<Candidate> candidate = chosen_candidate(options);
  if (ops.empty() || candidate == nullptr) return kExitUsage;
  Report report;
  report.command = command_line;
  report.candidate = candidate->name() + " " + candidate->table().version;
  report.seed = options.seed;
  report.without_oracle = options.without_oracle;
  if (!options.list.empty() && (options.without_oracle || !options.sanitizer.checker.empty())) {
    complain(
        "--list compares bytes with the oracle on a backend: neither --without-oracle nor "
        "--sanitizer goes with it");
    return kExitUsage;
  }
  if (!options.sanitizer.checker.empty()) {
    if (options.without_oracle) {
      complain("--without-oracle contradicts --sanitizer, which judges by the oracle");
      return kExitUsage;
    }
    return gate_under_sanitizer(options, ops, load_corpus(options, report), report);
  }
  const ChosenBackends backends = chosen_backends(options, *candidate);
  if (backends.exit_code != kExitPass) return backends.exit_code;
  report.absent = backends.absent;
  if (!options.list.empty()) return gate_lists(options, ops, backends, report);
  const std::string findings = findings_dir(options);
  remove_half_written(findings, options, report);
  const LeftOver left_over(findings, options, ops, backends, report);
  const LoadedCases corpus = load_corpus(options, report);
  const double num_runs = static_cast<double>(ops.size() * backends.entries.size());
  run_all(ops, backends,
          {.options = options,
           .shard = *shard,
           .corpus = corpus,
           .left_over = left_over,
           .seconds_per_run = options.seconds / num_runs},
          report);
  return finish(report, options.report);
}

}  // namespace

void add_gate(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand(
      "gate", "replay the corpus and the trace cases, then check generated cases");
  auto options = std::make_shared<Options>();
  add_candidate_options(*command, *options);
  add_run_options(*command, *options);
  add_corpus_options(*command, *options);
  command->add_flag("--without-oracle", options->without_oracle,
                    "judge by invariants and relations between outputs alone (default cases: a "
                    "tenth)");
  add_sanitizer_options(*command, *options);
  command->callback([options, &context] {
    context.chosen = [options, &context] { return gate(*options, context.command_line); };
  });
}

}  // namespace bytegate::cli
