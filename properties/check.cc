#include "properties/check.h"

#include <algorithm>
#include <cstring>

namespace bytegate {
namespace {

std::string index_text(const Dims& shape, int64_t idx) {
  Dims place = shape;
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    place[axis] = idx % shape[axis];
    idx /= shape[axis];
  }
  return to_string(place);
}

std::string tensor_name(const Case& c, int tensor) {
  return tensor < 0 ? "workspace" : std::string(c.op->tensors[static_cast<size_t>(tensor)].name);
}

Verdict failed(VerdictKind kind, const std::string& where, std::string message) {
  return {.kind = kind,
          .origin = std::string(verdict_name(kind)) + (where.empty() ? "" : ":" + where),
          .message = std::move(message)};
}

std::string gap_text(const Case& c, int tensor) {
  if (tensor < 0) return "a byte between its sections changed";
  const bool some_kept = c.op->tensors[static_cast<size_t>(tensor)].columns_written != nullptr;
  return some_kept ? "a gap or a column beyond those it has to write changed"
                   : "a gap between its elements changed";
}

Verdict damaged(const Case& c, const Damage& damage) {
  const std::string name = tensor_name(c, damage.tensor);
  const std::string at = " at byte " + std::to_string(damage.byte_offset) + " of " + name;
  switch (damage.kind) {
    case Damage::Kind::kGuard:
      return failed(VerdictKind::kOverrun, name, "the guard around it changed" + at);
    case Damage::Kind::kGap:
      return failed(VerdictKind::kOverrun, name, gap_text(c, damage.tensor) + at);
    case Damage::Kind::kInput:
      return failed(VerdictKind::kOverrun, name, "an input changed" + at);
    case Damage::Kind::kRead:
      return failed(VerdictKind::kOverread, name, "read outside it" + at);
    case Damage::Kind::kWrite:
      break;
  }
  return failed(VerdictKind::kOverrun, name, "written outside it" + at);
}

// Whether the whole tensor is equal where the contract states it; the common case, without a loop.
bool same_bytes(const Elements& expect, const Elements& actual) {
  return expect.bytes() == actual.bytes() &&
         (expect.bytes() == 0 || std::memcmp(expect.data(), actual.data(), expect.bytes()) == 0);
}

// Which elements of one output at one step the contract states. The mask is filled once, when it is
// first needed.
class Stated {
 public:
  Stated(const Case& c, size_t tensor, int64_t count)
      : case_(c), mask_(c.op->tensors[tensor].mask), count_(static_cast<size_t>(count)) {}

  [[nodiscard]] bool all() const { return mask_ == nullptr; }
  bool at(int64_t idx) { return all() || filled()[static_cast<size_t>(idx)] != 0; }
  bool any() {
    if (all()) return count_ > 0;
    const std::vector<uint8_t>& stated = filled();
    return std::any_of(stated.begin(), stated.end(), [](uint8_t one) { return one != 0; });
  }

 private:
  const std::vector<uint8_t>& filled() {
    if (stated_.size() != count_) {
      stated_.assign(count_, 1);
      mask_(case_, stated_);
    }
    return stated_;
  }

