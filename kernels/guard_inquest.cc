#include "kernels/guard_inquest.h"

#include <algorithm>
#include <utility>

namespace bytegate {
namespace {

// How a case runs when one buffer is guarded, and when its guard is opened. Kept, because the same
// buffer is often the next one, too: what minimises a case asks for hundreds of runs.
struct Probes {
  std::unique_ptr<Backend> closed;
  std::unique_ptr<Backend> open;
};

class Inquest {
 public:
  explicit Inquest(FocusedFactory focused) : focused_(std::move(focused)) {}

  // Nothing: it does not fault again, or whatever is guarded.
  std::optional<Damage> name_trespass(Candidate& candidate, const Case& c);

 private:
  // Nothing: this buffer is not the one. `astray`: whichever is guarded, or none, it faults.
  std::optional<Damage> examine(Candidate& candidate, const Case& c, int buffer, bool& astray);
  bool faults_unguarded(Candidate& candidate, const Case& c) const;

  FocusedFactory focused_;
  int last_ = GuardFocus::kNone;  // the buffer that `probes_` are of
  Probes probes_;
};

std::optional<RunResult> run(Backend* backend, Candidate& candidate, const Case& c) {
  if (backend == nullptr) return std::nullopt;
  return backend->submit(candidate, {&c, 1})->collect().front();
}

bool faulted(const std::optional<RunResult>& result) {
  return result && result->status == RunStatus::kFault;
}

// An access of which no more is known than whose guard stopped it.
Damage access_at(const Case& c, int buffer) {
  Damage damage = {.kind = Damage::Kind::kRead, .tensor = buffer, .byte_offset = -1};
  if (buffer < 0 || mode_spec(c.mode).plan.placing == Placing::kGuardBefore) return damage;
  const Tensor& tensor = c.tensors[static_cast<size_t>(buffer)];
  damage.byte_offset = extent_elements(tensor.shape, tensor.strides).value_or(0) *
                       static_cast<int64_t>(dtype_bytes(tensor.dtype));
  return damage;
}

bool Inquest::faults_unguarded(Candidate& candidate, const Case& c) const {
  const MadeBackend made = focused_({.buffer = GuardFocus::kNone});
  return faulted(run(made.backend.get(), candidate, c));
}

std::optional<Damage> Inquest::examine(Candidate& candidate, const Case& c, int buffer,
                                       bool& astray) {
  if (buffer != last_) {
    probes_ = {.closed = focused_({.buffer = buffer}).backend, .open = nullptr};
    last_ = buffer;
  }
  if (!faulted(run(probes_.closed.get(), candidate, c))) return std::nullopt;
  if (probes_.open == nullptr) {
    probes_.open = focused_({.buffer = buffer, .open = true}).backend;
  }
  const std::optional<RunResult> open = run(probes_.open.get(), candidate, c);
  if (!faulted(open)) return open && open->trespass ? *open->trespass : access_at(c, buffer);
  astray = faults_unguarded(candidate, c);
  return access_at(c, buffer);
}

std::optional<Damage> Inquest::name_trespass(Candidate& candidate, const Case& c) {
  std::vector<int> buffers;
  for (size_t i = 0; i < c.tensors.size(); ++i) {
    const Tensor& tensor = c.tensors[i];
    if (tensor.present && num_elements(tensor.shape).value_or(0) > 0) {
      buffers.push_back(static_cast<int>(i));
    }
  }
  buffers.push_back(-1);
  if (const auto last = std::find(buffers.begin(), buffers.end(), last_); last != buffers.end()) {
    std::rotate(buffers.begin(), last, last + 1);
  }
  for (const int buffer : buffers) {
    bool astray = false;
    const std::optional<Damage> found = examine(candidate, c, buffer, astray);
    if (astray) return std::nullopt;
    if (found) return found;
  }
  return std::nullopt;
}

bool stands_at_pages(const Case& c) {
  const Placing placing = mode_spec(c.mode).plan.placing;
  return placing == Placing::kGuardAfter || placing == Placing::kGuardBefore;
}

class NamingSubmission final : public Submission {
 public:
  NamingSubmission(Inquest& inquest, Candidate& candidate, std::span<const Case> cases,
                   std::unique_ptr<Submission> inner)
      : inquest_(inquest), candidate_(candidate), cases_(cases), inner_(std::move(inner)) {}

  std::vector<RunResult> collect() override {
    std::vector<RunResult> results = inner_->collect();
    for (size_t i = 0; i < results.size(); ++i) {
      RunResult& result = results[i];
      if (result.status != RunStatus::kFault || !stands_at_pages(cases_[i])) continue;
      if (!result.trespass) result.trespass = inquest_.name_trespass(candidate_, cases_[i]);
    }
    return results;
  }

 private:
  Inquest& inquest_;
  Candidate& candidate_;
  std::span<const Case> cases_;
  std::unique_ptr<Submission> inner_;
};

class NamingBackend final : public Backend {
 public:
  NamingBackend(std::unique_ptr<Backend> inner, FocusedFactory focused)
      : inner_(std::move(inner)), inquest_(std::move(focused)) {}

  [[nodiscard]] BackendKind kind() const override { return inner_->kind(); }
  [[nodiscard]] std::string description() const override { return inner_->description(); }
  std::unique_ptr<Submission> submit(Candidate& candidate, std::span<const Case> cases) override {
    return std::make_unique<NamingSubmission>(inquest_, candidate, cases,
                                              inner_->submit(candidate, cases));
  }

 private:
  std::unique_ptr<Backend> inner_;
  Inquest inquest_;
};

}  // namespace

MadeBackend make_naming_backend(FocusedFactory focused) {
  MadeBackend made = focused({});
  if (made.backend == nullptr) return made;
  return {std::make_unique<NamingBackend>(std::move(made.backend), std::move(focused)), ""};
}

}  // namespace bytegate
