#include "ci/cli/options.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <thread>

#include "fuzz/interrupt.h"
#include "kernels/builtin_candidate.h"
#include "kernels/library_probe.h"
#include "kernels/worker_limits.h"

namespace bytegate::cli {
namespace {

constexpr double kMaxSeconds = 1e7;
constexpr double kMaxMemoryMib = 1 << 30;

std::string known_ops() {
  std::string names;
  for (const OpProperties& properties : all_properties()) {
    names += (names.empty() ? "" : ", ") + std::string(properties.op->name);
  }
  return names;
}

// "100000", or "2500 .. 100000" where operations differ.
std::string gate_cases_text() {
  int64_t least = kMaxCases;
  int64_t most = 0;
  for (const OpProperties& properties : all_properties()) {
    least = std::min(least, properties.gate_cases);
    most = std::max(most, properties.gate_cases);
  }
  return (least == most ? "" : std::to_string(least) + " .. ") + std::to_string(most);
}

}  // namespace

void add_candidate_options(CLI::App& app, Options& options) {
  app.add_option("--candidate", options.candidate,
                 "production, baseline, or the path of a shared library")
      ->capture_default_str();
  app.add_option("--backend", options.backend, "where to run: host, cuda, or all that are there")
      ->check(CLI::IsMember({"host", "cuda", "all"}))
      ->capture_default_str();
  app.add_flag("--require-gpu", options.require_gpu, "a missing cuda backend is an error (exit 4)");
  app.add_option("--case-seconds", options.case_seconds,
                 "time after which a candidate hangs; large cases get more")
      ->check(CLI::Range(0.05, kMaxSeconds).description("0.05 .. 10^7"))
      ->capture_default_str();
  app.add_option("--memory-mib", options.memory_mib,
                 "host memory that a candidate may take (default: half of what there is, shared by "
                 "the jobs)")
      ->check(CLI::Range(0.0, kMaxMemoryMib).description("0 .. 2^30"));
  app.add_option("--arch", options.arch, "host: architecture whose limits the executor applies")
      ->check(CLI::IsMember({80, 86, 89, 90, 100, 120}))
      ->capture_default_str();
}

void add_job_options(CLI::App& app, Options& options) {
  app.add_option("--op", options.op, "one operation (default: all)");
  app.add_option(
         "--seconds", options.seconds,
         "start no new case after this time, which all runs share (default: when all cases ran)")
      ->check(CLI::Range(0.0, kMaxSeconds).description("0 .. 10^7"));
  app.add_option("--jobs", options.num_jobs, "threads (default: one per processor)")
      ->check(CLI::Range(0, kMaxJobs));
  app.add_option("--report", options.report, "folder for report.json, junit.xml and summary.md");
  app.add_option("--minimize-seconds", options.minimize_seconds, "time to make a failure small")
      ->check(CLI::Range(0.0, kMaxSeconds).description("0 .. 10^7"))
      ->capture_default_str();
}

void add_run_options(CLI::App& app, Options& options) {
  add_job_options(app, options);
  app.add_option(
         "--cases", options.num_cases,
         "generated cases per operation and backend (default: as many as the operation asks for, " +
             gate_cases_text() + ")")
      ->check(CLI::Range(int64_t{0}, kMaxCases).description("0 .. 10^12"));
  app.add_option("--seed", options.seed, "which generated cases; printed with every run")
      ->capture_default_str();
  app.add_option("--shard", options.shard, "I/N: every N-th generated case, from the I-th on")
      ->capture_default_str();
  app.add_option(
      "--list", options.list,
      "instead: a list of cases as another suite runs it, its bytes compared and nothing "
      "else (all: each)");
  app.add_flag("--fail-fast", options.fail_fast,
               "end a run at its first failure, once that is minimised and saved");
}

void add_corpus_options(CLI::App& app, Options& options) {
  app.add_option("--corpus", options.corpus,
                 "folder of case files (default: ./corpus when it is there)");
  app.add_flag("--large", options.large,
               "with the corpus cases in folders `large`, which take gigabytes");
  app.add_flag("--no-corpus", options.no_corpus, "generated cases only")
      ->excludes("--corpus", "--large");
  app.add_option("--findings", options.findings, "folder for new findings (default: the corpus)");
}

std::string program_path() {
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) return "bytegate";
  const char* path = std::getenv("PATH");
  std::string_view folders = path == nullptr ? "" : path;
  while (!folders.empty()) {
    const std::string_view folder = folders.substr(0, folders.find(':'));
    folders.remove_prefix(std::min(folder.size() + 1, folders.size()));
    if (std::filesystem::equivalent(std::filesystem::path(folder) / "bytegate", self, error)) {
      return "bytegate";
    }
  }
  std::filesystem::path relative = std::filesystem::proximate(self, error);
  // A shell looks for a bare name in PATH only.
  if (!relative.has_parent_path()) relative = "." / relative;
  return relative.native().size() < self.native().size() ? relative.string() : self.string();
}

void complain(const std::string& message) {
  std::cerr << "bytegate: " << message << "\n";
}

