// The host backend: candidates run right here, host builds of kernels on the SIMT executor.
#include "kernels/host_backend.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "kernels/arena.h"
#include "kernels/backend.h"
#include "kernels/call_frame.h"
#include "kernels/fault_map.h"
#include "kernels/guard_pages.h"
#include "kernels/host_memory.h"
#include "kernels/process_backend.h"

namespace bytegate {
namespace {

constexpr DLDevice kHostDevice = {kDLCPU, 0};

struct FreeDeleter {
  void operator()(std::byte* bytes) const { std::free(bytes); }
};

// A block of memory that only grows.
class Image {
 public:
  std::byte* ensure(size_t bytes) {
    if (bytes > capacity_) {
      constexpr size_t kPage = 4096;
      capacity_ = (bytes + bytes / 2 + kPage) / kPage * kPage;
      bytes_.reset(static_cast<std::byte*>(std::aligned_alloc(kPage, capacity_)));
      if (bytes_ == nullptr) capacity_ = 0;
    }
    return bytes_.get();
  }
  [[nodiscard]] std::byte* data() const { return bytes_.get(); }

 private:
  std::unique_ptr<std::byte, FreeDeleter> bytes_;
  size_t capacity_ = 0;
};

// The sparse tensors of one case in one launch: null where a tensor is not sparse.
struct SparseTensors {
  std::vector<std::unique_ptr<SparseImage>> images;
  std::vector<std::unique_ptr<HostSparseRegion>> regions;
};

std::optional<SparseTensors> make_sparse(const Case& at_step, const PlacedCase& placed,
                                         size_t launch_idx) {
  SparseTensors sparse;
  sparse.images.resize(at_step.tensors.size());
  sparse.regions.resize(at_step.tensors.size());
  for (size_t i = 0; i < at_step.tensors.size(); ++i) {
    if (!placed.tensors[i].sparse) continue;
    sparse.images[i] =
        std::make_unique<SparseImage>(make_sparse_image(at_step, i, host_page_bytes(), launch_idx));
    sparse.regions[i] = std::make_unique<HostSparseRegion>(*sparse.images[i]);
    if (!sparse.regions[i]->ok()) return std::nullopt;
  }
  return sparse;
}

void take_sparse(const Case& c, const SparseTensors& sparse, StepResult& result) {
  for (size_t i = 0; i < c.tensors.size(); ++i) {
    if (sparse.images[i] == nullptr) continue;
    const SparseImage& image = *sparse.images[i];
    SparseImage actual = image;
    sparse.regions[i]->read_back(actual);
    take_sparse_tensor(c, i, image, actual, result);
    if (const std::optional<int64_t> stray = sparse.regions[i]->stray_page(image)) {
      note_sparse_damage(c, i, *stray, result);
    }
  }
}

bool overlaps_on_purpose(const Case& c) {
  return std::any_of(c.call_faults.begin(), c.call_faults.end(),
                     [](const CallFault& fault) { return fault.kind == CallFaultKind::kOverlap; });
}

class HostBackend final : public Backend {
 public:
  HostBackend(const BackendOptions& options, FaultMap* fault_map)
      : options_(options), fault_map_(fault_map) {}

  [[nodiscard]] BackendKind kind() const override { return BackendKind::kHost; }
  [[nodiscard]] std::string description() const override { return "SIMT executor on the host"; }
  std::unique_ptr<Submission> submit(Candidate& candidate, std::span<const Case> cases) override;

  RunResult run(Candidate& candidate, const Case& c);

 private:
  // Each is false when the result is final already.
  bool launch(Candidate& candidate, const Case& at_step, size_t launch_idx, RunResult& result);
  bool fill(const Case& at_step, size_t launch_idx, RunResult& result);
  bool call(Candidate& candidate, CallFrame& frame, size_t launch_idx, RunResult& result);
  bool refuses_short_workspace(Candidate& candidate, CallFrame& frame, RunResult& result);
  void bind(const SparseTensors& sparse, CallFrame& frame);
  // Brings what ran to where it is compared.
  void fetch();
  [[nodiscard]] const PlacedCase& placed() const { return arena_.placed(0); }

