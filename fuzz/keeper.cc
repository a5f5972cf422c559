#include "fuzz/keeper.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "fuzz/flaw.h"

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

}  // namespace

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
  Verdict verdict = alone_.check_here(plain, candidate, backend);
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
  const std::optional<Verdict> alone = alone_.check(failed.kept);
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
  const std::optional<Verdict> alone = alone_.failure(failed.kept, origin);
  if (!alone) return false;
  return !follows_a_launch(*alone) || !alone_.failure(launched_again(failed.kept, *alone), origin);
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
  Shown shown = alone_.minimize_shown(finding, candidate, backend);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  finding.minimize_seconds = taken.count();
  if (shown.small.verdict.kind == VerdictKind::kUntested) {
    const bool is_lost = !stopped() && finding.verdict.kind != VerdictKind::kUntested;
    if (is_lost) finding.save_error = "no verdict later: " + describe(shown.small.verdict);
    return true;
  }
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

}  // namespace bytegate
