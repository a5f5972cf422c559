#include "fuzz/run.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <filesystem>
#include <mutex>
#include <system_error>
#include <thread>

#include "fuzz/journal.h"
#include "fuzz/keeper.h"
#include "kernels/builtin_candidate.h"

namespace bytegate {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kBatchesOnTheirWay = 2;  // of each thread

// A batch on its way. The check refers to the cases, so it stays where it is.
struct InFlight {
  CaseBatch batch;
  size_t slot = 0;  // in the journal
  std::vector<Case> cases;
  std::optional<PendingChecks> check;
};

class Runner {
 public:
  Runner(const OpProperties& properties, CaseSource source, const RunOptions& options)
      : properties_(properties),
        source_(std::move(source)),
        options_(options),
        outcome_(properties),
        keeper_(properties, options) {}

  RunOutcome run();

 private:
  void work(size_t job);
  void work_safely(size_t job);
  void open_journal();
  std::optional<CaseBatch> next_batch();
  void settle(InFlight& flight, Candidate& candidate, Backend& backend, Tally& tally);
  void enter(const InFlight& flight);
  void report_progress();
  [[nodiscard]] bool gave_up() const {
    return options_.backend_options.give_up && options_.backend_options.give_up();
  }

  [[nodiscard]] double seconds_so_far() const {
    return std::chrono::duration<double>(Clock::now() - begin_).count();
  }

