#include <filesystem>
#include <iostream>

#include "ci/cli/case_summary.h"
#include "ci/cli/commands.h"
#include "ci/cli/options.h"
#include "ci/cli/progress.h"
#include "ci/cli/report.h"
#include "fuzz/interrupt.h"
#include "fuzz/sources.h"
#include "oracles/case_text.h"
#include "properties/trace/selection.h"
#include "properties/trace/trace_reader.h"

namespace bytegate::cli {
namespace {

struct TraceArguments {
  Options options;
  trace::BatchingOptions batching;
  std::string file;
  std::string out;
  std::string note;
  int64_t count = 32;
};

// Writes a selection of batches as case files.
int write_cases(const TraceArguments& arguments, const OpProperties& properties,
                const std::vector<trace::Request>& requests) {
  const auto selected = trace::select_batches(requests, arguments.batching, arguments.count);
  if (const auto* error = std::get_if<trace::BatchingError>(&selected)) {
    complain(trace::to_string(*error));
    return kExitUsage;
  }
  std::error_code error;
  std::filesystem::create_directories(arguments.out, error);
  int64_t num_written = 0;
  for (const trace::ServedBatch& batch : std::get<std::vector<trace::ServedBatch>>(selected)) {
    Draw draw(case_seed(arguments.options.seed, static_cast<uint64_t>(batch.step_idx)));
    Case c = properties.of_batch(batch, draw);
    c.note = arguments.note;
    const std::string path = arguments.out + "/" +
                             std::filesystem::path(arguments.file).stem().string() + "-b" +
                             std::to_string(batch.context_lens.size()) + ".case";
    if (const auto failure = save_case(path, c)) {
      complain(*failure);
      return kExitUsage;
    }
    ++num_written;
  }
  std::cout << num_written << " cases written to " << arguments.out << "\n";
  return kExitPass;
}

int gate_batches(const TraceArguments& arguments, const std::vector<const OpProperties*>& ops,
                 const std::vector<trace::Request>& requests, const std::string& command_line) {
  heed_interrupts();
  const std::unique_ptr<Candidate> candidate = chosen_candidate(arguments.options);
  if (candidate == nullptr) return kExitUsage;
  const ChosenBackends backends = chosen_backends(arguments.options, *candidate);
  if (backends.exit_code != kExitPass) return backends.exit_code;
  Report report;
  report.command = command_line;
  report.candidate = candidate->name() + " " + candidate->table().version;
  report.seed = arguments.options.seed;
  report.absent = backends.absent;
  bool stopped = false;
  for (const OpProperties* properties : ops) {
    if (properties->of_batch == nullptr) continue;
    for (const ChosenBackends::Entry& backend : backends.entries) {
      if (interrupted()) {
        stopped = true;
        report.absent.push_back(std::string(properties->op->name) + " on " +
                                std::string(backend_name(backend.kind)) +
                                ": the trace was interrupted before it began");
        continue;
      }
      auto served = trace::ServedRun::create(requests, arguments.batching);
      if (const auto* error = std::get_if<trace::BatchingError>(&served)) {
        complain(trace::to_string(*error));
        return kExitUsage;
      }
      RunOptions run = run_options(arguments.options, backend.kind);
      run.findings_dir = findings_dir(arguments.options);
      Progress progress("trace on " + std::string(backend_name(backend.kind)));
      run.progress = progress.callback();
      CaseSource source = source_of_trace(
          *properties, std::get<trace::ServedRun>(std::move(served)), arguments.options.seed);
      report.rows.push_back({.properties = properties,
                             .backend = backend.kind,
                             .backend_description = backend.description,
                             .outcome = bytegate::run(*properties, std::move(source), run)});
      stopped = stopped || report.rows.back().outcome.stopped;
    }
  }
  if (stopped) note_interrupted(0, report);
  return finish(report, arguments.options.report);
}

int run_trace(const TraceArguments& arguments, const std::string& command_line) {
  const std::vector<const OpProperties*> ops = chosen_ops(arguments.options);
  if (ops.empty()) return kExitUsage;
  const trace::TraceResult read = trace::read_trace_file(arguments.file);
  if (const auto* error = std::get_if<trace::TraceError>(&read)) {
    complain(arguments.file + ": " + trace::to_string(*error));
    return kExitUsage;
  }
  const auto& requests = std::get<std::vector<trace::Request>>(read);
  if (arguments.out.empty()) return gate_batches(arguments, ops, requests, command_line);
  int code = kExitPass;
  for (const OpProperties* properties : ops) {
    if (properties->of_batch == nullptr) continue;
    code = std::max(code, write_cases(arguments, *properties, requests));
  }
  return code;
}

}  // namespace

void add_trace(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand(
      "trace", "replay a request trace as continuous batching, and gate its decode steps");
  auto arguments = std::make_shared<TraceArguments>();
  command
      ->add_option("file", arguments->file,
                   "CSV (TIMESTAMP, ContextTokens, GeneratedTokens) or JSON Lines (timestamp, "
                   "input_length, output_length)")
      ->required();
  command->add_option("--step-ms", arguments->batching.step_ms, "time of one decode step")
      ->capture_default_str();
  command->add_option("--max-batch", arguments->batching.max_batch, "slots")->capture_default_str();
  command->add_option("--page-size", arguments->batching.page_size, "tokens to a page of slots")
      ->capture_default_str();
  command->add_option("--every", arguments->batching.every, "take every N-th decode step")
      ->capture_default_str();
  command->add_option("--speedup", arguments->batching.speedup, "divides arrival times")
      ->capture_default_str();
  command->add_option("--out", arguments->out, "write case files to this folder, and gate nothing");
  command->add_option("--count", arguments->count, "with --out: how many batches")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command->add_option("--note", arguments->note, "with --out: the source, kept in every file");
  add_candidate_options(*command, arguments->options);
  command->add_option("--op", arguments->options.op, "one operation (default: all)");
  command->add_option("--seed", arguments->options.seed, "num_sm of each batch follows from it")
      ->capture_default_str();
  command->add_option("--jobs", arguments->options.num_jobs, "threads (default: one per processor)")
      ->check(CLI::Range(0, kMaxJobs));
  command->add_option("--report", arguments->options.report,
                      "folder for report.json, junit.xml and summary.md");
  command->add_option("--findings", arguments->options.findings, "folder for new findings");
  command->callback([arguments, &context] {
    context.chosen = [arguments, &context] { return run_trace(*arguments, context.command_line); };
  });
}

}  // namespace bytegate::cli
