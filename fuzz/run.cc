#include "fuzz/run.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <map>
#include <mutex>
#include <thread>

#include "kernels/builtin_candidate.h"
#include "properties/check.h"

namespace bytegate {
namespace {

constexpr std::string_view kProduction = "production";

using Clock = std::chrono::steady_clock;

// A batch on its way. The check refers to the cases, so it stays where it is.
struct InFlight {
  CaseBatch batch;
  std::vector<Case> cases;
  std::optional<PendingCheck> check;
};

class Runner {
 public:
  Runner(const OpProperties& properties, CaseSource source, const RunOptions& options)
      : properties_(properties),
        source_(std::move(source)),
        options_(options),
        outcome_(properties) {}

  RunOutcome run();

 private:
  void work();
  void work_safely();
  std::optional<CaseBatch> next_batch();
  void settle(InFlight& flight, Candidate& candidate, Backend& backend, Tally& tally);
  void fail(const InFlight& flight, size_t case_idx, const Verdict& verdict, Candidate& candidate,
            Backend& backend);
  Finding keep(const InFlight& flight, size_t case_idx, const Verdict& verdict,
               Candidate& candidate, Backend& backend);
  void make_small(Finding& finding, Candidate& candidate, Backend& backend);
  bool fails_alone(const Case& c);
  void report_progress();