  const OpProperties& properties_;
  CaseSource source_;
  const RunOptions& options_;
  std::mutex source_mutex_;
  std::mutex outcome_mutex_;
  RunOutcome outcome_;
  Keeper keeper_;
  std::unique_ptr<Journal> journal_;
  std::atomic<int64_t> num_done_{0};
  std::atomic<int64_t> num_failed_{0};
  Clock::time_point begin_ = Clock::now();
};

std::optional<CaseBatch> Runner::next_batch() {
  const std::scoped_lock lock(source_mutex_);
  if (outcome_.stopped || outcome_.failed_fast) return std::nullopt;
  std::optional<CaseBatch> batch = source_();
  if (batch && options_.fail_fast && num_failed_ > 0) {
    outcome_.failed_fast = true;
    return std::nullopt;
  }
  if (batch && options_.stop && options_.stop()) {
    outcome_.stopped = true;
    return std::nullopt;
  }
  // What is kept is always replayed; only the search has a time.
  const bool timed = batch && batch->files.empty() && !batch->has_keeper() && options_.deadline;
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
void Runner::work(size_t job) {
  Candidate::Result opened = open_candidate(options_.candidate);
  BackendResult backend = open_backend(options_.backend, options_.backend_options);
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
  size_t num_batches = 0;
  while (true) {
    std::unique_ptr<InFlight> current;
    if (std::optional<CaseBatch> batch = next_batch()) {
      current = std::make_unique<InFlight>();
      current->batch = std::move(*batch);
      current->cases = current->batch.make();
      current->slot = kBatchesOnTheirWay * job + num_batches++ % kBatchesOnTheirWay;
      enter(*current);
      current->check.emplace(current->cases, *opened.candidate, *backend.backend, properties_,
                             options_.checks);
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

void Runner::work_safely(size_t job) {
  try {
    work(job);
  } catch (const std::exception& error) {
    const std::scoped_lock lock(outcome_mutex_);
    outcome_.error = std::string("a thread of the run ended early: ") + error.what();
    outcome_.error_kind = VerdictKind::kUntested;
  }
}

void Runner::settle(InFlight& flight, Candidate& candidate, Backend& backend, Tally& tally) {
  const std::vector<Verdict> verdicts = flight.check->collect();
  const int64_t num_before = num_done_;
  const double seconds = seconds_so_far();
  int64_t num_given_up = 0;
  for (size_t i = 0; i < verdicts.size(); ++i) {
    if (verdicts[i].kind == VerdictKind::kUntested && gave_up()) {
      ++num_given_up;
      continue;
    }
    tally.add(properties_, flight.cases[i], verdicts[i], flight.batch.source, options_.backend);
    if (verdicts[i].passed()) continue;
    if (says_nothing(verdicts[i].kind) && !takes_every_case(options_.candidate)) continue;
    ++num_failed_;
    // What followed from a case is in no file.
    const Case& failed = flight.check->case_of(i);
    const bool in_file = !flight.batch.files.empty() && &failed == &flight.cases[i];
    FailedCase failure = {.kept = failed,
                          .verdict = verdicts[i],
                          .source = flight.batch.source,
                          .file = in_file ? flight.batch.files[i] : "",
                          .after_cases = num_before + static_cast<int64_t>(i),
                          .after_seconds = seconds};
    if (options_.keep) {
      options_.keep(std::move(failure), candidate, backend);
    } else {
      keeper_.keep(std::move(failure), candidate, backend);
    }
  }
  num_done_ += static_cast<int64_t>(verdicts.size()) - num_given_up;
  if (num_given_up > 0) {
    const std::scoped_lock lock(source_mutex_, outcome_mutex_);
    outcome_.num_given_up += num_given_up;
    outcome_.stopped = true;
    return;
  }
  if (journal_ != nullptr) journal_->clear(flight.slot);
  if (flight.batch.settled) flight.batch.settled();
  if (flight.batch.judged) flight.batch.judged(verdicts);
  report_progress();
}

void Runner::open_journal() {
  if (options_.findings_dir.empty()) return;
  Journal::Result opened =
      Journal::open(options_.findings_dir,
                    {.version = options_.version,
                     .op = std::string(properties_.op->name),
                     .candidate = candidate_identity(options_.candidate),
                     .backend = std::string(backend_name(options_.backend)),
                     .pid = getpid()},
                    kBatchesOnTheirWay * static_cast<size_t>(std::max(options_.num_jobs, 1)));
  journal_ = std::move(opened.journal);
  outcome_.journal_error = opened.error;
}

// Puts a batch on disk before it is handed out, unless somebody else keeps it.
void Runner::enter(const InFlight& flight) {
  if (journal_ == nullptr || flight.batch.has_keeper()) return;
  const std::optional<std::string> error = flight.batch.files.empty()
                                               ? journal_->write(flight.slot, flight.cases)
                                               : journal_->write(flight.slot, flight.batch.files);
  if (!error) return;
  const std::scoped_lock lock(outcome_mutex_);
  outcome_.journal_error = *error;
}

RunOutcome Runner::run() {
  open_journal();
  {
    std::vector<std::jthread> threads;
    for (int job = 1; job < options_.num_jobs; ++job)
      threads.emplace_back([this, job] { work_safely(static_cast<size_t>(job)); });
    work_safely(0);
  }
  journal_.reset();
  outcome_.findings = keeper_.take_findings();
  outcome_.num_unkept = keeper_.num_unkept();
  outcome_.seconds = seconds_so_far();
  return std::move(outcome_);
}

}  // namespace

Candidate::Result open_candidate(const std::string& name_or_path) {
  if (const bytegate_candidate* table = builtin_candidate(name_or_path)) {
    return Candidate::open(*table);
  }
  return Candidate::load(name_or_path);
}

std::string candidate_identity(const std::string& name_or_path) {
  if (builtin_candidate(name_or_path) != nullptr) return name_or_path;
  std::error_code error;
  const auto absolute = std::filesystem::weakly_canonical(name_or_path, error);
  return error ? name_or_path : absolute.string();
}

BackendResult open_backend(BackendKind kind, const BackendOptions& options) {
  MadeBackend made =
      kind == BackendKind::kCuda ? make_cuda_backend(options) : make_isolated_host_backend(options);
  return {std::move(made.backend), std::move(made.absent_reason)};
}

RunOutcome run(const OpProperties& properties, CaseSource source, const RunOptions& options) {
  return Runner(properties, std::move(source), options).run();
}

}  // namespace bytegate
