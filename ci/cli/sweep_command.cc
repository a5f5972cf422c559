#include <chrono>
#include <filesystem>
#include <iostream>
#include <set>
#include <system_error>

#include "ci/cli/case_summary.h"
#include "ci/cli/commands.h"
#include "ci/cli/options.h"
#include "ci/cli/progress.h"
#include "ci/cli/report.h"
#include "ci/cli/report_sweep.h"
#include "fuzz/interrupt.h"
#include "fuzz/sweep.h"
#include "fuzz/sweep_state.h"
#include "oracles/durable_file.h"

namespace bytegate::cli {
namespace {

struct SweepOptions {
  std::string world;  // empty: all that are not large
  std::string state;  // empty: nothing is recorded
};

struct ChosenWorld {
  const OpProperties* properties = nullptr;
  const World* world = nullptr;
};

// What all sweeps of a command have in common.
struct SweepInputs {
  const Options& options;
  const SweepOptions& sweep;
  Shard shard;
  std::optional<Sweep::Clock::time_point> deadline;
};

// Empty after a complaint.
std::vector<ChosenWorld> chosen_worlds(const std::vector<const OpProperties*>& ops,
                                       const std::string& name) {
  std::vector<ChosenWorld> chosen;
  std::string known;
  for (const OpProperties* properties : ops) {
    for (const World& world : properties->worlds) {
      if (name.empty() ? !world.large : world.name == name) chosen.push_back({properties, &world});
      const std::string quoted = std::string(world.name) + ", ";
      if (known.find(quoted) == std::string::npos) known += quoted;
    }
  }
  if (!chosen.empty()) return chosen;
  if (known.empty()) {
    complain("the operation has no world");
  } else {
    complain("--world " + name +
             ": no such world; there are: " + known.substr(0, known.size() - 2));
  }
  return {};
}

bool make_folder(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) complain("--state " + folder + ": " + error.message());
  return !error;
}

void say(const std::string& line, Report& report) {
  std::cout << line << std::endl;
  report.notes.push_back(line);
}

// One world on one backend.
class WorldSweep {
 public:
  WorldSweep(const ChosenWorld& chosen, const ChosenBackends::Entry& backend,
             const SweepInputs& inputs)
      : chosen_(chosen),
        backend_(backend),
        inputs_(inputs),
        parts_(divide(*chosen.world)),
        shard_{.first = inputs.shard.idx, .count = inputs.shard.count},
        wanted_(parts_of_shard(parts_, shard_)),
        passed_(parts_.num_parts()) {}

  // Takes what earlier sweeps recorded, and gives what is wrong with their files.
  std::vector<std::string> load(const BuildDigest& build, Report& report);
  RunRow run();
  [[nodiscard]] int64_t num_to_run() const { return num_cases_of(parts_, wanted_) - num_before(); }
  [[nodiscard]] std::string where() const {
    return std::string(chosen_.properties->op->name) + " " + std::string(chosen_.world->name) +
           " on " + std::string(backend_name(backend_.kind));
  }

 private:
  [[nodiscard]] std::string what_it_runs_on() const {
    return backend_.description + " arch " + std::to_string(inputs_.options.arch);
  }
  [[nodiscard]] bool has_state() const { return !inputs_.sweep.state.empty(); }
  [[nodiscard]] int64_t num_before() const;
  std::optional<std::string> keep(const PartSet& passed) const;

