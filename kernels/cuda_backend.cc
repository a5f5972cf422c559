// The cuda backend: candidates run on device 0. Small cases that are launched once and like any
// other share arenas, a round at a time; the others run alone, and so do those of a round that
// found no memory.
#include "kernels/cuda_backend.h"

#include <algorithm>
#include <utility>

#include "kernels/cuda_round.h"
#include "kernels/cuda_single_run.h"
#include "kernels/guard_inquest.h"
#include "kernels/process_backend.h"

namespace bytegate {
namespace {

// A case that needs more than this part of a round runs alone.
constexpr size_t kMaxRoundShare = 4;

// What a candidate may keep of the device's memory: less than this, or this part of all.
constexpr size_t kMinKeptBytes = size_t{1} << 30;
constexpr size_t kMinKeptShare = 8;

size_t held_bytes(const Tensor& tensor) {
  if (!tensor.present) return 0;
  return static_cast<size_t>(extent_elements(tensor.shape, tensor.strides).value_or(0)) *
         dtype_bytes(tensor.dtype);
}

// Whether the mode asks for something that a round does not do.
bool has_plan_of_its_own(const LaunchPlan& plan) {
  return plan.captured || plan.short_workspace || plan.other_stream || plan.two_at_once ||
         plan.inputs_overwritten || plan.placing == Placing::kGuardAfter ||
         plan.placing == Placing::kGuardBefore;
}

bool runs_alone(const Case& c, uint64_t workspace_bytes, size_t round_bytes) {
  if (has_plan_of_its_own(mode_spec(c.mode).plan) || launched_steps(c).size() > 1) return true;
  size_t bytes = workspace_bytes;
  for (const Tensor& tensor : c.tensors) {
    if (is_sparse(tensor)) return true;
    bytes += held_bytes(tensor);
  }
  return bytes > round_bytes / kMaxRoundShare;
}

class CudaSubmission final : public Submission {
 public:
  CudaSubmission(CudaDevice& device, const Candidate& candidate, std::span<const Case> cases)
      : device_(device), candidate_(candidate), results_(cases.size()) {
    // A case that came alone is waited for with all that it started.
    if (!device.ask_memory(memory_before_).ok()) memory_before_ = {};
    const bool only = cases.size() == 1 || device.limits().separate_buffers;
    for (size_t i = 0; i < cases.size(); ++i) plan(cases[i], i, only);
    if (!rounds_.empty()) rounds_.front()->launch();
  }

  std::vector<RunResult> collect() override;

 private:
  void plan(const Case& c, size_t result_idx, bool only);
  // The results of a round that was waited for, or a place among the cases that run alone.
  void settle(CudaRound& round, const CudaOutcome& outcome);
  // A candidate that keeps the device's memory leaves none to the cases behind it.
  void blame_for_memory();

  CudaDevice& device_;
  const Candidate& candidate_;
  std::vector<RunResult> results_;
  std::vector<std::unique_ptr<CudaRound>> rounds_;
  std::vector<CudaJob> alone_;
  CudaDevice::Memory memory_before_;
};

void CudaSubmission::plan(const Case& c, size_t result_idx, bool only) {
  const CallSize size = query_call(candidate_, c, kCudaDevice);
  if (std::optional<RunResult> settled = settled_by_query(size, c)) {
    results_[result_idx] = std::move(*settled);
    return;
  }
  const CudaJob job = {.c = &c,
                       .result_idx = result_idx,
                       .workspace_bytes = size.workspace_bytes,
                       .sections = size.sections};
  const size_t round_bytes = device_.limits().round_bytes;
  if (only || runs_alone(c, size.workspace_bytes, round_bytes)) {
    alone_.push_back(job);
    return;
  }
  if (rounds_.empty() || rounds_.back()->bytes() >= round_bytes) {
    rounds_.push_back(std::make_unique<CudaRound>(device_, candidate_));
  }
  rounds_.back()->add(job);
}

std::vector<RunResult> CudaSubmission::collect() {
  for (size_t i = 0; i < rounds_.size(); ++i) {
    const CudaOutcome outcome = rounds_[i]->wait();
    // Runs while the host compares this one.
    if (i + 1 < rounds_.size()) rounds_[i + 1]->launch();
    settle(*rounds_[i], outcome);
    rounds_[i].reset();
  }
  for (const CudaJob& job : alone_) {
    results_[job.result_idx] = run_alone(device_, candidate_, job);
  }
  if (device_.lost().empty()) blame_for_memory();
  return std::move(results_);
}

void CudaSubmission::blame_for_memory() {
  CudaDevice::Memory now;
  if (!device_.ask_memory(now).ok() || !device_.memory_is_full(now)) return;
  if (results_.size() > 1) {
    for (RunResult& result : results_) {
      result = {.status = RunStatus::kLost, .message = "no device memory was left behind it"};
    }
    return;
  }
  // Other processes use the device, too, and a case is blamed only for what none of them is likely
  // to have taken while it ran.
  const size_t before = memory_before_.free_bytes + memory_before_.held_bytes;
  const size_t after = now.free_bytes + now.held_bytes;
  const size_t kept = before > after ? before - after : 0;
  if (results_.empty() || kept < std::max(kMinKeptBytes, now.total_bytes / kMinKeptShare)) return;
  results_.front() = {.status = RunStatus::kExhausted,
                      .message = "kept " + std::to_string(kept) + " bytes of device memory"};
}

void CudaSubmission::settle(CudaRound& round, const CudaOutcome& outcome) {
  if (outcome.ok()) return round.take(results_);
  if (outcome.kind != CudaOutcome::Kind::kLost) {
    alone_.insert(alone_.end(), round.jobs().begin(), round.jobs().end());
    return;
  }
  for (const CudaJob& job : round.jobs()) {
    results_[job.result_idx] = {.status = RunStatus::kLost, .message = outcome.text};
  }
}

class CudaBackend final : public Backend {
 public:
  explicit CudaBackend(std::unique_ptr<CudaDevice> device) : device_(std::move(device)) {}

  [[nodiscard]] BackendKind kind() const override { return BackendKind::kCuda; }
  [[nodiscard]] std::string description() const override { return device_->description(); }
  std::unique_ptr<Submission> submit(Candidate& candidate, std::span<const Case> cases) override {
    return std::make_unique<CudaSubmission>(*device_, candidate, cases);
  }

 private:
  std::unique_ptr<CudaDevice> device_;
};

}  // namespace

MadeBackend make_in_process_cuda_backend(const CudaLimits& limits) {
  CudaDevice::Result opened = CudaDevice::open(limits);
  if (opened.device == nullptr) return {nullptr, opened.absent_reason};
  return {std::make_unique<CudaBackend>(std::move(opened.device)), ""};
}

MadeBackend make_bare_cuda_backend(bool leave_unwritten) {
  return make_in_process_cuda_backend(
      {.separate_buffers = true, .leave_unwritten = leave_unwritten});
}

CudaBackendResult make_cuda_backend(const BackendOptions& options) {
  const ProcessOptions process = {.limit = options.case_limit,
                                  .memory_bytes = options.worker_memory_bytes,
                                  .give_up = options.give_up};
  return make_naming_backend([process](const GuardFocus& focus) {
    return make_process_backend(
        [focus] { return make_in_process_cuda_backend({.guard_focus = focus}); }, process);
  });
}

}  // namespace bytegate
