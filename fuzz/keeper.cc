#include "fuzz/keeper.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "fuzz/flaw.h"
#include "properties/check_relations.h"

namespace bytegate {
namespace {

constexpr const char* kNotMinimised = "; not minimised";

// Saves the kept case under the origin of its verdict.
void save_kept(Finding& finding, const std::string& dir, const std::string& note) {
  const SavedFinding saved = save_finding(dir, finding.kept, finding.verdict.origin, note);
  if (!saved.path.empty()) finding.file = saved.path;
  finding.save_error = saved.error;
}

bool has_mode(std::string_view origin) {
  return flaw_of_origin(origin).size() < origin.size();
}

// Whether the finding answers for an origin of failures that it is not named after: those that an
// earlier launch brings about.
bool is_renamed(const Finding& finding, std::string_view origin) {
  constexpr std::string_view kAgain = "@again";
  const std::string_view mode = origin.substr(std::min(origin.find('@'), origin.size()));
  return finding.kept.mode == Mode::kAgain && mode != kAgain;
}

// Of failures that may hide another flaw, those that are run once more: the first, and then ever
// fewer.
bool is_asked(int64_t num_failures) {
  constexpr int64_t kAllOf = 16;
  return num_failures <= kAllOf || (num_failures & (num_failures - 1)) == 0;
}

// A failure of another flaw is none to a search that keeps to one.
Verdict only(std::string_view origin, Verdict verdict) {
  const bool kept = verdict.kind == VerdictKind::kUntested || is_same_flaw(verdict.origin, origin);
  return kept ? std::move(verdict) : Verdict{.kind = VerdictKind::kPass};
}

}  // namespace

// As the run judges, but by no other relation than the one that the origin names.
Verdict Keeper::check_one(const Case& c, Candidate& candidate, Backend& backend) const {
  const Checks checks = {.yardstick = options_.checks.yardstick};
  return check({&c, 1}, candidate, backend, properties_, checks).front();
}

// A flaw that plain launches show as well is seen in every mode, and is still one flaw. One case of
// each origin answers for all.
void Keeper::blame(FailedCase& failed, Candidate& candidate, Backend& backend) {
  if (!has_mode(failed.verdict.origin) || stopped()) return;
  const std::string flaw(flaw_of_origin(failed.verdict.origin));
  {
    const std::scoped_lock lock(mutex_);
    const auto known = is_plain_.find(failed.verdict.origin);
    if (known != is_plain_.end()) {
      if (known->second) failed.verdict.origin = flaw;
      return;
    }
  }
  Case plain = failed.kept;
  plain.mode = Mode::kPlain;
  Verdict verdict = check_one(plain, candidate, backend);
  const bool alike = !verdict.passed() && verdict.origin == flaw;
  const std::scoped_lock lock(mutex_);
  is_plain_.emplace(failed.verdict.origin, alike);
  if (!alike) return;
  failed.kept = std::move(plain);
  failed.verdict = std::move(verdict);
  failed.file.clear();
}

// What other cases took with them is no finding beside theirs, unless it fails alone as well.
bool Keeper::judge_untested(FailedCase& failed) {
  bool asked = false;
  {
    const std::scoped_lock lock(mutex_);
    asked = is_asked(++num_untested_);
    if (!asked && has_failures_) return false;
  }
  if (!asked || stopped()) return true;
  const std::optional<Verdict> alone = check_alone(failed.kept);
  if (!alone) return true;
  if (!alone->passed()) {
    failed.verdict = *alone;
    return true;
  }
  const std::scoped_lock lock(mutex_);
  return !has_failures_;
}

std::optional<Finding> Keeper::keep(FailedCase failed, Candidate& candidate, Backend& backend) {
  const bool untested = failed.verdict.kind == VerdictKind::kUntested;
  if (untested && !judge_untested(failed)) return std::nullopt;
  failed.kept.origin = failed.verdict.origin;
  blame(failed, candidate, backend);
  const bool another = is_another(failed);
  size_t place = 0;
  {
    const std::scoped_lock lock(mutex_);
    has_failures_ = has_failures_ || failed.verdict.kind != VerdictKind::kUntested;
    const auto known = finding_of_origin_.find(failed.verdict.origin);
    if (known != finding_of_origin_.end() && !another) {
      ++findings_[known->second].num_failures;
      return std::nullopt;
    }
    if (findings_.size() - merged_.size() >= static_cast<size_t>(options_.max_findings)) {
      ++num_unkept_;
      return std::nullopt;
    }
    place = findings_.size();
    finding_of_origin_[failed.verdict.origin] = place;
    findings_.emplace_back();
    findings_.back().verdict = failed.verdict;
    findings_.back().kept.mode = failed.kept.mode;
  }
  Finding finding;
  if (!save(std::move(failed), place, candidate, backend, finding)) return std::nullopt;
  const std::scoped_lock lock(mutex_);
  finding.num_failures = findings_[place].num_failures;
  findings_[place] = finding;
  return finding;
}

// What a finding of mode `again` answers for may be a flaw of its own after all, which needs no
// earlier launch.
bool Keeper::is_another(const FailedCase& failed) {
  {
    const std::scoped_lock lock(mutex_);
    const auto known = finding_of_origin_.find(failed.verdict.origin);
    if (known == finding_of_origin_.end() || stopped()) return false;
    const Finding& answering = findings_[known->second];
    if (!is_renamed(answering, failed.verdict.origin)) return false;
    if (!is_asked(answering.num_failures)) return false;
  }
  const std::string& origin = failed.verdict.origin;
  const std::optional<Verdict> alone = failure_alone(failed.kept, origin);
  if (!alone) return false;
  return !follows_a_launch(*alone) || !failure_alone(launched_again(failed.kept, *alone), origin);
}

// Gives an origin to the finding at `place`. False: another one has it, and answers from now on for
// all that this one did.
bool Keeper::claim(const std::string& origin, size_t place) {
  const std::scoped_lock lock(mutex_);
  const size_t owner = finding_of_origin_.emplace(origin, place).first->second;
  if (owner == place) return true;
  findings_[owner].num_failures += findings_[place].num_failures;
  for (auto& [of, at] : finding_of_origin_) {
    if (at == place) at = owner;
  }
  merged_.insert(place);
  return false;
}

std::vector<Finding> Keeper::take_findings() {
  std::vector<Finding> findings;
  for (size_t i = 0; i < findings_.size(); ++i) {
    if (merged_.count(i) == 0) findings.push_back(std::move(findings_[i]));
  }
  findings_.clear();
  return findings;
}

void Keeper::know(Finding finding) {
  const std::scoped_lock lock(mutex_);
  finding_of_origin_.emplace(finding.verdict.origin, findings_.size());
  findings_.push_back(std::move(finding));
}

bool Keeper::knows(const std::string& origin) {
  const std::scoped_lock lock(mutex_);
  const auto plain = is_plain_.find(origin);
  const bool blamed = plain != is_plain_.end() && plain->second;
  const std::string known(blamed ? flaw_of_origin(origin) : std::string_view(origin));
  const auto found = finding_of_origin_.find(known);
  return found != finding_of_origin_.end() && !is_renamed(findings_[found->second], known);
}

bool Keeper::save(FailedCase failed, size_t place, Candidate& candidate, Backend& backend,
                  Finding& finding) {
  finding.op = properties_.op->name;
  finding.backend = options_.backend;
  finding.source = std::move(failed.source);
  finding.after_cases = failed.after_cases;
  finding.after_seconds = failed.after_seconds;
  finding.verdict = std::move(failed.verdict);
  finding.kept = std::move(failed.kept);
  finding.file = std::move(failed.file);
  if (!options_.findings_dir.empty() && !make_small(finding, place, candidate, backend)) {
    return false;
  }
  if (!finding.file.empty()) {
    finding.replay =
        replay_line(options_.program, finding.file, options_.candidate, options_.backend);
  }
  return true;
}

// Minimises and saves the case that is kept, unless it is in a file already and as small as it
// gets. A case that is in no file is saved as it is first.
bool Keeper::make_small(Finding& finding, size_t place, Candidate& candidate, Backend& backend) {
  const bool in_file = !finding.file.empty();
  std::string note = "found with candidate " + candidate.name();
  std::string raw;  // a file of ours, for as long as there is no smaller case
  if (!in_file) {
    const std::string path =
        finding_path(options_.findings_dir, finding.kept, finding.verdict.origin);
    std::error_code error;
    if (std::filesystem::exists(path, error)) {
      finding.file = path;
    } else {
      save_kept(finding, options_.findings_dir, note + kNotMinimised);
      raw = finding.file;
    }
  }
  if (stopped()) return true;
  const auto begin = std::chrono::steady_clock::now();
  Shown shown = minimize_shown(finding, candidate, backend);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  finding.minimize_seconds = taken.count();
  if (stopped() && shown.small.verdict.kind == VerdictKind::kUntested) return true;
  if (!shown.small.minimal) note += kNotMinimised;
  const bool in_place = in_file && (!shown.alone || shown.small.smallest == finding.kept);
  note += shown.note;
  if (shown.alone) {
    finding.minimal = shown.small.minimal;
    finding.verdict = shown.small.verdict;
    finding.kept = std::move(shown.small.smallest);
    if (!claim(finding.verdict.origin, place)) {
      if (!raw.empty()) unlink(raw.c_str());
      return false;
    }
  }
  if (in_place) return true;
  save_kept(finding, options_.findings_dir, note);
  if (finding.save_error.empty() && !raw.empty() && raw != finding.file) unlink(raw.c_str());
  return true;
}

// The smallest case that a replay shows to fail alike. What needs an earlier launch gets one of its
// own: it is launched twice.
Keeper::Shown Keeper::minimize_shown(const Finding& finding, Candidate& candidate,
                                     Backend& backend) {
  const std::string& origin = finding.verdict.origin;
  MinimizeResult small = minimize(
      finding.kept, [&](const Case& c) { return only(origin, check_one(c, candidate, backend)); },
      minimizing());
  if (small.verdict.passed()) return minimize_kept(finding, std::move(small));
  const std::optional<Verdict> alone = check_alone(small.smallest);
  if (!alone) return {.small = std::move(small), .alone = true};
  if (alone->passed() || !is_same_flaw(alone->origin, origin)) {
    return minimize_kept(finding, std::move(small));
  }
  small.verdict = *alone;
  const Case again = launched_again(small.smallest, *alone);
  if (follows_a_launch(*alone) && !(again == small.smallest)) {
    if (auto verdict = failure_alone(again, origin)) return minimize_alone(again, *verdict);
  }
  return {.small = std::move(small), .alone = true};
}

// Where what was made small fails here only, or not at all.
Keeper::Shown Keeper::minimize_kept(const Finding& finding, MinimizeResult small) {
  const std::string& origin = finding.verdict.origin;
  small.minimal = false;
  if (stopped()) return {.small = std::move(small)};
  const std::optional<Verdict> alone = check_alone(finding.kept);
  const bool fails = alone && !alone->passed() && is_same_flaw(alone->origin, origin);
  if (fails && !follows_a_launch(*alone)) return minimize_alone(finding.kept, *alone);
  for (const Case& c : {launched_again(small.smallest, small.verdict),
                        launched_again(finding.kept, finding.verdict)}) {
    if (auto verdict = failure_alone(c, origin)) return minimize_alone(c, *verdict);
  }
  if (fails) return minimize_alone(finding.kept, *alone);
  if (!alone) return {.small = std::move(small)};
  const std::string unlike = alone->passed() ? "passes" : "is " + alone->origin;
  return {.small = std::move(small), .note = "; " + unlike + " when it is run alone"};
}

MinimizeOptions Keeper::minimizing() const {
  MinimizeOptions minimizing = options_.minimize;
  minimizing.stop = options_.stop;
  return minimizing;
}

// Each try in a process of its own.
Keeper::Shown Keeper::minimize_alone(const Case& c, const Verdict& verdict) {
  bool first = true;
  MinimizeResult small = minimize(
      c,
      [&](const Case& tried) {
        if (std::exchange(first, false)) return verdict;
        return failure_alone(tried, verdict.origin).value_or(Verdict{.kind = VerdictKind::kPass});
      },
      minimizing());
  return {.small = std::move(small), .alone = true};
}

// With a candidate that has seen no other case: what a replay will do. Nothing where it cannot
// tell.
std::optional<Verdict> Keeper::check_alone(const Case& c) const {
  const Candidate::Result fresh = open_candidate(options_.candidate);
  const BackendResult backend = open_backend(options_.backend, options_.backend_options);
  if (fresh.candidate == nullptr || backend.backend == nullptr) return std::nullopt;
  Verdict verdict = check_one(c, *fresh.candidate, *backend.backend);
  if (verdict.kind == VerdictKind::kUntested || says_nothing(verdict.kind)) return std::nullopt;
  return verdict;
}

std::optional<Verdict> Keeper::failure_alone(const Case& c, const std::string& origin) const {
  std::optional<Verdict> verdict = check_alone(c);
  const bool fails = verdict && !verdict->passed() && is_same_flaw(verdict->origin, origin);
  return fails ? verdict : std::nullopt;
}

}  // namespace bytegate