std::vector<const OpProperties*> chosen_ops(const Options& options) {
  std::vector<const OpProperties*> chosen;
  for (const OpProperties& properties : all_properties()) {
    if (options.op.empty() || options.op == properties.op->name) chosen.push_back(&properties);
  }
  if (chosen.empty()) {
    complain("--op " + options.op + ": no such operation; there are: " + known_ops());
  }
  return chosen;
}

std::unique_ptr<Candidate> chosen_candidate(const Options& options) {
  if (builtin_candidate(options.candidate) == nullptr) {
    if (const std::string error = probe_library(options.candidate); !error.empty()) {
      complain("unloadable: " + error);
      return nullptr;
    }
  }
  Candidate::Result opened = open_candidate(options.candidate);
  if (opened.candidate == nullptr) complain("unloadable: " + opened.error);
  return std::move(opened.candidate);
}

ChosenBackends chosen_backends(const Options& options, const Candidate& candidate) {
  ChosenBackends chosen;
  for (const BackendKind kind : {BackendKind::kHost, BackendKind::kCuda}) {
    const std::string name(backend_name(kind));
    const bool asked = options.backend == name;
    if (options.backend != "all" && !asked) continue;
    std::string reason;
    if (!candidate.runs_on(kind)) {
      reason = "candidate " + candidate.name() + " does not run there";
    } else {
      BackendResult opened = open_backend(kind, backend_options(options));
      reason = opened.absent_reason;
      if (opened.backend != nullptr) {
        chosen.entries.push_back({kind, opened.backend->description()});
        continue;
      }
    }
    chosen.absent.push_back(name + ": " + reason);
    if (asked || (kind == BackendKind::kCuda && options.require_gpu)) {
      complain("the " + name + " backend was asked for, but is missing: " + reason);
      chosen.exit_code = kExitNoBackend;
    }
  }
  if (options.require_gpu && options.backend == "host") {
    complain("--require-gpu contradicts --backend host");
    chosen.exit_code = kExitUsage;
  }
  if (chosen.entries.empty() && chosen.exit_code == kExitPass) {
    complain("no backend is left to run on");
    chosen.exit_code = kExitNoBackend;
  }
  return chosen;
}

std::string corpus_dir(const Options& options) {
  if (!options.corpus.empty()) return options.corpus;
  if (std::filesystem::exists("corpus/FORMAT.md")) return "corpus";
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  const auto installed = self.parent_path().parent_path() / "share/bytegate/corpus";
  return std::filesystem::exists(installed / "FORMAT.md", error) ? installed.string() : "";
}

std::string findings_dir(const Options& options) {
  if (!options.findings.empty()) return options.findings;
  if (!options.corpus.empty()) return options.corpus;
  return std::filesystem::exists("corpus/FORMAT.md") ? "corpus" : "bytegate-findings";
}

int64_t num_generated(const Options& options, const OpProperties& properties) {
  // What is followed up costs five cases.
  const int64_t wanted = properties.gate_cases / (options.without_oracle ? 10 : 1);
  return options.num_cases.value_or(wanted);
}

BackendOptions backend_options(const Options& options) {
  constexpr double kBytesPerMib = 1 << 20;
  BackendOptions backend;
  backend.arch = options.arch;
  backend.give_up = out_of_patience;
  backend.case_limit = std::chrono::milliseconds(static_cast<int64_t>(options.case_seconds * 1000));
  backend.worker_memory_bytes = static_cast<uint64_t>(options.memory_mib * kBytesPerMib);
  return backend;
}

RunOptions run_options(const Options& options, BackendKind backend) {
  RunOptions run;
  run.program = program_path();
  run.version = BYTEGATE_VERSION;
  run.stop = interrupted;
  run.candidate = options.candidate;
  run.backend = backend;
  run.backend_options = backend_options(options);
  run.num_jobs = options.num_jobs > 0 ? options.num_jobs
                                      : static_cast<int>(std::thread::hardware_concurrency());
  // Workers that all take what each may must not bring the machine down.
  if (options.memory_mib == 0) {
    run.backend_options.worker_memory_bytes =
        default_worker_memory_bytes() / static_cast<uint64_t>(std::max(run.num_jobs, 1));
  }
  run.minimize.time_limit =
      std::chrono::milliseconds(static_cast<int64_t>(options.minimize_seconds * 1000));
  return run;
}

std::optional<Shard> parse_shard(const std::string& text) {
  Shard shard;
  const char* end = text.data() + text.size();
  const auto idx = std::from_chars(text.data(), end, shard.idx);
  if (idx.ec != std::errc() || idx.ptr == end || *idx.ptr != '/') return std::nullopt;
  const auto count = std::from_chars(idx.ptr + 1, end, shard.count);
  if (count.ec != std::errc() || count.ptr != end) return std::nullopt;
  if (shard.count < 1 || shard.count > kMaxShards || shard.idx < 0 || shard.idx >= shard.count)
    return std::nullopt;
  return shard;
}

}  // namespace bytegate::cli