  BackendOptions options_;
  FaultMap* fault_map_;  // null: this process must not fault, and buffers stand in the arena
  const Case* case_ = nullptr;
  Arena arena_;
  Image image_;
  Image actual_;
  GuardPages pages_;
  Leftovers left_;
  bool stale_ = false;  // the launch found what the one before it had left
};

bool HostBackend::fill(const Case& at_step, size_t launch_idx, RunResult& result) {
  // A case may have no byte at all.
  std::byte* image = image_.ensure(arena_.bytes() + 1);
  std::byte* actual = actual_.ensure(arena_.bytes() + 1);
  bool filled = image != nullptr && actual != nullptr;
  if (filled) {
    stale_ = arena_.fill_launch(at_step, 0, launch_idx, left_, image);
    if (placed().windows) {
      filled = pages_.load(placed(), image);
    } else {
      std::memcpy(actual, image, arena_.bytes());
    }
  }
  if (!filled) result = {.status = RunStatus::kExhausted, .message = "no memory for the buffers"};
  return filled;
}

void HostBackend::bind(const SparseTensors& sparse, CallFrame& frame) {
  if (placed().windows) {
    for (size_t i = 0; i < placed().tensors.size(); ++i) {
      frame.set_data(static_cast<int>(i), pages_.buffer(static_cast<int>(i)));
    }
    frame.set_workspace(pages_.buffer(-1), placed().workspace.bytes);
    fault_map_->set(pages_.fault_regions());
  } else {
    frame.set_arena(placed(), actual_.data());
  }
  for (size_t i = 0; i < sparse.regions.size(); ++i) {
    if (sparse.regions[i] == nullptr) continue;
    frame.set_data(static_cast<int>(i), sparse.regions[i]->first_element());
  }
  frame.apply_call_faults();
}

void HostBackend::fetch() {
  if (placed().windows) pages_.store(placed(), actual_.data());
}

bool HostBackend::refuses_short_workspace(Candidate& candidate, CallFrame& frame,
                                          RunResult& result) {
  frame.shorten_workspace(1);
  const RunStatus status = run_status(frame.run(candidate));
  frame.shorten_workspace(-1);
  fetch();
  if (status == RunStatus::kRefused && !arena_.change(0, actual_.data(), image_.data())) {
    return true;
  }
  result.status = RunStatus::kTookShort;
  result.message = status == RunStatus::kRefused
                       ? "a workspace one byte short was refused, but bytes changed"
                       : "a workspace one byte short was not refused";
  return false;
}

bool HostBackend::call(Candidate& candidate, CallFrame& frame, size_t launch_idx,
                       RunResult& result) {
  const bool short_first = mode_spec(case_->mode).plan.short_workspace && launch_idx == 0 &&
                           case_->expect != Expect::kRefused && placed().workspace.bytes > 0;
  if (short_first && !refuses_short_workspace(candidate, frame, result)) return false;
  result.status = run_status(frame.run(candidate));
  result.path = frame.path();
  fetch();
  if (result.status == RunStatus::kDone) return true;
  result.message = frame.message();
  if (const auto damage = arena_.change(0, actual_.data(), image_.data())) {
    result.steps.push_back({.outputs = {}, .untouched = {}, .damage = damage});
  }
  return false;
}

bool HostBackend::launch(Candidate& candidate, const Case& at_step, size_t launch_idx,
                         RunResult& result) {
  if (!fill(at_step, launch_idx, result)) return false;
  const std::optional<SparseTensors> sparse = make_sparse(at_step, placed(), launch_idx);
  if (!sparse) {
    result = {.status = RunStatus::kExhausted, .message = "no addresses for a sparse tensor"};
    return false;
  }
  CallFrame frame(at_step, kHostDevice, nullptr);
  bind(*sparse, frame);
  const bytegate_executor_options executor = {.seed = at_step.seed,
                                              .shared_limit_bytes = 0,
                                              .max_switches = options_.max_switches,
                                              .arch = options_.arch,
                                              .reserved = 0};
  frame.set_executor(&executor);
  if (!call(candidate, frame, launch_idx, result)) return false;
  left_.workspace = arena_.workspace_left(0, actual_.data());
  result.steps.push_back(arena_.take(at_step, 0, stale_, actual_.data(), image_.data()));
  take_sparse(at_step, *sparse, result.steps.back());
  return true;
}

RunResult HostBackend::run(Candidate& candidate, const Case& c) {
  const CallSize size = query_call(candidate, c, kHostDevice);
  if (auto settled = settled_by_query(size, c)) return *settled;
  case_ = &c;
  left_ = {};
  arena_.clear();
  // A candidate that takes an overlap writes past the smaller of two buffers by its nature.
  if (fault_map_ != nullptr && !overlaps_on_purpose(c)) {
    arena_.place_in_windows(c, size.workspace_bytes);
  } else {
    arena_.place(c, size.workspace_bytes);
  }
  arena_.set_sections(size.sections);
  RunResult result;
  // Asking for it would wake the kernel's OOM killer before any error came back.
  if (arena_.bytes() > host_memory_bytes() / 4) {
    result.status = RunStatus::kExhausted;
    result.message = "buffers of " + std::to_string(arena_.bytes()) + " bytes are too large here";
    return result;
  }
  const std::vector<size_t> steps = launched_steps(c);
  result.steps.reserve(steps.size());
  for (size_t launch_idx = 0; launch_idx < steps.size(); ++launch_idx) {
    const size_t step = steps[launch_idx];
    // The same step again runs over fresh poison: what it does not write must not look right.
    const bool changed = launch_idx > 0 && steps[launch_idx - 1] != step;
    left_.result = changed ? &result.steps.back() : nullptr;
    const bool ran = c.later_steps.empty()
                         ? launch(candidate, c, launch_idx, result)
                         : launch(candidate, at_step(c, step), launch_idx, result);
    if (!ran) break;
  }
  if (fault_map_ != nullptr) fault_map_->clear();
  return result;
}

class HostSubmission final : public Submission {
 public:
  HostSubmission(HostBackend& backend, Candidate& candidate, std::span<const Case> cases)
      : backend_(backend), candidate_(candidate), cases_(cases) {}

