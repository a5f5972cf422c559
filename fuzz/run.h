// Runs cases from any source through the check, on several threads, and keeps what fails.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fuzz/finding.h"
#include "fuzz/tally.h"
#include "kernels/backend.h"
#include "kernels/candidate_handle.h"
#include "properties/check_relations.h"

namespace bytegate {

// Source of the cases that a generator draws; those of a promise are counted among them alone.
constexpr const char* kGeneratedSource = "generated";

// Cases that are checked together. Made on the thread that runs them.
struct CaseBatch {
  std::string source;  // "generated", "corpus", "trace", "interrupted"
  std::function<std::vector<Case>()> make;
  std::vector<std::string> files = {};  // where each case is kept already; empty: nowhere
  // Called once each case has a verdict and what failed is saved. Where it is set, somebody keeps
  // the cases until then, and the run need not.
  std::function<void()> settled = nullptr;
  // The same with what became of each, for a source that can make its cases again.
  std::function<void(std::span<const Verdict>)> judged = nullptr;

  // Whether the run need not keep its cases on disk while they are on their way.
  [[nodiscard]] bool has_keeper() const { return settled != nullptr || judged != nullptr; }
};
// The next batch, or nothing at the end. Called by one thread at a time.
using CaseSource = std::function<std::optional<CaseBatch>()>;

// A failure, before anything is done with it.
struct FailedCase {
  Case kept;
  Verdict verdict;
  std::string source;       // as CaseBatch::source
  std::string file = {};    // where the case is kept already; empty: nowhere
  int64_t after_cases = 0;  // as in Finding
  double after_seconds = 0;
};

struct RunOptions {
  std::string candidate = "production";  // a built-in name, or the path of a shared library
  BackendKind backend = BackendKind::kHost;
  BackendOptions backend_options = {};
  int num_jobs = 1;
  Checks checks = {};
  std::string findings_dir = {};  // empty: nothing is saved
  int max_findings = 16;          // distinct origins that are saved and minimised
  bool fail_fast = false;         // ends the run at its first failure, once that is kept
  MinimizeOptions minimize = {};
  // For cases that nobody keeps; kept ones always run.
  std::optional<std::chrono::steady_clock::time_point> deadline = std::nullopt;
  std::string program = "bytegate";  // as replay lines call it
  std::string version = {};          // of the program, for the journal of running cases
  // Asked between batches, on any thread: true ends the run once what is on its way is settled.
  std::function<bool()> stop = nullptr;
  // Takes what fails, in place of the run's own findings; called on any thread.
  std::function<void(FailedCase, Candidate&, Backend&)> keep = nullptr;
  // Called now and then, on any one thread, with the number of cases done.
  std::function<void(int64_t num_done, int64_t num_failed)> progress = nullptr;
};

struct RunOutcome {
  explicit RunOutcome(const OpProperties& properties) : tally(properties), generated(properties) {}
  Tally tally;
  Tally generated;                // of tally: what the generator drew
  std::vector<Finding> findings;  // one per origin
  int64_t num_unkept = 0;         // failures of further origins
  int64_t num_given_up = 0;       // cases without a verdict, in batches that stay where they are
  bool out_of_time = false;       // the deadline came before the last generated case
  bool stopped = false;           // it was told to stop before the last case
  bool failed_fast = false;       // it ended at its first failure
  std::string journal_error;      // why running cases would not have survived this process
  std::string error;              // the candidate or backend could not be had; nothing more ran
  VerdictKind error_kind = VerdictKind::kPass;
  double seconds = 0;
};

Candidate::Result open_candidate(const std::string& name_or_path);
// The same for all names of one candidate: a built-in name, or an absolute path.
std::string candidate_identity(const std::string& name_or_path);

// A backend of a kind, or why there is none.
struct BackendResult {
  std::unique_ptr<Backend> backend;
  std::string absent_reason;
};
// What a candidate could break is kept out of this process: all of them run in workers.
BackendResult open_backend(BackendKind kind, const BackendOptions& options);

RunOutcome run(const OpProperties& properties, CaseSource source, const RunOptions& options);

}  // namespace bytegate
