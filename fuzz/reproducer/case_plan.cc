#include "fuzz/reproducer/case_plan.h"

#include <algorithm>

#include "kernels/arena.h"
#include "properties/verdict.h"

namespace bytegate {
namespace {

// A source file of 100,000 runs has about 2 MB and takes a compiler seconds.
constexpr size_t kMaxInputRuns = 200000;
constexpr size_t kMaxOutputRuns = 50000;

bool is_output(const Case& c, size_t tensor) {
  return c.op->tensors[tensor].role == Role::kOutput;
}

std::string name_of(const Case& c, size_t tensor) {
  return std::string(c.op->tensors[tensor].name);
}

// Where the values differ from the formula that the tensor says it was made with.
std::vector<uint8_t> off_pattern(const Elements& elements, const Pattern& pattern) {
  std::vector<uint8_t> off(static_cast<size_t>(elements.size()), 0);
  for (int64_t i = 0; i < elements.size(); ++i) {
    off[static_cast<size_t>(i)] = elements.at(i) != pattern_value(pattern, i) ? 1 : 0;
  }
  return off;
}

void plan_input(const Case& at, int64_t step, size_t tensor, CasePlan& plan) {
  const Tensor& input = at.tensors[tensor];
  PlannedValues values = {.step = step, .tensor = static_cast<int>(tensor)};
  // The pattern is that of the first step.
  if (input.pattern && step == 0) {
    values.pattern = input.pattern;
    values.runs = value_runs(input.elements, off_pattern(input.elements, *input.pattern));
  } else {
    values.runs = value_runs(input.elements);
  }
  if (values.runs.size() > kMaxInputRuns) {
    plan.error = name_of(at, tensor) + " takes " + std::to_string(values.runs.size()) +
                 " runs of values, too many for a source file (" + std::to_string(kMaxInputRuns) +
                 " at most); the case file holds it";
  }
  plan.values.push_back(std::move(values));
}

// What is looked at, where not all of it can be held: the first of it, and what was wrong.
void cut_runs(const Elements& expect, const Elements* actual, std::vector<ValueRun>& runs) {
  const size_t num_kept = kMaxOutputRuns / 2;
  const int64_t kept_end = runs[num_kept].begin;
  runs.resize(num_kept);
  if (actual == nullptr || actual->size() != expect.size()) return;
  for (int64_t i = kept_end; i < expect.size() && runs.size() < kMaxOutputRuns; ++i) {
    if (expect.at(i) != actual->at(i)) runs.push_back({i, 1, expect.at(i), 0});
  }
}

void plan_output(const Case& at, int64_t step, size_t tensor, const Elements& expect,
                 const Elements* actual, CasePlan& plan) {
  std::vector<uint8_t> stated;
  const auto mask = at.op->tensors[tensor].mask;
  if (mask != nullptr && !plan.breaks_invariant) {
    stated.assign(static_cast<size_t>(expect.size()), 1);
    mask(at, stated);
  }
  PlannedValues values = {.step = step, .tensor = static_cast<int>(tensor)};
  values.runs = value_runs(expect, stated);
  if (values.runs.size() > kMaxOutputRuns) {
    cut_runs(expect, actual, values.runs);
    plan.notes.push_back("Of " + name_of(at, tensor) + " only a part is compared: its first " +
                         std::to_string(values.runs[kMaxOutputRuns / 2 - 1].begin) +
                         " elements, and others that were wrong.");
  }
  plan.values.push_back(std::move(values));
}

void plan_values(const std::vector<StepResult>& outcome, CasePlan& plan) {
  const std::vector<size_t> launched = launched_steps(plan.c);
  for (size_t step = 0; step <= plan.c.later_steps.size(); ++step) {
    const Case at = at_step(plan.c, step);
    const int64_t step_idx = static_cast<int64_t>(step);
    for (size_t i = 0; i < at.tensors.size(); ++i) {
      if (is_output(at, i) || !at.tensors[i].present) continue;
      if (step > 0 && at.tensors[i].elements == plan.c.tensors[i].elements) continue;
      plan_input(at, step_idx, i, plan);
    }
    if (plan.c.expect != Expect::kBytes) continue;
    const auto launch =
        static_cast<size_t>(std::find(launched.begin(), launched.end(), step) - launched.begin());
    const Outputs* actual = launch < outcome.size() ? &outcome[launch].outputs : nullptr;
    if (plan.breaks_invariant && actual == nullptr) continue;
    const Outputs expect = plan.breaks_invariant ? *actual : expected_outputs(at);
    for (size_t i = 0; i < at.tensors.size(); ++i) {
      if (!is_output(at, i) || !at.tensors[i].present) continue;
      const bool known = actual != nullptr && i < actual->size();
      plan_output(at, step_idx, i, expect[i], known ? &(*actual)[i] : nullptr, plan);
    }
  }
}

void plan_buffers(CasePlan& plan) {
  Arena arena;
  // With room for a workspace, whose size only the candidate knows.
  arena.place(plan.c, 1);
  const PlacedCase& placed = arena.placed(0);
  constexpr size_t kBoundary = 64;
  for (size_t i = 0; i < placed.tensors.size(); ++i) {
    plan.skews.push_back(placed.tensors[i].offset % kBoundary);
    plan.sparse.push_back(placed.tensors[i].sparse);
    if (!placed.tensors[i].sparse) continue;
    plan.notes.push_back("Gaps of " + name_of(plan.c, i) + " are not watched: it is mostly gaps.");
  }
  plan.workspace_skew = placed.workspace.offset % kBoundary;
  plan.salt = placed.salt;
  const std::vector<size_t> steps = launched_steps(plan.c);
  for (size_t i = 0; i < steps.size(); ++i) {
    const bool changed = i > 0 && steps[i - 1] != steps[i];
    plan.launches.push_back({static_cast<int64_t>(steps[i]), changed && (plan.salt + i) % 2 == 0});
  }
}

void note_differences(CasePlan& plan) {
  const LaunchPlan& launch = mode_spec(plan.c.mode).plan;
  const bool cuda = plan.backend == BackendKind::kCuda;
  const bool at_page =
      launch.placing == Placing::kGuardAfter || launch.placing == Placing::kGuardBefore;
  if (cuda && at_page) {
    plan.notes.push_back(
        "No buffer stands at an unmapped page: a store beside one is seen by red zones, a load is "
        "not (run it under compute-sanitizer).");
  }
  if (cuda && launch.two_at_once) {
    plan.notes.push_back("There is no second instance beside the one that is judged.");
  }
  const std::string kind = plan.flaw.substr(0, plan.flaw.find(':'));
  if (kind == "exhausted") plan.notes.push_back("Memory is not limited.");
  if (kind == "race") plan.notes.push_back("No checker of races runs: it may well pass.");
  if (plan.breaks_invariant) {
    plan.notes.push_back(
        "The outputs that break an invariant are held; it fails as long as they come out.");
  }
}

}  // namespace

std::vector<ValueRun> value_runs(const Elements& elements, const std::vector<uint8_t>& held) {
  std::vector<ValueRun> runs;
  for (int64_t i = 0; i < elements.size(); ++i) {
    if (!held.empty() && held[static_cast<size_t>(i)] == 0) continue;
    const int64_t value = elements.at(i);
    ValueRun* last = runs.empty() ? nullptr : &runs.back();
    if (last != nullptr && last->begin + last->count == i) {
      int64_t step = 0;
      const int64_t before = elements.at(i - 1);
      const bool fits = !__builtin_sub_overflow(value, before, &step);
      if (fits && last->count == 1) last->step = step;
      if (fits && last->step == step) {
        ++last->count;
        continue;
      }
    }
    runs.push_back({.begin = i, .count = 1, .value = value, .step = 0});
  }
  return runs;
}

CasePlan plan_reproducer(const Case& c, const std::string& origin, BackendKind backend,
                         const std::vector<StepResult>& outcome) {
  CasePlan plan;
  plan.c = c;
  plan.backend = backend;
  if (mode_spec(c.mode).plan.widened) widen_strides(plan.c);
  plan.origin = origin;
  plan.flaw = flaw_of_origin(origin);
  plan.breaks_invariant = plan.flaw.starts_with(verdict_name(VerdictKind::kInvariant));
  plan_buffers(plan);
  plan_values(outcome, plan);
  note_differences(plan);
  return plan;
}

}  // namespace bytegate
