#include "fuzz/list_run.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "kernels/builtin_candidate.h"
#include "properties/check.h"

namespace bytegate {
namespace {

using Clock = std::chrono::steady_clock;

// Forgets what happened beside the outputs.
class BytesAloneSubmission final : public Submission {
 public:
  explicit BytesAloneSubmission(std::unique_ptr<Submission> whole) : whole_(std::move(whole)) {}
  std::vector<RunResult> collect() override {
    std::vector<RunResult> results = whole_->collect();
    for (RunResult& result : results) {
      for (StepResult& step : result.steps) step.damage.reset();
    }
    return results;
  }

 private:
  std::unique_ptr<Submission> whole_;
};

class BytesAloneBackend final : public Backend {
 public:
  explicit BytesAloneBackend(Backend& whole) : whole_(whole) {}
  [[nodiscard]] BackendKind kind() const override { return whole_.kind(); }
  [[nodiscard]] std::string description() const override { return whole_.description(); }
  std::unique_ptr<Submission> submit(Candidate& candidate, std::span<const Case> cases) override {
    return std::make_unique<BytesAloneSubmission>(whole_.submit(candidate, cases));
  }

 private:
  Backend& whole_;
};

BackendResult open_unguarded(const RunOptions& options) {
  if (options.backend == BackendKind::kHost) {
    return {make_host_backend(options.backend_options), ""};
  }
  return open_backend(options.backend, options.backend_options);
}

Finding finding_of(Case c, Verdict verdict, const CaseList& list, BackendKind backend) {
  Finding finding;
  finding.op = c.op->name;
  finding.backend = backend;
  finding.source = list.name;
  finding.kept = std::move(c);
  finding.verdict = std::move(verdict);
  return finding;
}

}  // namespace

std::vector<CaseList> lists_of_name(const OpProperties& properties, const std::string& name) {
  std::vector<CaseList> chosen;
  std::copy_if(properties.lists.begin(), properties.lists.end(), std::back_inserter(chosen),
               [&](const CaseList& list) { return name == "all" || name == list.name; });
  return chosen;
}

RunOutcome run_lists(const OpProperties& properties, const std::vector<CaseList>& lists,
                     const RunOptions& options) {
  const Clock::time_point begin = Clock::now();
  const auto seconds = [begin] {
    return std::chrono::duration<double>(Clock::now() - begin).count();
  };
  RunOutcome outcome(properties);
  const Candidate::Result opened = open_candidate(options.candidate);
  const BackendResult whole = open_unguarded(options);
  if (opened.candidate == nullptr || whole.backend == nullptr) {
    outcome.error = opened.candidate == nullptr ? opened.error : whole.absent_reason;
    outcome.error_kind = VerdictKind::kUntested;
    return outcome;
  }
  BytesAloneBackend backend(*whole.backend);
  OpProperties bytes_alone = properties;
  bytes_alone.broken_invariant = nullptr;
  int64_t num_done = 0;
  for (const CaseList& list : lists) {
    for (Case& c : list.cases()) {
      if (outcome.failed_fast || (options.stop && options.stop())) break;
      Verdict verdict = check({&c, 1}, *opened.candidate, backend, bytes_alone).front();
      outcome.tally.add(properties, c, verdict, std::string(list.name), options.backend);
      const int64_t after_cases = num_done++;
      if (verdict.passed()) continue;
      if (says_nothing(verdict.kind) && !takes_every_case(options.candidate)) continue;
      outcome.failed_fast = options.fail_fast;
      outcome.findings.push_back(
          finding_of(std::move(c), std::move(verdict), list, options.backend));
      outcome.findings.back().after_cases = after_cases;
      outcome.findings.back().after_seconds = seconds();
    }
  }
  outcome.stopped = options.stop && options.stop();
  outcome.seconds = seconds();
  return outcome;
}

}  // namespace bytegate
