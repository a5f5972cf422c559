// The host backend: candidates run right here, host builds of kernels on the SIMT executor.
#include <cstdlib>
#include <cstring>

#include "kernels/arena.h"
#include "kernels/backend.h"
#include "kernels/call_frame.h"
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

 private:
  std::unique_ptr<std::byte, FreeDeleter> bytes_;
  size_t capacity_ = 0;
};

// The sparse tensors of one case at one step: null where a tensor is not sparse.
struct SparseTensors {
  std::vector<std::unique_ptr<SparseImage>> images;
  std::vector<std::unique_ptr<HostSparseRegion>> regions;
};

std::optional<SparseTensors> make_sparse(const Case& at_step, const PlacedCase& placed,
                                         size_t step_idx) {
  SparseTensors sparse;
  sparse.images.resize(at_step.tensors.size());
  sparse.regions.resize(at_step.tensors.size());
  for (size_t i = 0; i < at_step.tensors.size(); ++i) {
    if (!placed.tensors[i].sparse) continue;
    sparse.images[i] =
        std::make_unique<SparseImage>(make_sparse_image(at_step, i, host_page_bytes(), step_idx));
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

class HostBackend final : public Backend {
 public:
  explicit HostBackend(const BackendOptions& options) : options_(options) {}

  [[nodiscard]] BackendKind kind() const override { return BackendKind::kHost; }
  [[nodiscard]] std::string description() const override { return "SIMT executor on the host"; }
  std::unique_ptr<Submission> submit(Candidate& candidate, std::span<const Case> cases) override;

  RunResult run(Candidate& candidate, const Case& c);

 private:
  // One launch on freshly filled buffers; false when the result is final already.
  bool run_step(Candidate& candidate, const Case& at_step, size_t step_idx, RunResult& result);

  BackendOptions options_;
  Arena arena_;
  Image image_;
  Image actual_;
};

bool HostBackend::run_step(Candidate& candidate, const Case& at_step, size_t step_idx,
                           RunResult& result) {
  const PlacedCase& placed = arena_.placed(0);
  std::byte* image = image_.ensure(arena_.bytes());
  std::byte* actual = actual_.ensure(arena_.bytes());
  if (image == nullptr || actual == nullptr) {
    result = {.status = RunStatus::kExhausted, .message = "no memory for the buffers"};
    return false;
  }
  const StepResult* before = result.steps.empty() ? nullptr : &result.steps.back();
  const bool stale = arena_.fill_step(at_step, 0, step_idx, before, image);
  std::memcpy(actual, image, arena_.bytes());
  const std::optional<SparseTensors> sparse = make_sparse(at_step, placed, step_idx);
  if (!sparse) {
    result = {.status = RunStatus::kExhausted, .message = "no addresses for a sparse tensor"};
    return false;
  }
  CallFrame frame(at_step, kHostDevice, nullptr);
  frame.set_arena(placed, actual);
  for (size_t i = 0; i < at_step.tensors.size(); ++i) {
    if (sparse->regions[i] == nullptr) continue;
    frame.set_data(static_cast<int>(i), sparse->regions[i]->first_element());
  }
  frame.apply_call_faults();
  const bytegate_executor_options executor = {.seed = at_step.seed,
                                              .shared_limit_bytes = 0,
                                              .max_switches = options_.max_switches,
                                              .arch = options_.arch,
                                              .reserved = 0};
  frame.set_executor(&executor);
  result.status = run_status(frame.run(candidate));
  result.path = frame.path();
  if (result.status != RunStatus::kDone) {
    result.message = frame.message();
    if (const auto damage = arena_.change(0, actual, image)) {
      result.steps.push_back({.outputs = {}, .untouched = {}, .damage = damage});
    }
    return false;
  }
  result.steps.push_back(arena_.take(at_step, 0, stale, actual, image));
  take_sparse(at_step, *sparse, result.steps.back());
  return true;
}

RunResult HostBackend::run(Candidate& candidate, const Case& c) {
  const CallSize size = query_call(candidate, c, kHostDevice);
  if (auto settled = settled_by_query(size, c)) return *settled;
  arena_.clear();
  arena_.place(c, size.workspace_bytes);
  RunResult result;
  // Asking for it would wake the kernel's OOM killer before any error came back.
  if (arena_.bytes() > host_memory_bytes() / 4) {
    result.status = RunStatus::kExhausted;
    result.message = "buffers of " + std::to_string(arena_.bytes()) + " bytes are too large here";
    return result;
  }
  if (c.later_steps.empty()) {
    run_step(candidate, c, 0, result);
    return result;
  }
  for (size_t step = 0; step <= c.later_steps.size(); ++step) {
    if (!run_step(candidate, at_step(c, step), step, result)) break;
  }
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
  return std::make_unique<HostBackend>(options);
}

MadeBackend make_isolated_host_backend(const BackendOptions& options) {
  return make_process_backend(
      [options] {
        return MadeBackend{make_host_backend(options), ""};
      },
      options.case_limit);
}

}  // namespace bytegate
