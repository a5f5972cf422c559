#include "fuzz/keeper.h"

#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

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

std::optional<Finding> Keeper::keep(FailedCase failed, Candidate& candidate, Backend& backend) {
  failed.kept.origin = failed.verdict.origin;
  blame(failed, candidate, backend);
  size_t place = 0;
  {
    const std::scoped_lock lock(mutex_);
    const auto known = finding_of_origin_.find(failed.verdict.origin);
    if (known != finding_of_origin_.end()) {
      ++findings_[known->second].num_failures;
      return std::nullopt;
    }
    if (findings_.size() >= static_cast<size_t>(options_.max_findings)) {
      ++num_unkept_;
      return std::nullopt;
    }
    place = findings_.size();
    finding_of_origin_[failed.verdict.origin] = place;
    findings_.emplace_back();
    findings_.back().verdict = failed.verdict;
  }
  Finding finding = save(std::move(failed), candidate, backend);
  const std::scoped_lock lock(mutex_);
  finding_of_origin_.emplace(finding.verdict.origin, place);
  finding.num_failures = findings_[place].num_failures;
  findings_[place] = finding;
  return finding;
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
  return finding_of_origin_.count(known) > 0;
}

Finding Keeper::save(FailedCase failed, Candidate& candidate, Backend& backend) {
  Finding finding;
  finding.op = properties_.op->name;
  finding.backend = options_.backend;
  finding.source = std::move(failed.source);
  finding.after_cases = failed.after_cases;
  finding.after_seconds = failed.after_seconds;
  finding.verdict = std::move(failed.verdict);
  finding.kept = std::move(failed.kept);
  finding.file = std::move(failed.file);
  if (!options_.findings_dir.empty()) make_small(finding, candidate, backend);
  if (!finding.file.empty()) {
    finding.replay =
        replay_line(options_.program, finding.file, options_.candidate, options_.backend);
  }
  return finding;
}

// Minimises and saves the case that is kept, unless it is in a file already and as small as it
// gets. A case that is in no file is saved as it is first.
void Keeper::make_small(Finding& finding, Candidate& candidate, Backend& backend) {
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
  if (stopped()) return;
  MinimizeOptions minimizing = options_.minimize;
  minimizing.stop = options_.stop;
  const auto begin = std::chrono::steady_clock::now();
  MinimizeResult small = minimize(
      finding.kept, [&](const Case& c) { return check_one(c, candidate, backend); }, minimizing);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  finding.minimize_seconds = taken.count();
  if (stopped() && small.verdict.kind == VerdictKind::kUntested) return;
  if (!small.minimal) note += kNotMinimised;
  if (!small.verdict.passed() && fails_alone(small.smallest)) {
    finding.minimal = small.minimal;
    finding.verdict = small.verdict;
    finding.kept = std::move(small.smallest);
  } else if (!fails_alone(finding.kept)) {
    note += "; passes when it is run alone";
  }
  if (in_file && small.num_accepted == 0) return;
  save_kept(finding, options_.findings_dir, note);
  if (finding.save_error.empty() && !raw.empty() && raw != finding.file) unlink(raw.c_str());
}

// With a candidate that has seen no other case: what a replay will do.
bool Keeper::fails_alone(const Case& c) {
  const Candidate::Result fresh = open_candidate(options_.candidate);
  const BackendResult backend = open_backend(options_.backend, options_.backend_options);
  if (fresh.candidate == nullptr || backend.backend == nullptr) return true;
  return !check_one(c, *fresh.candidate, *backend.backend).passed();
}

}  // namespace bytegate