  const OpProperties& properties_;
  CaseSource source_;
  const RunOptions& options_;
  std::mutex source_mutex_;
  std::mutex outcome_mutex_;
  RunOutcome outcome_;
  std::map<std::string, size_t> finding_of_origin_;
  std::atomic<int64_t> num_done_{0};
  std::atomic<int64_t> num_failed_{0};
};

std::optional<CaseBatch> Runner::next_batch() {
  const std::scoped_lock lock(source_mutex_);
  std::optional<CaseBatch> batch = source_();
  // What is kept is always replayed; only the search has a time.
  const bool timed = batch && batch->files.empty() && options_.deadline;
  if (timed && Clock::now() >= *options_.deadline) {
    outcome_.out_of_time = true;
    return std::nullopt;
  }
  return batch;
}

void Runner::report_progress() {
  if (options_.progress == nullptr) return;
  const std::unique_lock lock(outcome_mutex_, std::try_to_lock);
  if (lock.owns_lock()) options_.progress(num_done_, num_failed_);
}

// One batch is always launched before the results of the one before it are looked at, so that a
// device works while the host compares.
void Runner::work() {
  Candidate::Result opened = open_candidate(options_.candidate);
  BackendResult backend =
      open_backend(options_.backend, options_.candidate, options_.backend_options);
  if (opened.candidate == nullptr || backend.backend == nullptr) {
    const std::scoped_lock lock(outcome_mutex_);
    outcome_.error = opened.candidate == nullptr ? opened.error : backend.absent_reason;
    outcome_.error_kind =
        opened.candidate == nullptr ? VerdictKind::kUnloadable : VerdictKind::kUntested;
    return;
  }
  Tally kept(properties_);  // cases of the corpus and of traces
  Tally generated(properties_);
  std::unique_ptr<InFlight> previous;
  while (true) {
    std::unique_ptr<InFlight> current;
    if (std::optional<CaseBatch> batch = next_batch()) {
      current = std::make_unique<InFlight>();
      current->batch = std::move(*batch);
      current->cases = current->batch.make();
      current->check.emplace(current->cases, *opened.candidate, *backend.backend, properties_);
    }
    if (previous != nullptr) {
      settle(*previous, *opened.candidate, *backend.backend,
             previous->batch.source == kGeneratedSource ? generated : kept);
    }
    if (current == nullptr) break;
    previous = std::move(current);
  }
  const std::scoped_lock lock(outcome_mutex_);
  outcome_.tally.merge(kept);
  outcome_.tally.merge(generated);
  outcome_.generated.merge(generated);
}

void Runner::work_safely() {
  try {
    work();
  } catch (const std::exception& error) {
    const std::scoped_lock lock(outcome_mutex_);
    outcome_.error = std::string("a thread of the run ended early: ") + error.what();
    outcome_.error_kind = VerdictKind::kUntested;
  }
}

void Runner::settle(InFlight& flight, Candidate& candidate, Backend& backend, Tally& tally) {
  const std::vector<Verdict> verdicts = flight.check->collect();
  for (size_t i = 0; i < verdicts.size(); ++i) {
    tally.add(properties_, flight.cases[i], verdicts[i], flight.batch.source, options_.backend);
    if (verdicts[i].passed()) continue;
    if (says_nothing(verdicts[i].kind) && options_.candidate != kProduction) continue;
    ++num_failed_;
    fail(flight, i, verdicts[i], candidate, backend);
  }
  num_done_ += static_cast<int64_t>(verdicts.size());
  report_progress();
}

void Runner::fail(const InFlight& flight, size_t case_idx, const Verdict& verdict,
                  Candidate& candidate, Backend& backend) {
  size_t place = 0;
  {
    const std::scoped_lock lock(outcome_mutex_);
    const auto known = finding_of_origin_.find(verdict.origin);
    if (known != finding_of_origin_.end()) {
      ++outcome_.findings[known->second].num_failures;
      return;
    }
    if (outcome_.findings.size() >= static_cast<size_t>(options_.max_findings)) {
      ++outcome_.num_unkept;
      return;
    }
    place = outcome_.findings.size();
    finding_of_origin_[verdict.origin] = place;
    outcome_.findings.emplace_back();
    outcome_.findings.back().verdict = verdict;
  }
  Finding finding = keep(flight, case_idx, verdict, candidate, backend);
  const std::scoped_lock lock(outcome_mutex_);
  finding.num_failures = outcome_.findings[place].num_failures;
  outcome_.findings[place] = std::move(finding);
}

Finding Runner::keep(const InFlight& flight, size_t case_idx, const Verdict& verdict,
                     Candidate& candidate, Backend& backend) {
  Finding finding;
  finding.op = properties_.op->name;
  finding.backend = options_.backend;
  finding.source = flight.batch.source;
  finding.verdict = verdict;
  finding.kept = flight.cases[case_idx];
  if (!flight.batch.files.empty()) finding.file = flight.batch.files[case_idx];
  if (!options_.findings_dir.empty()) make_small(finding, candidate, backend);
  if (!finding.file.empty()) {
    finding.replay =
        replay_line(options_.program, finding.file, options_.candidate, options_.backend);
  }
  return finding;
}

// Minimises and saves the case that is kept, unless it is in a file already and as small as it
// gets.
void Runner::make_small(Finding& finding, Candidate& candidate, Backend& backend) {
  const Judge judge = [&](const Case& c) {
    return check({&c, 1}, candidate, backend, properties_).front();
  };
  const std::string origin = finding.verdict.origin;
  MinimizeResult small = minimize(finding.kept, judge, options_.minimize);
  std::string note = "found with candidate " + candidate.name();
  if (!small.verdict.passed() && fails_alone(small.smallest)) {
    finding.minimal = small.minimal;
    finding.verdict = small.verdict;
    finding.kept = std::move(small.smallest);
  } else if (!fails_alone(finding.kept)) {
    note += "; passes when it is run alone";
  }
  if (!finding.file.empty() && small.num_accepted == 0) return;
  const SavedFinding saved = save_finding(options_.findings_dir, finding.kept, origin, note);
  if (!saved.path.empty()) finding.file = saved.path;
  finding.save_error = saved.error;
}

// With a candidate that has seen no other case: what a replay will do.
bool Runner::fails_alone(const Case& c) {
  const Candidate::Result fresh = open_candidate(options_.candidate);
  const BackendResult backend =
      open_backend(options_.backend, options_.candidate, options_.backend_options);
  if (fresh.candidate == nullptr || backend.backend == nullptr) return true;
  return !check({&c, 1}, *fresh.candidate, *backend.backend, properties_).front().passed();
}

RunOutcome Runner::run() {
  const Clock::time_point begin = Clock::now();
  {
    std::vector<std::jthread> threads;
    for (int job = 1; job < options_.num_jobs; ++job)
      threads.emplace_back([this] { work_safely(); });
    work_safely();
  }
  outcome_.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  return std::move(outcome_);
}

}  // namespace

Candidate::Result open_candidate(const std::string& name_or_path) {
  if (const bytegate_candidate* table = builtin_candidate(name_or_path)) {
    return Candidate::open(*table);
  }
  return Candidate::load(name_or_path);
}

BackendResult open_backend(BackendKind kind, const std::string& candidate,
                           const BackendOptions& options) {
  if (kind == BackendKind::kHost && builtin_candidate(candidate) != nullptr) {
    return {make_host_backend(options), ""};
  }
  MadeBackend made =
      kind == BackendKind::kCuda ? make_cuda_backend(options) : make_isolated_host_backend(options);
  return {std::move(made.backend), std::move(made.absent_reason)};
}

RunOutcome run(const OpProperties& properties, CaseSource source, const RunOptions& options) {
  return Runner(properties, std::move(source), options).run();
}

}  // namespace bytegate