  const ChosenWorld& chosen_;
  const ChosenBackends::Entry& backend_;
  const SweepInputs& inputs_;
  WorldParts parts_;
  PartShard shard_;
  PartSet wanted_;
  PartSet passed_;  // before
  SweepIdentity identity_;
};

int64_t WorldSweep::num_before() const {
  PartSet both(parts_.num_parts());
  for (int64_t part = 0; part < parts_.num_parts(); ++part) {
    if (wanted_.has(part) && passed_.has(part)) both.add(part);
  }
  return num_cases_of(parts_, both);
}

std::vector<std::string> WorldSweep::load(const BuildDigest& build, Report& report) {
  identity_ = {.op = std::string(chosen_.properties->op->name),
               .world = std::string(chosen_.world->name),
               .backend = std::string(backend_name(backend_.kind)),
               .candidate = candidate_identity(inputs_.options.candidate),
               .version = sweep_version(*chosen_.world, build, what_it_runs_on())};
  SweepRecords records = load_sweep_records(inputs_.sweep.state, identity_, parts_.num_parts());
  passed_ = std::move(records.passed);
  if (records.num_files > 0 && records.errors.empty()) {
    say("resumes " + where() + ": " + with_commas(num_before()) + " of " +
            with_commas(num_cases_of(parts_, wanted_)) + " cases passed before (" +
            inputs_.sweep.state + ")",
        report);
  }
  return records.errors;
}

std::optional<std::string> WorldSweep::keep(const PartSet& passed) const {
  return write_durably(sweep_record_path(inputs_.sweep.state, identity_, shard_),
                       sweep_record_text(identity_, passed));
}

RunRow WorldSweep::run() {
  Sweep::Task task = {
      .world = chosen_.world, .wanted = wanted_, .passed = passed_, .deadline = inputs_.deadline};
  if (has_state()) task.keep = [this](const PartSet& passed) { return keep(passed); };
  Sweep sweep(std::move(task));
  RunOptions options = run_options(inputs_.options, backend_.kind);
  options.findings_dir = findings_dir(inputs_.options);
  Progress progress(where());
  options.progress = progress.callback();
  const int64_t num_asked = num_cases_of(parts_, wanted_);
  RunOutcome outcome(*chosen_.properties);
  // With nothing to do no worker need be started.
  if (num_before() < num_asked) {
    outcome = bytegate::run(*chosen_.properties, sweep.source(), options);
  }
  sweep.finish();
  outcome.out_of_time = sweep.out_of_time();
  if (!sweep.keep_error().empty()) outcome.journal_error = sweep.keep_error();
  RunRow row = {.properties = chosen_.properties,
                .backend = backend_.kind,
                .backend_description = backend_.description,
                .outcome = std::move(outcome)};
  row.sweep = SweepRow{.world = std::string(chosen_.world->name),
                       .shard = shard_.count > 1 ? inputs_.options.shard : "",
                       .state = inputs_.sweep.state,
                       .num_cases = parts_.num_cases,
                       .num_asked = num_asked,
                       .num_before = num_before(),
                       .num_run = sweep.num_judged(),
                       .num_passed_ever = num_cases_of(parts_, sweep.passed())};
  return row;
}

void note_unmet(const std::string& where, const RunRow& row, Report& report) {
  const RunOutcome& outcome = row.outcome;
  if (!outcome.journal_error.empty()) {
    report.unmet.push_back(where + ": what passed could not be recorded: " + outcome.journal_error);
  }
  if (outcome.out_of_time)
    report.absent.push_back(where + ": the time ran out before its last case");
  // One that was stopped, or had an error, is red for that.
  if (is_complete(*row.sweep) || outcome.stopped || !outcome.error.empty()) return;
  report.unmet.push_back(where + ": only " + sweep_text(*row.sweep));
}

// Whether the records of all worlds can be relied on; else after complaints.
bool load_all(std::vector<WorldSweep>& sweeps, const Options& options, Report& report) {
  const BuildDigest build = build_digest(options.candidate);
  std::set<std::string> errors;  // a damaged file is one for every world
  if (!build.error.empty()) errors.insert(build.error);
  for (WorldSweep& sweep : sweeps) {
    for (std::string& error : sweep.load(build, report)) errors.insert(std::move(error));
  }
  for (const std::string& error : errors) complain("--state: " + error);
  return errors.empty();
}

void run_all(std::vector<WorldSweep>& sweeps, const Options& options, Report& report) {
  int64_t num_cases = 0;
  bool stopped = false;
  for (WorldSweep& sweep : sweeps) {
    const std::string where = "world " + sweep.where();
    if (interrupted()) {
      stopped = true;
      num_cases += sweep.num_to_run();
      report.absent.push_back(where + ": the sweep was interrupted before it began");
      continue;
    }
    RunRow row = sweep.run();
    if (options.op.empty() && !is_production(report) && is_foreign(row)) {
      report.absent.push_back(where + ": the candidate does not have this operation");
      continue;
    }
    if (row.sweep->num_asked == 0) {
      report.absent.push_back(where + ": no case of it is in shard " + options.shard);
      continue;
    }
    num_cases += row.sweep->num_asked - row.sweep->num_before;
    stopped = stopped || row.outcome.stopped;
    note_unmet(where, row, report);
    report.rows.push_back(std::move(row));
  }
  if (stopped) {
    note_interrupted(num_cases, report);
  } else if (report.rows.empty()) {
    report.unmet.push_back("no world was swept");
  }
}

int sweep(const Options& options, const SweepOptions& sweep, const std::string& command_line) {
  heed_interrupts();
  const std::optional<Shard> shard = parse_shard(options.shard);
  if (!shard) {
    complain("--shard " + options.shard + ": must be I/N with 0 <= I < N");
    return kExitUsage;
  }
  const std::vector<const OpProperties*> ops = chosen_ops(options);
  if (ops.empty()) return kExitUsage;
  const std::vector<ChosenWorld> worlds = chosen_worlds(ops, sweep.world);
  const std::unique_ptr<Candidate> candidate = chosen_candidate(options);
  if (worlds.empty() || candidate == nullptr) return kExitUsage;
  if (!sweep.state.empty() && !make_folder(sweep.state)) return kExitUsage;
  const ChosenBackends backends = chosen_backends(options, *candidate);
  if (backends.exit_code != kExitPass) return backends.exit_code;
  Report report;
  report.command = command_line;
  report.candidate = candidate->name() + " " + candidate->table().version;
  report.seed = options.seed;
  report.absent = backends.absent;
  SweepInputs inputs = {.options = options, .sweep = sweep, .shard = *shard, .deadline = {}};
  if (options.seconds > 0) {
    inputs.deadline = Sweep::Clock::now() + std::chrono::duration_cast<Sweep::Clock::duration>(
                                                std::chrono::duration<double>(options.seconds));
  }
  std::vector<WorldSweep> sweeps;
  for (const ChosenWorld& chosen : worlds) {
    for (const ChosenBackends::Entry& backend : backends.entries) {
      sweeps.emplace_back(chosen, backend, inputs);
    }
  }
  if (!sweep.state.empty()) {
    remove_stale_temps(sweep.state);
    if (!load_all(sweeps, options, report)) return kExitUsage;
  }
  run_all(sweeps, options, report);
  return finish(report, options.report);
}

}  // namespace

void add_sweep(CLI::App& app, Context& context) {
  CLI::App* command =
      app.add_subcommand("sweep", "check every case of the small worlds (see `list`)");
  auto options = std::make_shared<Options>();
  auto sweeping = std::make_shared<SweepOptions>();
  add_candidate_options(*command, *options);
  add_job_options(*command, *options);
  command->add_option("--world", sweeping->world, "one world (default: all that are not large)");
  command
      ->add_option("--shard", options->shard,
                   "I/N: every N-th part of each world, from the I-th on")
      ->capture_default_str();
  command->add_option("--state", sweeping->state,
                      "folder that records what passed, so that it need not run again");
  command->add_option("--findings", options->findings,
                      "folder for new findings (default: ./corpus when it is there)");
  command->callback([options, sweeping, &context] {
    context.chosen = [options, sweeping, &context] {
      return sweep(*options, *sweeping, context.command_line);
    };
  });
}

}  // namespace bytegate::cli
