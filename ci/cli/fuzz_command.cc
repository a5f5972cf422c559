#include <algorithm>
#include <chrono>
#include <filesystem>
#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "ci/cli/commands.h"
#include "ci/cli/options.h"
#include "ci/cli/report.h"
#include "ci/cli/report_campaign.h"
#include "fuzz/campaign/campaign.h"
#include "fuzz/finding_folder.h"
#include "fuzz/interrupt.h"
#include "fuzz/sources.h"
#include "kernels/builtin_candidate.h"

namespace bytegate::cli {
namespace {

namespace fs = std::filesystem;

struct FuzzOptions {
  std::string state;
  int64_t num_rounds = 0;
  int64_t num_streams = 0;  // 0: as many as the jobs need
  int64_t slice_runs = 100000;
  int64_t slice_cases = 0;
  std::string targets;  // empty: where they are built
  bool no_guided = false;
  bool no_drawn = false;
};

// build/X/ci/cli/bytegate: build/fuzz_fast/fuzz/guided.
std::string default_targets() {
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  return (self.parent_path() / "../../../fuzz_fast/fuzz/guided").lexically_normal().string();
}

// All that are there, also of operations that are not asked for: they are what a campaign starts
// from. False after a complaint: one that is needed is missing.
bool find_targets(const FuzzOptions& fuzz, CampaignOptions& campaign) {
  const std::string folder = fuzz.targets.empty() ? default_targets() : fuzz.targets;
  for (const OpProperties& properties : all_properties()) {
    const std::string op(properties.op->name);
    const std::string path = folder + "/" + op + "_fuzzer";
    std::error_code error;
    if (fs::exists(path, error)) {
      campaign.targets[op] = path;
    } else if (std::count(campaign.ops.begin(), campaign.ops.end(), &properties) > 0) {
      complain(path +
               ": no such target; `ci/build fuzz_fast all` builds them, --targets names their "
               "folder, and --no-guided does without");
      return false;
    }
  }
  return true;
}

// False after a complaint: the corpus cannot be read.
bool load_start_cases(const Options& options, CampaignOptions& campaign) {
  const std::string folder = corpus_dir(options);
  if (options.no_corpus || folder.empty()) return true;
  CaseFiles files = find_case_files(folder);
  if (!files.error.empty()) {
    complain(files.error);
    return false;
  }
  std::erase_if(files.paths, is_large_case);
  LoadedCases loaded = load_case_files(files.paths, all_ops());
  for (const std::string& error : loaded.errors) complain(error);
  campaign.start_cases = std::move(loaded.cases);
  return loaded.errors.empty();
}

// A chain has one slice under way at a time, so that few chains leave jobs idle.
int64_t streams_for(int num_jobs, size_t num_chains) {
  const int64_t chains = std::max<int64_t>(static_cast<int64_t>(num_chains), 1);
  return (num_jobs + chains - 1) / chains;
}

void set_times(const Options& options, CampaignOptions& campaign) {
  if (options.seconds <= 0) return;
  const auto whole = std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::duration<double>(options.seconds));
  campaign.deadline = std::chrono::steady_clock::now() + whole;
  campaign.patience = std::clamp<std::chrono::milliseconds>(whole / 10, std::chrono::seconds(1),
                                                            std::chrono::seconds(60));
}

CampaignOptions campaign_options(const Options& options, const FuzzOptions& fuzz,
                                 const Shard& shard, const ChosenBackends& backends,
                                 std::vector<const OpProperties*> ops) {
  CampaignOptions campaign;
  campaign.state = fuzz.state;
  campaign.ops = std::move(ops);
  campaign.seed = options.seed;
  campaign.slice_runs = fuzz.slice_runs;
  campaign.slice_cases = fuzz.slice_cases;
  campaign.num_rounds = fuzz.num_rounds;
  campaign.run = run_options(options, BackendKind::kHost);
  campaign.run.checks = kFollowSome;
  campaign.num_jobs = campaign.run.num_jobs;
  // Ten times as long as executions take that are slow.
  campaign.slice_limit += std::chrono::milliseconds(10 * fuzz.slice_runs);
  if (options.memory_mib > 0) {
    campaign.target_memory_mib = std::max<int64_t>(static_cast<int64_t>(options.memory_mib), 256);
  }
  for (const ChosenBackends::Entry& backend : backends.entries) {
    if (!fuzz.no_drawn) campaign.backends.push_back(backend.kind);
  }
  const int64_t num_streams =
      fuzz.num_streams > 0 ? fuzz.num_streams : streams_for(campaign.num_jobs, campaign.ops.size());
  campaign.shard = {.idx = shard.idx, .count = shard.count, .num_streams = num_streams};
  set_times(options, campaign);
  return campaign;
}

// Gives each finding its folder, once: those of an earlier process have theirs.
std::function<std::optional<std::string>(const Finding&, const OpProperties&)> folder_writer(
    const Options& options, const ChosenBackends& backends) {
  return [&options, &backends](const Finding& finding,
                               const OpProperties& properties) -> std::optional<std::string> {
    std::error_code error;
    if (fs::exists(finding_folder_path(finding.file) + "/README.md", error)) return std::nullopt;
    FindingContext context = {.candidate = options.candidate,
                              .backend_description = {},
                              .program_version = BYTEGATE_VERSION,
                              .backend_options = backend_options(options)};
    for (const ChosenBackends::Entry& backend : backends.entries) {
      if (backend.kind == finding.backend) context.backend_description = backend.description;
    }
    return write_finding_folder(finding, properties, context);
  };
}

int fuzz(const Options& options, const FuzzOptions& fuzz, const std::string& command_line) {
  heed_interrupts();
  const std::optional<Shard> shard = parse_shard(options.shard);
  if (!shard) {
    complain("--shard " + options.shard + ": must be I/N with 0 <= I < N");
    return kExitUsage;
  }
  if (options.seconds <= 0 && fuzz.num_rounds == 0) {
    complain("how long? --seconds S, or --rounds R");
    return kExitUsage;
  }
  const std::vector<const OpProperties*> ops = chosen_ops(options);
  const std::unique_ptr<Candidate> candidate = chosen_candidate(options);
  if (ops.empty() || candidate == nullptr) return kExitUsage;
  const ChosenBackends backends = chosen_backends(options, *candidate);
  if (backends.exit_code != kExitPass) return backends.exit_code;
  CampaignOptions campaign = campaign_options(options, fuzz, *shard, backends, ops);
  if (campaign.shard.idx + campaign.shard.count * campaign.shard.num_streams > kMaxStreams) {
    complain("--streams: there are " + std::to_string(kMaxStreams) + " streams in all");
    return kExitUsage;
  }
  const bool production = options.candidate == "production";
  const bool guided = !fuzz.no_guided && candidate->runs_on(BackendKind::kHost) &&
                      (production || builtin_candidate(options.candidate) == nullptr);
  if (guided && fuzz.state.find(',') != std::string::npos) {
    complain("--state " + fuzz.state + ": the targets' engine cannot take a path with a comma");
    return kExitUsage;
  }
  if (guided && (!find_targets(fuzz, campaign) || !load_start_cases(options, campaign))) {
    return kExitUsage;
  }
  if (!guided && fuzz.no_drawn) {
    complain("nothing is left to run: neither guided nor drawn slices");
    return kExitUsage;
  }
  if (options.require_gpu && fuzz.no_drawn) {
    complain("--require-gpu contradicts --no-drawn: guided slices run on the host");
    return kExitUsage;
  }
  campaign.on_finding = folder_writer(options, backends);
  CampaignProgressLine line;
  campaign.progress = [&line](const CampaignProgress& progress) { line.show(progress); };
  CampaignOutcome outcome = run_campaign(campaign);
  line.clear();
  if (!outcome.refused.empty()) {
    complain(outcome.refused);
    return kExitUsage;
  }
  Report report;
  report.command = command_line;
  report.candidate = candidate->name() + " " + candidate->table().version;
  report.seed = options.seed;
  report.absent = backends.absent;
  if (!guided) {
    report.absent.push_back(fuzz.no_guided
                                ? "guided slices: --no-guided"
                                : "guided slices: the targets do not run " + candidate->name());
  }
  if (fuzz.no_drawn) report.absent.emplace_back("drawn slices: --no-drawn");
  enter_campaign(std::move(outcome), campaign, backends, report);
  if (options.require_gpu && fuzz.num_rounds == 0) demand_slices_now(BackendKind::kCuda, report);
  return finish(report, options.report);
}

}  // namespace

