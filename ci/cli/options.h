// What the commands share: options, and what they name.
#pragma once

#include <CLI/CLI.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fuzz/run.h"
#include "properties/op_properties.h"

namespace bytegate::cli {

// Of the vendor's checking tools; see ci/cli/sanitizer.h.
struct SanitizerOptions {
  std::string checker;  // memcheck, ..; empty: none
  std::string path;     // of compute-sanitizer; empty: it is looked for
  std::string bare_backend = "cuda";
  double case_seconds = 300;
};

struct Options {
  std::string op;  // empty: all
  std::string candidate = "production";
  std::string backend = "all";       // host, cuda, all
  std::optional<int64_t> num_cases;  // none: what each operation asks for
  double seconds = 0;                // 0: no limit
  uint64_t seed = 1;
  int num_jobs = 0;  // 0: one per processor
  std::string shard = "0/1";
  bool fail_fast = false;  // a run ends at its first failure
  bool large = false;      // with the corpus cases that take gigabytes
  bool no_corpus = false;
  std::string list;      // of cases of another suite, instead of all others; empty: none
  std::string corpus;    // empty: ./corpus when it is there
  std::string findings;  // empty: the corpus
  std::string report;    // empty: none
  bool without_oracle = false;
  bool require_gpu = false;
  int arch = 90;
  double minimize_seconds = 2;
  double case_seconds = 20;  // until a candidate hangs, beyond what large cases take
  double memory_mib = 0;     // that a worker may hold; 0: half of what there is, shared by all jobs
  SanitizerOptions sanitizer = {};
};

void add_candidate_options(CLI::App& app, Options& options);
// What every command that runs many cases takes.
void add_job_options(CLI::App& app, Options& options);
void add_run_options(CLI::App& app, Options& options);
void add_corpus_options(CLI::App& app, Options& options);

constexpr int64_t kMaxCases = int64_t{1000} * 1000 * 1000 * 1000;
constexpr int kMaxJobs = 1024;
constexpr int64_t kMaxShards = int64_t{1000} * 1000;

// How a line that can be pasted calls this program: by its name where PATH finds it, else by its
// path.
std::string program_path();

// Says `message` on stderr behind "bytegate: ".
void complain(const std::string& message);

// The operations that --op names; empty after a complaint.
std::vector<const OpProperties*> chosen_ops(const Options& options);

// The backends that --backend asks for and that are there for the candidate.
struct ChosenBackends {
  struct Entry {
    BackendKind kind = BackendKind::kHost;
    std::string description;
  };
  std::vector<Entry> entries;
  std::vector<std::string> absent;  // "cuda: built without a toolkit", shown in every report
  int exit_code = kExitPass;        // after a complaint: a required one is missing
};
ChosenBackends chosen_backends(const Options& options, const Candidate& candidate);

// The candidate, or null after a complaint.
std::unique_ptr<Candidate> chosen_candidate(const Options& options);

// --corpus, or ./corpus (known by its FORMAT.md), or the installed one; empty: there is none.
std::string corpus_dir(const Options& options);
// --findings, or the corpus where that may be written, else ./bytegate-findings.
std::string findings_dir(const Options& options);

// How many cases a gate of the operation generates.
int64_t num_generated(const Options& options, const OpProperties& properties);

// How the candidate is run.
BackendOptions backend_options(const Options& options);
RunOptions run_options(const Options& options, BackendKind backend);

struct Shard {
  int64_t idx = 0;
  int64_t count = 1;
};
std::optional<Shard> parse_shard(const std::string& text);

}  // namespace bytegate::cli
