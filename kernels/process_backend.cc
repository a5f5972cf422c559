#include "kernels/process_backend.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "kernels/candidate_handle.h"
#include "kernels/process_worker.h"
#include "kernels/worker_limits.h"

namespace bytegate {
namespace {

// Of one span, after which the rest of it is not run again: a candidate that loses its worker on
// every case would hold a run for hours.
constexpr int kMaxLostCases = 16;
// One that hangs takes as long as all of these.
constexpr int kLossesOfHung = 4;
// A worker may have died since it was last heard of.
constexpr int kMaxPosts = 3;

// A span of cases that went to a worker.
struct Posting {
  uint64_t worker = 0;  // which of all that there were; 0: it went to none
  size_t lane = 0;
  uint64_t num_before = 0;  // spans that went to the same worker
  bool was_idle = false;    // none of which was there any more
};

// As many results as cases. Those that are kLost say why.
struct Answer {
  std::vector<RunResult> results;
  RunStatus blame = RunStatus::kLost;  // status of a lost case, if it did it; kLost: it did not
  std::optional<Damage> trespass = std::nullopt;  // and the access that the worker died of
  bool killed = false;                            // the worker, by somebody else
  bool given_up = false;                          // on the worker, and on all that would follow it
  bool alone = false;                             // no other span had been with the worker
};

Answer all_lost(size_t num_cases, RunStatus blame, std::string why) {
  const RunResult lost = {.status = RunStatus::kLost, .message = std::move(why)};
  return {.results = std::vector<RunResult>(num_cases, lost), .blame = blame};
}

class ProcessBackend final : public Backend {
 public:
  ProcessBackend(BackendFactory inner, ProcessOptions options, WorkerGreeting greeting)
      : inner_(std::move(inner)), options_(std::move(options)), greeting_(std::move(greeting)) {}

  [[nodiscard]] BackendKind kind() const override { return greeting_.kind; }
  [[nodiscard]] std::string description() const override { return greeting_.text; }
  std::unique_ptr<Submission> submit(Candidate& candidate, std::span<const Case> cases) override;

  // Sends the cases ahead, unless the worker has enough to do.
  Posting post_ahead(Candidate& candidate, std::span<const Case> cases);
  std::vector<RunResult> collect(Candidate& candidate, std::span<const Case> cases,
                                 Posting posting);
  // Forgets a span: its worker goes.
  void drop(const Posting& posting);

 private:
  // The candidate that the worker was forked with. Another may have come to the same address.
  struct Bound {
    const Candidate* candidate = nullptr;
    void* state = nullptr;
    bytegate_candidate table = {};
  };
  [[nodiscard]] bool is_bound_to(const Candidate& candidate) const;
  [[nodiscard]] bool holds(const Posting& posting) const {
    return worker_ != nullptr && posting.worker == num_workers_;
  }
  // Sees to it that the worker lives and knows the candidate and the operations. False: there is
  // none, and `no_worker_` says why.
  bool have_worker(Candidate& candidate, std::span<const Case> cases);
  Posting post(Candidate& candidate, std::span<const Case> cases);
  std::optional<Posting> try_post(std::span<const Case> cases);
  Answer await(const Posting& posting, std::span<const Case> cases);
  // Posts the cases once more if the worker was killed.
  Answer await_or_repeat(Candidate& candidate, std::span<const Case> cases, Posting& posting);
  [[nodiscard]] bool has_worker_to_itself(const Posting& posting) const {
    return holds(posting) && posting.was_idle && worker_->num_submitted() == posting.num_before + 1;
  }
  // kLost only if no worker can be had.
  RunResult run_alone(Candidate& candidate, const Case& c);