  const Case& case_;
  void (*mask_)(const Case&, std::span<uint8_t>);
  size_t count_;
  std::vector<uint8_t> stated_;
};

std::optional<Difference> first_difference(const Case& c, size_t tensor, const Elements& expect,
                                           const Elements& actual, Stated& stated) {
  Difference difference;
  for (int64_t i = 0; i < expect.size(); ++i) {
    if (!stated.at(i)) continue;
    ++difference.num_elements;
    if (expect.at(i) == actual.at(i)) continue;
    if (difference.num_different++ > 0) continue;
    difference.field = c.op->tensors[tensor].name;
    difference.index = index_text(written_shape(c, static_cast<int>(tensor)), i);
    difference.expect = std::to_string(expect.at(i));
    difference.actual = std::to_string(actual.at(i));
  }
  if (difference.num_different == 0) return std::nullopt;
  return difference;
}

std::optional<Verdict> compare_tensor(const Case& c, size_t tensor, const Elements& expect,
                                      const StepResult& result, Stated& stated) {
  const Elements& actual = result.outputs[tensor];
  if (same_bytes(expect, actual)) return std::nullopt;
  const std::string name(c.op->tensors[tensor].name);
  std::optional<Difference> difference = first_difference(c, tensor, expect, actual, stated);
  if (!difference) return std::nullopt;
  // Wrong because nobody wrote it, when every wrong element still holds its poison.
  int64_t num_unwritten = 0;
  for (int64_t i = 0; i < expect.size(); ++i) {
    if (!result.untouched[tensor].has(i) || !stated.at(i)) continue;
    if (expect.at(i) != actual.at(i)) ++num_unwritten;
  }
  const bool unwritten = num_unwritten == difference->num_different;
  Verdict verdict = failed(unwritten ? VerdictKind::kUnwritten : VerdictKind::kMismatch, name, "");
  if (!unwritten && num_unwritten > 0) {
    verdict.message = std::to_string(num_unwritten) + " of them were never written";
  }
  verdict.difference = std::move(difference);
  return verdict;
}

Verdict changed_by_refusal(const Case& c, const Damage& damage) {
  const std::string name = tensor_name(c, damage.tensor);
  return failed(VerdictKind::kOverrun, name,
                "changed although the call was refused, at byte " +
                    std::to_string(damage.byte_offset) + " of " + name);
}

// What an answer to an invalid call is worth; nothing when it is judged like that to a valid one.
std::optional<Verdict> judge_refusal(const Case& c, const RunResult& result) {
  switch (result.status) {
    case RunStatus::kDone:
      return failed(VerdictKind::kAccepted, "", "an invalid call was not refused");
    case RunStatus::kFailed:
      return failed(VerdictKind::kAccepted, "",
                    "not refused as an invalid argument, but failed: " + result.message);
    case RunStatus::kRefused:
      if (result.message.empty()) {
        return failed(VerdictKind::kAccepted, "", "refused, but without a message");
      }
      if (!result.steps.empty() && !result.steps.back().damage) {
        return failed(VerdictKind::kAccepted, "",
                      "an invalid call was refused only in a later step");
      }
      if (!result.steps.empty()) {
        return changed_by_refusal(c, *result.steps.back().damage);
      }
      return Verdict{.kind = VerdictKind::kPass};
    default:
      return std::nullopt;
  }
}

// What an answer to inputs outside the contract is worth: no host sees them, so that running is as
// right as refusing, and what the outputs hold is nobody's business. Nothing when the status is
// judged like that to a valid call.
std::optional<Verdict> judge_survival(const Case& c, const RunResult& result) {
  if (result.status != RunStatus::kDone && result.status != RunStatus::kRefused) {
    return std::nullopt;
  }
  if (result.status == RunStatus::kDone && result.steps.size() != launched_steps(c).size()) {
    return failed(VerdictKind::kUntested, "", "the backend did not make every launch");
  }
  for (size_t launch = 0; launch < result.steps.size(); ++launch) {
    const std::optional<Damage>& damage = result.steps[launch].damage;
    if (!damage) continue;
    const bool of_refusal =
        result.status == RunStatus::kRefused && launch + 1 == result.steps.size();
    return of_refusal ? changed_by_refusal(c, *damage) : damaged(c, *damage);
  }
  return Verdict{.kind = VerdictKind::kPass};
}

// The verdict that the status alone decides; nothing when the launches are to be looked at.
std::optional<Verdict> judge_status(const Case& c, const RunResult& result) {
  switch (result.status) {
    case RunStatus::kDone:
      return std::nullopt;
    case RunStatus::kRefused:
    case RunStatus::kFailed:
      return failed(VerdictKind::kRefused, "", result.message);
    case RunStatus::kUnsupported:
      return failed(VerdictKind::kUnsupported, "", result.message);
    case RunStatus::kFault:
      if (result.trespass) return damaged(c, *result.trespass);
      return failed(VerdictKind::kCrashed, "", result.message);
    case RunStatus::kExited:
      return failed(VerdictKind::kExited, "", result.message);
    case RunStatus::kHung:
      return failed(VerdictKind::kHung, "", result.message);
    case RunStatus::kExhausted:
      return failed(VerdictKind::kExhausted, "", result.message);
    case RunStatus::kVacuous:
      return failed(VerdictKind::kVacuous, "", result.message);
    case RunStatus::kTookShort:
      return failed(VerdictKind::kAccepted, "workspace", result.message);
    case RunStatus::kNoisy:
      return failed(VerdictKind::kNoisy, "", result.message);
    case RunStatus::kLost:
      return failed(VerdictKind::kUntested, "", result.message);
  }
  return std::nullopt;
}

// A launch that gives other bytes than one before it with the same inputs, which was right.
Verdict unstable(Verdict verdict) {
  const std::string where =
      verdict.origin.substr(std::min(verdict.origin.find(':'), verdict.origin.size()));
  verdict.kind = VerdictKind::kUnstable;
  verdict.origin = std::string(verdict_name(verdict.kind)) + where;
  verdict.message = "right in an earlier launch with the same inputs";
  return verdict;
}

// Compares with what is expected, where that is known.
Verdict judge_outputs(const Case& at_step, size_t step_idx, const StepResult& result,
                      const Outputs* expect, const OpProperties& properties) {
  // Damage first: a candidate that writes out of bounds may have spoiled its own outputs.
  if (result.damage) return damaged(at_step, *result.damage);
  const size_t num_tensors = at_step.tensors.size();
  if (result.outputs.size() != num_tensors || result.untouched.size() != num_tensors) {
    return failed(VerdictKind::kUntested, "", "the backend returned other tensors");
  }
  std::vector<Stated> outputs;
  for (size_t i = 0; i < at_step.tensors.size(); ++i) {
    if (at_step.op->tensors[i].role != Role::kOutput || !at_step.tensors[i].present) continue;
    const Elements& actual = result.outputs[i];
    const int64_t count = num_elements(written_shape(at_step, static_cast<int>(i))).value_or(0);
    if (actual.size() != count || actual.dtype() != at_step.tensors[i].dtype) {
      return failed(VerdictKind::kUntested, std::string(at_step.op->tensors[i].name),
                    "the backend returned another shape");
    }
    Stated& stated = outputs.emplace_back(at_step, i, count);
    if (expect == nullptr) continue;
    if (auto verdict = compare_tensor(at_step, i, (*expect)[i], result, stated)) {
      if (verdict->difference) verdict->difference->step_idx = static_cast<int64_t>(step_idx);
      return *verdict;
    }
  }
  // Those without a mask first: they cost nothing to ask.
  const bool compared =
      std::any_of(outputs.begin(), outputs.end(),
                  [](Stated& one) { return one.all() && one.any(); }) ||
      std::any_of(outputs.begin(), outputs.end(), [](Stated& one) { return one.any(); });
  if (!compared) {
    return failed(VerdictKind::kVacuous, "", "the case states no output byte");
  }
  if (properties.broken_invariant != nullptr) {
    if (auto broken = properties.broken_invariant(at_step, result.outputs)) {
      return failed(VerdictKind::kInvariant, "", *broken);
    }
  }
  return {.kind = VerdictKind::kPass};
}

// Without an oracle, a launch must still give the bytes of the one before it with the same inputs.
Verdict judge_launches(const Case& c, const RunResult& result, const OpProperties& properties,
                       Yardstick yardstick) {
  const std::vector<size_t> steps = launched_steps(c);
  if (result.steps.size() != steps.size()) {
    return failed(VerdictKind::kUntested, "", "the backend did not make every launch");
  }
  for (size_t launch = 0; launch < steps.size(); ++launch) {
    const size_t step = steps[launch];
    const auto now = steps.begin() + static_cast<int64_t>(launch);
    const auto earlier = std::find(steps.begin(), now, step);
    const bool was_right = earlier != now;
    const auto judge = [&](const Case& at_step) {
      if (yardstick == Yardstick::kOracle) {
        return judge_step(at_step, step, result.steps[launch], properties);
      }
      const Outputs* before =
          was_right ? &result.steps[static_cast<size_t>(earlier - steps.begin())].outputs : nullptr;
      return judge_outputs(at_step, step, result.steps[launch], before, properties);
    };
    Verdict verdict = c.later_steps.empty() ? judge(c) : judge(at_step(c, step));
    if (verdict.passed()) continue;
    if (was_right && verdict.kind == VerdictKind::kMismatch) return unstable(std::move(verdict));
    return verdict;
  }
  return {.kind = VerdictKind::kPass};
}

Verdict judge_run(const Case& c, const RunResult& result, const OpProperties& properties,
                  Yardstick yardstick) {
  if (c.expect == Expect::kRefused) {
    if (auto verdict = judge_refusal(c, result)) return *verdict;
  }
  if (c.expect == Expect::kSurvived) {
    if (auto verdict = judge_survival(c, result)) return *verdict;
  }
  if (auto verdict = judge_status(c, result)) return *verdict;
  return judge_launches(c, result, properties, yardstick);
}

// The mode stands in the origin: shrinking takes it away where a plain launch fails alike.
void name_mode(const Case& c, Verdict& verdict) {
  if (verdict.origin.empty() || c.mode == Mode::kPlain) return;
  verdict.origin += "@" + std::string(mode_name(c.mode));
}

// Why a case must not be run, or nothing.
std::optional<std::string> not_runnable(const Case& c, const OpProperties& properties) {
  if (c.op != properties.op) return "the case is of another operation";
  if (c.expect == Expect::kBytes) return invalid_reason(c);
  if (c.expect == Expect::kSurvived) return invalid_call_reason(c);
  if (auto reason = malformed_reason(c)) return reason;
  // A forced path that cannot be taken is the other reason to refuse; the candidate alone knows it.
  if (c.forced_path.empty() && !invalid_call_reason(c)) {
    return "the case expects a refusal, but nothing that the host can see is outside the contract";
  }
  return std::nullopt;
}

}  // namespace

