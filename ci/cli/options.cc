#include "ci/cli/options.h"

#include <charconv>
#include <iostream>
#include <thread>

namespace bytegate::cli {
namespace {

std::string known_ops() {
  std::string names;
  for (const OpProperties& properties : all_properties()) {
    names += (names.empty() ? "" : ", ") + std::string(properties.op->name);
  }
  return names;
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
  app.add_option("--arch", options.arch, "host: architecture whose limits the executor applies")
      ->check(CLI::IsMember({80, 86, 89, 90, 100, 120}))
      ->capture_default_str();
}

void add_run_options(CLI::App& app, Options& options) {
  app.add_option("--op", options.op, "one operation (default: all)");
  app.add_option("--cases", options.num_cases, "generated cases per operation and backend")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  app.add_option("--seconds", options.seconds, "stop after this time (default: when all cases ran)")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--seed", options.seed, "which generated cases; printed with every run")
      ->capture_default_str();
  app.add_option("--jobs", options.num_jobs, "threads (default: one per processor)")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--shard", options.shard, "I/N: every N-th generated case, from the I-th on")
      ->capture_default_str();
  app.add_option("--report", options.report, "folder for report.json, junit.xml and summary.md");
  app.add_option("--minimize-seconds", options.minimize_seconds, "time to make a failure small")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
}

void add_corpus_options(CLI::App& app, Options& options) {
  app.add_option("--corpus", options.corpus,
                 "folder of case files (default: ./corpus when it is there)");
  app.add_option("--findings", options.findings, "folder for new findings (default: the corpus)");
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
      BackendResult opened = open_backend(kind, {.arch = options.arch});
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

RunOptions run_options(const Options& options, BackendKind backend) {
  RunOptions run;
  run.candidate = options.candidate;
  run.backend = backend;
  run.backend_options.arch = options.arch;
  run.num_jobs = options.num_jobs > 0 ? options.num_jobs
                                      : static_cast<int>(std::thread::hardware_concurrency());
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
  if (shard.count < 1 || shard.idx < 0 || shard.idx >= shard.count) return std::nullopt;
  return shard;
}

}  // namespace bytegate::cli
