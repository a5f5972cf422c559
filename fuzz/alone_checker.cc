#include "fuzz/alone_checker.h"

#include <utility>

#include "fuzz/flaw.h"
#include "properties/check_relations.h"

namespace bytegate {
namespace {

// A failure of another flaw is none to a search that keeps to one.
Verdict only(std::string_view origin, Verdict verdict) {
  const bool kept = verdict.kind == VerdictKind::kUntested || is_same_flaw(verdict.origin, origin);
  return kept ? std::move(verdict) : Verdict{.kind = VerdictKind::kPass};
}

}  // namespace

Verdict AloneChecker::check_here(const Case& c, Candidate& candidate, Backend& backend) const {
  const Checks checks = {.yardstick = options_.checks.yardstick};
  return bytegate::check({&c, 1}, candidate, backend, properties_, checks).front();
}

Shown AloneChecker::minimize_shown(const Finding& finding, Candidate& candidate,
                                   Backend& backend) const {
  const std::string& origin = finding.verdict.origin;
  MinimizeResult small = minimize(
      finding.kept, [&](const Case& c) { return only(origin, check_here(c, candidate, backend)); },
      minimizing());
  if (small.verdict.kind == VerdictKind::kUntested) return {.small = std::move(small)};
  if (small.verdict.passed()) return minimize_kept(finding, std::move(small));
  const std::optional<Verdict> alone = check(small.smallest);
  if (!alone) return {.small = std::move(small), .alone = true};
  if (alone->passed() || !is_same_flaw(alone->origin, origin)) {
    return minimize_kept(finding, std::move(small));
  }
  small.verdict = *alone;
  const Case again = launched_again(small.smallest, *alone);
  if (follows_a_launch(*alone) && !(again == small.smallest)) {
    if (auto verdict = failure(again, origin)) return minimize_alone(again, *verdict);
  }
  return {.small = std::move(small), .alone = true};
}

Shown AloneChecker::minimize_kept(const Finding& finding, MinimizeResult small) const {
  const std::string& origin = finding.verdict.origin;
  small.minimal = false;
  if (stopped()) return {.small = std::move(small)};
  const std::optional<Verdict> alone = check(finding.kept);
  const bool fails = alone && !alone->passed() && is_same_flaw(alone->origin, origin);
  if (fails && !follows_a_launch(*alone)) return minimize_alone(finding.kept, *alone);
  for (const Case& c : {launched_again(small.smallest, small.verdict),
                        launched_again(finding.kept, finding.verdict)}) {
    if (auto verdict = failure(c, origin)) return minimize_alone(c, *verdict);
  }
  if (fails) return minimize_alone(finding.kept, *alone);
  if (!alone) return {.small = std::move(small)};
  const std::string unlike = alone->passed() ? "passes" : "is " + alone->origin;
  return {.small = std::move(small), .note = "; " + unlike + " when it is run alone"};
}

MinimizeOptions AloneChecker::minimizing() const {
  MinimizeOptions minimizing = options_.minimize;
  minimizing.stop = options_.stop;
  return minimizing;
}

Shown AloneChecker::minimize_alone(const Case& c, const Verdict& verdict) const {
  bool first = true;
  MinimizeResult small = minimize(
      c,
      [&](const Case& tried) {
        if (std::exchange(first, false)) return verdict;
        return failure(tried, verdict.origin).value_or(Verdict{.kind = VerdictKind::kPass});
      },
      minimizing());
  return {.small = std::move(small), .alone = true};
}

std::optional<Verdict> AloneChecker::check(const Case& c) const {
  const Candidate::Result fresh = open_candidate(options_.candidate);
  const BackendResult backend = open_backend(options_.backend, options_.backend_options);
  if (fresh.candidate == nullptr || backend.backend == nullptr) return std::nullopt;
  Verdict verdict = check_here(c, *fresh.candidate, *backend.backend);
  if (verdict.kind == VerdictKind::kUntested || says_nothing(verdict.kind)) return std::nullopt;
  return verdict;
}

std::optional<Verdict> AloneChecker::failure(const Case& c, const std::string& origin) const {
  std::optional<Verdict> verdict = check(c);
  const bool fails = verdict && !verdict->passed() && is_same_flaw(verdict->origin, origin);
  return fails ? verdict : std::nullopt;
}

}  // namespace bytegate
