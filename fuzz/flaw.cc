#include "fuzz/flaw.h"

#include <string>

namespace bytegate {
namespace {

std::string flaw_in_any_launch(std::string_view origin) {
  const std::string_view unstable = verdict_name(VerdictKind::kUnstable);
  const std::string_view flaw = flaw_of_origin(origin);
  if (flaw.substr(0, unstable.size()) != unstable) return std::string(flaw);
  return std::string(verdict_name(VerdictKind::kMismatch)) +
         std::string(flaw.substr(unstable.size()));
}

int64_t step_of(const Verdict& verdict) {
  return verdict.difference ? verdict.difference->step_idx : 0;
}

}  // namespace

bool is_same_flaw(std::string_view origin, std::string_view other) {
  return flaw_in_any_launch(origin) == flaw_in_any_launch(other);
}

bool follows_a_launch(const Verdict& verdict) {
  return verdict.kind == VerdictKind::kUnstable || step_of(verdict) > 0;
}

Case launched_again(const Case& c, const Verdict& verdict) {
  const int64_t step = step_of(verdict);
  const bool later = step > 0 && step <= static_cast<int64_t>(c.later_steps.size());
  Case again = later ? at_step(c, static_cast<size_t>(step)) : c;
  again.mode = Mode::kAgain;
  return again;
}

}  // namespace bytegate
