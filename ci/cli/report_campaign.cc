#include "ci/cli/report_campaign.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <set>
#include <string_view>
#include <utility>

#include "ci/cli/case_summary.h"

namespace bytegate::cli {
namespace {

constexpr double kSecondsBetweenLines = 60;
constexpr double kRateWindow = 10;  // seconds

std::string clock_text(double seconds) {
  const int64_t whole = static_cast<int64_t>(seconds);
  std::array<char, 32> text = {};
  std::snprintf(text.data(), text.size(), "%lld:%02lld:%02lld",
                static_cast<long long>(whole / 3600), static_cast<long long>(whole / 60 % 60),
                static_cast<long long>(whole % 60));
  return text.data();
}

// "guided paged_mqa_metadata on host"
std::string where(const RunRow& row) {
  return std::string(slice_kind_name(row.campaign->kind)) + " " +
         std::string(row.properties->op->name) + " on " + std::string(backend_name(row.backend));
}

// Of findings: without a backend of drawn cases, those of the targets.
std::string names_of(const std::vector<BackendKind>& backends) {
  std::string names;
  for (const BackendKind backend : backends) {
    names += (names.empty() ? "" : ", ") + std::string(backend_name(backend));
  }
  return names.empty() ? std::string(backend_name(BackendKind::kHost)) : names;
}

// With those of its operation and backend. One that no slice of this campaign has met is a failure
// by itself.
void enter_finding(Finding finding, Report& report) {
  const SliceKind kind = finding.source == kGuidedSource ? SliceKind::kGuided : SliceKind::kDrawn;
  RunRow* best = nullptr;
  for (RunRow& row : report.rows) {
    if (row.properties->op->name != finding.op || row.backend != finding.backend) continue;
    if (best == nullptr || row.campaign->kind == kind) best = &row;
  }
  if (best == nullptr) {
    const OpProperties* properties = find_properties(all_properties(), *finding.kept.op);
    report.rows.push_back({.properties = properties,
                           .backend = finding.backend,
                           .backend_description = std::string(backend_name(finding.backend)),
                           .outcome = RunOutcome(*properties)});
    best = &report.rows.back();
    best->campaign = CampaignSlices{.kind = kind};
  }
  Tally& tally = best->outcome.tally;
  tally.all.failed = std::max<int64_t>(tally.all.failed, 1);
  int64_t& num_alike = tally.by_verdict[static_cast<size_t>(finding.verdict.kind)];
  num_alike = std::max<int64_t>(num_alike, 1);
  best->outcome.findings.push_back(std::move(finding));
}

Tally tally_of(const CampaignRow& row) {
  Tally tally(*row.properties);
  const SliceRecord& sum = row.sum;
  tally.all = {.passed = sum.passed, .failed = sum.failed, .set_aside = sum.set_aside};
  for (int kind = 0; kind < kNumVerdictKinds; ++kind) {
    const auto found = sum.verdicts.find(std::string(verdict_name(static_cast<VerdictKind>(kind))));
    if (found != sum.verdicts.end()) tally.by_verdict[static_cast<size_t>(kind)] = found->second;
  }
  for (size_t i = 0; i < tally.by_class.size(); ++i) {
    const auto found = sum.classes.find(std::string(row.properties->classes[i]));
    if (found != sum.classes.end()) tally.by_class[i] = found->second;
  }
  return tally;
}

// Names of classes of the operation that none of its rows reached.
std::vector<std::string> never_reached(const Report& report, const OpProperties& properties) {
  std::vector<std::string> names;
  for (size_t i = 0; i < properties.classes.size(); ++i) {
    const bool reached =
        std::any_of(report.rows.begin(), report.rows.end(), [&](const RunRow& row) {
          return row.properties == &properties && row.outcome.tally.by_class[i] > 0;
        });
    if (!reached) names.emplace_back(properties.classes[i]);
  }
  return names;
}

std::string slices_text(const CampaignSlices& slices) {
  std::string text = with_commas(slices.num_slices) + " slices";
  if (slices.num_slices_now < slices.num_slices) {
    text += ", " + with_commas(slices.num_slices_now) + " of them now";
  }
  if (slices.kind == SliceKind::kGuided) {
    text += "; " + with_commas(slices.coverage) + " edges covered, " +
            with_commas(slices.num_inputs) + " inputs kept";
  }
  std::string paths;
  for (const auto& [path, count] : slices.paths) {
    if (!path.empty()) paths += (paths.empty() ? "" : ", ") + path + " " + with_commas(count);
  }
  if (!paths.empty()) text += "; paths " + paths;
  if (slices.num_early_ends > 0) {
    text += "; " + with_commas(slices.num_early_ends) + " ended early, at a crash or a hang";
  }
  return text;
}

std::vector<std::string> lines_of(const Report& report) {
  std::vector<std::string> lines;
  for (const RunRow& row : report.rows) {
    if (!row.campaign) continue;
    lines.push_back(where(row) + ": " + slices_text(*row.campaign));
  }
  for (const OpProperties& properties : all_properties()) {
    const bool is_there = std::any_of(
        report.rows.begin(), report.rows.end(),
        [&](const RunRow& row) { return row.campaign && row.properties == &properties; });
    if (!is_there) continue;
    const std::vector<std::string> names = never_reached(report, properties);
    if (names.empty()) continue;
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
    lines.push_back("classes of " + std::string(properties.op->name) + " never reached: " + text);
  }
  return lines;
}

}  // namespace

std::string progress_text(const CampaignProgress& progress, double cases_per_second) {
  return clock_text(progress.seconds) + "  " + with_commas(progress.num_cases) + " cases, " +
         with_commas(static_cast<int64_t>(cases_per_second)) + "/s, " +
         with_commas(progress.num_slices) + " slices; " + with_commas(progress.num_paths) +
         " paths, " + with_commas(progress.num_classes) + " of " +
         with_commas(progress.num_all_classes) + " classes, " + with_commas(progress.coverage) +
         " edges, " + with_commas(progress.num_inputs) + " inputs; " +
         with_commas(progress.num_findings) + " findings, " + with_commas(progress.num_failed) +
         " failures";
}

CampaignProgressLine::CampaignProgressLine() : on_terminal_(isatty(STDERR_FILENO) != 0) {}

void CampaignProgressLine::show(const CampaignProgress& progress) {
  const double passed = progress.seconds - last_seconds_;
  if (passed >= kRateWindow || rate_ == 0) {
    rate_ = static_cast<double>(progress.num_cases - last_cases_) / std::max(passed, 1e-3);
  }
  if (passed >= kRateWindow) {
    last_seconds_ = progress.seconds;
    last_cases_ = progress.num_cases;
  }
  const std::string text = progress_text(progress, rate_);
  if (on_terminal_) {
    std::cerr << "\r\x1b[K" << text << std::flush;
    shown_ = true;
  } else if (progress.seconds - said_at_ >= kSecondsBetweenLines) {
    std::cerr << text << std::endl;
    said_at_ = progress.seconds;
  }
}

void CampaignProgressLine::clear() {
  if (shown_) std::cerr << "\r\x1b[K" << std::flush;
  shown_ = false;
}

void enter_campaign(CampaignOutcome outcome, const CampaignOptions& options,
                    const ChosenBackends& backends, Report& report) {
  report.notes.push_back((outcome.is_new ? "campaign " : "goes on with campaign ") + outcome.id +
                         " in " + options.state);
  report.notes.insert(report.notes.end(), outcome.notes.begin(), outcome.notes.end());
  for (const std::string& file : outcome.no_longer) {
    report.notes.push_back(file + ": no longer fails on " + names_of(options.backends));
  }
  for (const CampaignRow& from : outcome.rows) {
    RunRow row = {.properties = from.properties,
                  .backend = from.backend,
                  .backend_description = std::string(backend_name(from.backend)),
                  .outcome = RunOutcome(*from.properties)};
    for (const ChosenBackends::Entry& backend : backends.entries) {
      if (backend.kind == from.backend) row.backend_description = backend.description;
    }
    row.outcome.tally = tally_of(from);
    row.outcome.seconds = from.seconds_now;
    const auto count_of = [&](const char* name) {
      const auto found = from.sum.expects.find(name);
      return found == from.sum.expects.end() ? 0 : found->second;
    };
    row.outcome.tally.refusals.passed = count_of("refused");
    row.outcome.tally.survivals.passed = count_of("survived");
    row.campaign = CampaignSlices{.kind = from.kind,
                                  .num_slices = from.num_slices,
                                  .num_slices_now = from.num_slices_now,
                                  .num_cases_now = from.num_cases_now,
                                  .paths = from.sum.paths,
                                  .num_inputs = from.num_inputs,
                                  .num_early_ends = from.num_early_ends,
                                  .coverage = from.sum.coverage};
    if (is_foreign(row) && !is_production(report)) {
      report.absent.push_back(where(row) + ": the candidate does not have this operation");
    } else if (from.num_slices == 0) {
      report.absent.push_back(where(row) + ": no slice of it has ended yet");
    } else {
      report.rows.push_back(std::move(row));
    }
  }
  for (Finding& finding : outcome.findings) {
    int64_t num_failures = 0;
    for (const CampaignRow& row : outcome.rows) {
      if (row.properties->op->name != finding.op || row.backend != finding.backend) continue;
      const auto found = row.sum.origins.find(finding.verdict.origin);
      if (found != row.sum.origins.end()) num_failures += found->second;
    }
    finding.num_failures = std::max(finding.num_failures, num_failures);
  }
  std::set<std::pair<std::string_view, BackendKind>> explained;
  for (Finding& finding : outcome.findings) {
    explained.emplace(finding.op, finding.backend);
    enter_finding(std::move(finding), report);
  }
  for (const RunRow& row : report.rows) {
    if (row.campaign->num_early_ends == 0) continue;
    if (explained.count({row.properties->op->name, row.backend}) > 0) continue;
    report.unmet.push_back(where(row) + ": " + with_commas(row.campaign->num_early_ends) +
                           " slices ended early, and no finding says why");
  }
  if (outcome.num_unkept > 0) {
    report.unmet.push_back(with_commas(outcome.num_unkept) +
                           " more cases failed in other ways; they are not kept");
  }
  report.errors.insert(report.errors.end(), outcome.errors.begin(), outcome.errors.end());
  if (outcome.out_of_time) {
    report.unmet.push_back(options.deadline ? "the time ran out before the last round"
                                            : "a chain stopped before its last round");
  }
  if (outcome.stopped) note_interrupted(0, report);
}

void demand_slices_now(BackendKind backend, Report& report) {
  const bool some = std::any_of(report.rows.begin(), report.rows.end(), [&](const RunRow& row) {
    return row.backend == backend && row.campaign && row.campaign->num_slices_now > 0;
  });
  if (some) return;
  report.unmet.push_back("no slice on " + std::string(backend_name(backend)) +
                         " ended in this run: nothing was compared there");
}

void print_campaign_rows(const Report& report, std::ostream& out) {
  if (std::none_of(report.rows.begin(), report.rows.end(),
                   [](const RunRow& row) { return row.campaign.has_value(); })) {
    return;
  }
  for (const std::string& note : report.notes) out << note << "\n";
  for (const std::string& line : lines_of(report)) out << line << "\n";
}

std::string campaign_summary(const Report& report) {
  std::string text;
  for (const std::string& line : lines_of(report)) text += "- " + line + "\n";
  return text.empty() ? text : text + "\n";
}

}  // namespace bytegate::cli
