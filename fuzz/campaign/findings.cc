#include "fuzz/campaign/findings.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "fuzz/sources.h"
#include "kernels/builtin_candidate.h"
#include "oracles/case_text.h"
#include "oracles/durable_file.h"
#include "oracles/text_digest.h"
#include "properties/check_relations.h"

namespace bytegate {
namespace {

namespace fs = std::filesystem;

constexpr int kMaxOrigins = 256;  // of an operation on a backend

}  // namespace

std::string found_folder_name(BackendKind backend, const std::string& candidate) {
  return std::string(backend_name(backend)) + "-" + text_digest(candidate_identity(candidate));
}

CampaignFindings::CampaignFindings(const StateFolder& state, const CampaignOptions& options,
                                   std::string work)
    : state_(state), options_(options), work_(std::move(work)) {}

std::string CampaignFindings::work_of(BackendKind backend) const {
  return work_ + "/" + found_folder_name(backend, options_.run.candidate);
}

CampaignFindings::Entry& CampaignFindings::entry(const OpProperties& properties,
                                                 BackendKind backend) {
  const std::scoped_lock lock(mutex_);
  std::unique_ptr<Entry>& entry = entries_[{std::string(properties.op->name), backend}];
  if (entry == nullptr) {
    RunOptions run = options_.run;
    run.backend = backend;
    run.findings_dir = work_of(backend);
    run.max_findings = kMaxOrigins;
    entry = std::make_unique<Entry>(properties, std::move(run));
  }
  return *entry;
}

void CampaignFindings::note_error(const std::string& error) {
  const std::scoped_lock lock(mutex_);
  errors_.push_back(error);
}

bool CampaignFindings::knows(const OpProperties& properties, BackendKind backend,
                             const std::string& origin) {
  return entry(properties, backend).keeper.knows(origin);
}

bool CampaignFindings::keep(const OpProperties& properties, BackendKind backend, FailedCase failed,
                            Candidate& candidate, Backend& running) {
  std::optional<Finding> found =
      entry(properties, backend).keeper.keep(std::move(failed), candidate, running);
  return !found || publish(std::move(*found), properties);
}

// From where it was minimised to where it stays. What was not done with before the stop is found
// there by the next process.
bool CampaignFindings::publish(Finding finding, const OpProperties& properties) {
  const bool unfinished = stopped() && !finding.minimal;
  std::optional<std::string> failure;
  if (!unfinished && finding.save_error.empty()) failure = save(finding, properties);
  if (failure) finding.save_error = *failure;
  const bool kept = !unfinished && finding.save_error.empty();
  const std::scoped_lock lock(mutex_);
  findings_.push_back(std::move(finding));
  return kept;
}

std::optional<std::string> CampaignFindings::save(Finding& finding,
                                                  const OpProperties& properties) {
  const std::string work = work_of(finding.backend);
  const std::string path =
      state_.findings() + finding.file.substr(std::min(work.size(), finding.file.size()));
  const std::optional<std::string> bytes = file_bytes(finding.file);
  if (!bytes) return finding.file + ": cannot be read";
  if (auto failure = write_once(path, *bytes)) return failure;
  std::error_code error;
  fs::remove(finding.file, error);
  finding.file = path;
  finding.replay = replay_line(options_.run.program, path, options_.run.candidate, finding.backend);
  const auto unwritten =
      options_.on_finding ? options_.on_finding(finding, properties) : std::optional<std::string>();
  if (unwritten) note_error(*unwritten);
  return std::nullopt;
}

bool CampaignFindings::check(const std::vector<Suspect>& suspects, BackendKind backend) {
  if (suspects.empty()) return true;
  const Candidate::Result opened = open_candidate(options_.run.candidate);
  const BackendResult running = open_backend(backend, options_.run.backend_options);
  if (opened.candidate == nullptr || running.backend == nullptr) {
    note_error(opened.error + running.absent_reason);
    return false;
  }
  bool all_kept = true;
  for (const Suspect& suspect : suspects) {
    if (stopped()) return false;
    const OpProperties* properties = find_properties(all_properties(), *suspect.input.op);
    if (properties == nullptr || !runs_on(suspect.input, backend)) continue;
    Case input = suspect.input;
    if (!input.origin.empty() && knows(*properties, backend, input.origin)) continue;
    input.origin.clear();
    Verdict verdict = bytegate::check({&input, 1}, *opened.candidate, *running.backend, *properties,
                                      Checks{.yardstick = options_.run.checks.yardstick})
                          .front();
    if (verdict.passed() && suspect.input.origin != input.origin) {
      input.origin = suspect.input.origin;  // may name a relation
      verdict = bytegate::check({&input, 1}, *opened.candidate, *running.backend, *properties,
                                Checks{.yardstick = options_.run.checks.yardstick})
                    .front();
    }
    if (verdict.kind == VerdictKind::kUntested) {
      if (stopped()) return false;
      note_error(suspect.source + " case of " + std::string(properties->op->name) + " on " +
                 std::string(backend_name(backend)) + ": " + describe(verdict));
      all_kept = false;
      continue;
    }
    if (says_nothing(verdict.kind) && !takes_every_case(options_.run.candidate)) continue;
    if (verdict.passed()) {
      if (suspect.origin_if_it_passes.empty()) continue;
      verdict.origin = suspect.origin_if_it_passes;
      const std::string kind = verdict.origin.substr(0, verdict.origin.find(':'));
      verdict.kind = verdict_of_name(kind).value_or(VerdictKind::kCrashed);
      verdict.message = "in the process of the target; passes when it is run alone";
    }
    FailedCase failed = {.kept = input, .verdict = verdict, .source = suspect.source};
    all_kept = keep(*properties, backend, std::move(failed), *opened.candidate, *running.backend) &&
               all_kept;
  }
  return all_kept;
}

bool CampaignFindings::replay_on(BackendKind backend, const OpProperties& properties,
                                 const std::vector<std::pair<std::string, Case>>& found,
                                 std::map<std::string, bool>& fails) {
  const Candidate::Result opened = open_candidate(options_.run.candidate);
  const BackendResult running = open_backend(backend, options_.run.backend_options);
  if (opened.candidate == nullptr || running.backend == nullptr) {
    note_error(opened.error + running.absent_reason);
    return false;
  }
  for (const auto& [file, kept] : found) {
    if (stopped()) return false;
    if (!runs_on(kept, backend)) continue;
    const Verdict verdict =
        bytegate::check({&kept, 1}, *opened.candidate, *running.backend, properties,
                        Checks{.yardstick = options_.run.checks.yardstick})
            .front();
    if (verdict.kind == VerdictKind::kUntested && stopped()) return false;
    fails.emplace(file, false);
    if (verdict.passed() || says_nothing(verdict.kind)) continue;
    fails[file] = true;
    Finding finding;
    finding.op = properties.op->name;
    finding.backend = backend;
    finding.source = "state";
    finding.kept = kept;
    finding.verdict = verdict;
    finding.file = file;
    finding.replay = replay_line(options_.run.program, file, options_.run.candidate, backend);
    finding.minimal = kept.note.find("not minimised") == std::string::npos;
    entry(properties, backend).keeper.know(finding);
    const auto failure = options_.on_finding ? options_.on_finding(finding, properties)
                                             : std::optional<std::string>();
    if (failure) note_error(*failure);
    const std::scoped_lock lock(mutex_);
    findings_.push_back(std::move(finding));
  }
  return true;
}

void CampaignFindings::replay() {
  for (const OpProperties* properties : options_.ops) {
    const std::string folder =
        state_.findings() + "/" + std::string(properties->op->name) + "/regress";
    std::vector<std::pair<std::string, Case>> found;
    remove_stale_temps(folder);
    for (const std::string& name : files_in(folder)) {
      if (fs::path(name).extension() != ".case") continue;
      const std::string file = folder + "/" + name;
      LoadResult loaded = load_case(file, all_ops());
      if (loaded.value) {
        found.emplace_back(file, std::move(*loaded.value));
      } else {
        note_error(state_.set_aside(file, "is damaged: " + loaded.error));
      }
    }
    if (found.empty()) continue;
    std::map<std::string, bool> fails;
    std::vector<BackendKind> backends = options_.backends;
    if (backends.empty()) backends = {BackendKind::kHost};
    for (const BackendKind backend : backends) {
      if (!replay_on(backend, *properties, found, fails)) return;
    }
    for (const auto& [file, still] : fails) {
      if (!still) no_longer_.push_back(file);
    }
  }
}

int64_t CampaignFindings::num_findings() {
  const std::scoped_lock lock(mutex_);
  return static_cast<int64_t>(findings_.size());
}

void CampaignFindings::move_into(CampaignOutcome& outcome) {
  for (Finding& finding : findings_) {
    // Two failures of one flaw that were minimised at once end in the same file.
    const bool twice =
        std::any_of(outcome.findings.begin(), outcome.findings.end(), [&](const Finding& other) {
          return !finding.file.empty() && other.file == finding.file &&
                 other.backend == finding.backend;
        });
    if (!twice) outcome.findings.push_back(std::move(finding));
  }
  outcome.no_longer = std::move(no_longer_);
  outcome.errors.insert(outcome.errors.end(), errors_.begin(), errors_.end());
  for (const auto& [key, entry] : entries_) outcome.num_unkept += entry->keeper.num_unkept();
}

}  // namespace bytegate