void add_fuzz(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand(
      "fuzz", "a campaign: guided and drawn cases, kept in a folder from which any run goes on");
  auto options = std::make_shared<Options>();
  auto fuzzing = std::make_shared<FuzzOptions>();
  add_candidate_options(*command, *options);
  add_job_options(*command, *options);
  command->add_option("--state", fuzzing->state, "folder that keeps the campaign")->required();
  command->add_option("--rounds", fuzzing->num_rounds, "slices of each chain, then end")
      ->check(CLI::Range(int64_t{1}, kMaxCases).description("1 .. 10^12"));
  command->add_option("--seed", options->seed, "of all that is drawn")->capture_default_str();
  command
      ->add_option("--shard", options->shard,
                   "I/N: streams I, I + N, .. of the campaign, which no other shard runs")
      ->capture_default_str();
  command
      ->add_option("--streams", fuzzing->num_streams,
                   "how many streams this shard runs (default: as many as the jobs need)")
      ->check(CLI::Range(int64_t{1}, kMaxStreams));
  command->add_option("--slice-runs", fuzzing->slice_runs, "executions of a guided slice")
      ->check(CLI::Range(int64_t{1}, kMaxCases).description("1 .. 10^12"))
      ->capture_default_str();
  command
      ->add_option("--slice-cases", fuzzing->slice_cases,
                   "cases of a drawn slice (default: as many as a gate of the operation has)")
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 24));
  command->add_option("--targets", fuzzing->targets,
                      "folder of the coverage-guided targets (default: that of the preset "
                      "fuzz_fast beside this build)");
  command->add_flag("--no-guided", fuzzing->no_guided, "drawn slices only");
  command->add_flag("--no-drawn", fuzzing->no_drawn, "guided slices only");
  command->add_option("--corpus", options->corpus,
                      "case files that guided slices start from (default: ./corpus when it is "
                      "there)");
  command->add_flag("--no-corpus", options->no_corpus, "start from nothing")->excludes("--corpus");
  command->callback([options, fuzzing, &context] {
    context.chosen = [options, fuzzing, &context] {
      return fuzz(*options, *fuzzing, context.command_line);
    };
  });
}

}  // namespace bytegate::cli