Verdict judge_step(const Case& at_step, size_t step_idx, const StepResult& result,
                   const OpProperties& properties) {
  const Outputs expect = result.damage ? Outputs() : expected_outputs(at_step);
  return judge_outputs(at_step, step_idx, result, &expect, properties);
}

PendingCheck::PendingCheck(std::span<const Case> cases, Candidate& candidate, Backend& backend,
                           const OpProperties& properties, Yardstick yardstick)
    : cases_(cases), properties_(properties), yardstick_(yardstick), runs_(cases.size()) {
  for (size_t i = 0; i < cases.size(); ++i) {
    if (auto reason = not_runnable(cases[i], properties)) {
      runs_[i].verdict = failed(VerdictKind::kUntested, "", *reason);
    } else {
      subset_idx_.push_back(i);
    }
  }
  const bool widened = std::any_of(cases.begin(), cases.end(),
                                   [](const Case& c) { return mode_spec(c.mode).plan.widened; });
  if (widened || subset_idx_.size() < cases.size()) {
    for (const size_t i : subset_idx_) {
      subset_.push_back(cases[i]);
      if (mode_spec(cases[i].mode).plan.widened) widen_strides(subset_.back());
    }
    submission_ = backend.submit(candidate, subset_);
  } else {
    submission_ = backend.submit(candidate, cases);
  }
}

std::vector<CheckedRun> PendingCheck::collect_runs() {
  std::vector<RunResult> results = submission_->collect();
  for (size_t k = 0; k < subset_idx_.size(); ++k) {
    const size_t i = subset_idx_[k];
    if (k >= results.size()) continue;  // stays untested
    Verdict& verdict = runs_[i].verdict;
    verdict = judge_run(cases_[i], results[k], properties_, yardstick_);
    verdict.path = results[k].path;
    name_mode(cases_[i], verdict);
    if (!results[k].steps.empty()) runs_[i].outputs = std::move(results[k].steps.front().outputs);
  }
  return std::move(runs_);
}

std::vector<Verdict> PendingCheck::collect() {
  std::vector<Verdict> verdicts;
  for (CheckedRun& run : collect_runs()) verdicts.push_back(std::move(run.verdict));
  return verdicts;
}

std::vector<Verdict> check(std::span<const Case> cases, Candidate& candidate, Backend& backend,
                           const OpProperties& properties) {
  return PendingCheck(cases, candidate, backend, properties).collect();
}

}  // namespace bytegate