  BackendFactory inner_;
  ProcessOptions options_;
  WorkerGreeting greeting_;
  std::unique_ptr<ProcessWorker> worker_;
  uint64_t num_workers_ = 0;
  Bound bound_;
  std::vector<const Op*> ops_;
  std::string no_worker_;
};

class ProcessSubmission final : public Submission {
 public:
  ProcessSubmission(ProcessBackend& backend, Candidate& candidate, std::span<const Case> cases)
      : backend_(backend),
        candidate_(candidate),
        cases_(cases),
        posting_(backend.post_ahead(candidate, cases)) {}
  ~ProcessSubmission() override {
    if (!collected_) backend_.drop(posting_);
  }

  std::vector<RunResult> collect() override {
    collected_ = true;
    return backend_.collect(candidate_, cases_, posting_);
  }

 private:
  ProcessBackend& backend_;
  Candidate& candidate_;
  std::span<const Case> cases_;
  Posting posting_;
  bool collected_ = false;
};

std::unique_ptr<Submission> ProcessBackend::submit(Candidate& candidate,
                                                   std::span<const Case> cases) {
  return std::make_unique<ProcessSubmission>(*this, candidate, cases);
}

bool ProcessBackend::is_bound_to(const Candidate& candidate) const {
  return bound_.candidate == &candidate && bound_.state == candidate.state() &&
         std::memcmp(&bound_.table, &candidate.table(), sizeof bound_.table) == 0;
}

bool ProcessBackend::have_worker(Candidate& candidate, std::span<const Case> cases) {
  const size_t num_known = ops_.size();
  for (const Case& c : cases) {
    if (std::find(ops_.begin(), ops_.end(), c.op) == ops_.end()) ops_.push_back(c.op);
  }
  const bool idle = worker_ != nullptr && worker_->num_free_lanes() == kNumLanes;
  if (worker_ != nullptr && ops_.size() == num_known && is_bound_to(candidate) &&
      (!idle || worker_->alive())) {
    return true;
  }
  worker_.reset();
  ProcessWorker::Result started = ProcessWorker::start({.inner = inner_,
                                                        .candidate = &candidate,
                                                        .ops = ops_,
                                                        .faults = options_.faults,
                                                        .give_up = options_.give_up});
  worker_ = std::move(started.worker);
  no_worker_ = std::move(started.error);
  if (worker_ == nullptr) return false;
  ++num_workers_;
  bound_ = {.candidate = &candidate, .state = candidate.state(), .table = candidate.table()};
  return true;
}

std::optional<Posting> ProcessBackend::try_post(std::span<const Case> cases) {
  Posting posting = {.worker = num_workers_,
                     .lane = 0,
                     .num_before = worker_->num_submitted(),
                     .was_idle = worker_->num_free_lanes() == kNumLanes};
  const std::optional<size_t> lane = worker_->submit(encode_cases(cases, ops_));
  if (!lane) {
    no_worker_ = "the cases could not be sent to a worker";
    worker_.reset();
    return std::nullopt;
  }
  posting.lane = *lane;
  return posting;
}

Posting ProcessBackend::post(Candidate& candidate, std::span<const Case> cases) {
  for (int try_idx = 0; try_idx < kMaxPosts; ++try_idx) {
    if (!have_worker(candidate, cases)) return {};
    if (std::optional<Posting> posting = try_post(cases)) return *posting;
  }
  return {};
}

Posting ProcessBackend::post_ahead(Candidate& candidate, std::span<const Case> cases) {
  if (cases.empty()) return {};
  // One lane is left for whoever collects.
  if (worker_ != nullptr && worker_->num_free_lanes() <= 1) return {};
  return post(candidate, cases);
}

void ProcessBackend::drop(const Posting& posting) {
  if (holds(posting)) worker_.reset();
}

Answer ProcessBackend::await(const Posting& posting, std::span<const Case> cases) {
  const size_t num_cases = cases.size();
  if (!holds(posting)) return all_lost(num_cases, RunStatus::kLost, no_worker_);
  const bool alone = has_worker_to_itself(posting);
  WorkerAnswer answer =
      worker_->collect(posting.lane, limits_for(cases, {options_.limit, options_.memory_bytes}));
  if (answer.results && answer.results->size() != num_cases) {
    answer = {.status = RunStatus::kFault, .text = "the worker counts its results wrongly"};
  }
  if (!answer.results) {
    worker_.reset();
    Answer lost = all_lost(num_cases, answer.status, std::move(answer.text));
    lost.trespass = answer.trespass;
    lost.killed = answer.killed;
    lost.given_up = answer.given_up;
    lost.alone = alone;
    return lost;
  }
  const auto spoils_worker = [](const RunResult& r) {
    return r.status == RunStatus::kLost || r.status == RunStatus::kExhausted;
  };
  // The worker has lost its device, and says by which error, or somebody wrote what nobody may; or
  // there is no memory, which a candidate may keep for as long as its process lives.
  if (std::any_of(answer.results->begin(), answer.results->end(), spoils_worker)) worker_.reset();
  return {.results = std::move(*answer.results), .blame = RunStatus::kFault, .alone = alone};
}

Answer ProcessBackend::await_or_repeat(Candidate& candidate, std::span<const Case> cases,
                                       Posting& posting) {
  Answer answer = await(posting, cases);
  if (!answer.killed) return answer;
  posting = post(candidate, cases);
  return await(posting, cases);
}

void blame(const Case& c, const Answer& answer, RunResult& result) {
  result.status = answer.blame;
  if (!answer.trespass) return;
  // The worker may have written anything.
  const auto num_tensors = static_cast<int64_t>(c.tensors.size());
  if (answer.trespass->tensor >= -1 && answer.trespass->tensor < num_tensors) {
    result.trespass = answer.trespass;
  }
}

RunResult ProcessBackend::run_alone(Candidate& candidate, const Case& c) {
  Posting posting = post(candidate, {&c, 1});
  Answer answer = await_or_repeat(candidate, {&c, 1}, posting);
  RunResult& result = answer.results.front();
  if (result.status == RunStatus::kLost) blame(c, answer, result);
  return std::move(result);
}

std::vector<RunResult> ProcessBackend::collect(Candidate& candidate, std::span<const Case> cases,
                                               Posting posting) {
  if (cases.empty()) return {};
  // Lost with another span's worker, or not sent yet.
  if (!holds(posting)) posting = post(candidate, cases);
  Answer answer = await_or_repeat(candidate, cases, posting);
  if (answer.given_up) return std::move(answer.results);
  // A case that its worker had to itself needs no second run to be known as the one.
  const bool alone = cases.size() == 1 && answer.alone;
  const std::string* no_worker = nullptr;
  int num_lost = 0;
  for (size_t i = 0; i < cases.size(); ++i) {
    RunResult& result = answer.results[i];
    if (result.status != RunStatus::kLost) continue;
    if (alone) {
      blame(cases[i], answer, result);
    } else if (no_worker != nullptr) {
      result.message = *no_worker;
    } else if (num_lost >= kMaxLostCases) {
      result.message = "not run again: too many cases launched with it lost the worker or hung";
    } else {
      result = run_alone(candidate, cases[i]);
      if (result.status == RunStatus::kLost) no_worker = &result.message;
      if (worker_ == nullptr && result.status != RunStatus::kLost) {
        num_lost += result.status == RunStatus::kHung ? kLossesOfHung : 1;
      }
    }
  }
  return std::move(answer.results);
}

}  // namespace

MadeBackend make_process_backend(BackendFactory inner, const ProcessOptions& options) {
  ProcessOptions whole = options;
  if (whole.memory_bytes == 0) whole.memory_bytes = default_worker_memory_bytes();
  ProcessWorker::Result probe = ProcessWorker::start({.inner = inner});
  if (probe.worker == nullptr) return {nullptr, probe.error};
  return {std::make_unique<ProcessBackend>(std::move(inner), std::move(whole),
                                           probe.worker->greeting()),
          ""};
}

MadeBackend make_process_backend(BackendFactory inner, std::chrono::milliseconds limit) {
  return make_process_backend(std::move(inner), ProcessOptions{.limit = limit});
}

}  // namespace bytegate