  std::vector<RunResult> collect() override {
    std::vector<RunResult> results;
    results.reserve(cases_.size());
    for (const Case& c : cases_) results.push_back(backend_.run(candidate_, c));
    return results;
  }

 private:
  HostBackend& backend_;
  Candidate& candidate_;
  std::span<const Case> cases_;
};

std::unique_ptr<Submission> HostBackend::submit(Candidate& candidate, std::span<const Case> cases) {
  return std::make_unique<HostSubmission>(*this, candidate, cases);
}

}  // namespace

std::unique_ptr<Backend> make_host_backend(const BackendOptions& options) {
  return std::make_unique<HostBackend>(options, nullptr);
}

std::unique_ptr<Backend> make_guarded_host_backend(const BackendOptions& options,
                                                   FaultMap& faults) {
  return std::make_unique<HostBackend>(options, &faults);
}

MadeBackend make_isolated_host_backend(const BackendOptions& options) {
  const auto faults = std::make_shared<FaultMap>();
  return make_process_backend(
      [options, faults] {
        return MadeBackend{make_guarded_host_backend(options, *faults), ""};
      },
      {.limit = options.case_limit,
       .memory_bytes = options.worker_memory_bytes,
       .give_up = options.give_up,
       .faults = faults});
}

}  // namespace bytegate
