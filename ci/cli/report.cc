#include "ci/cli/report.h"

#include <algorithm>
#include <array>
#include <iostream>
#include <map>
#include <utility>

#include "ci/cli/case_summary.h"
#include "ci/cli/report_campaign.h"
#include "ci/cli/report_checker.h"
#include "ci/cli/report_sweep.h"
#include "fuzz/interrupt.h"
#include "fuzz/promises.h"

namespace bytegate::cli {
namespace {

int64_t verdicts(const Tally& tally, VerdictKind kind) {
  return tally.by_verdict[static_cast<size_t>(kind)];
}

std::string padded(const std::string& text, size_t width) {
  return text.size() < width ? text + std::string(width - text.size(), ' ') : text;
}

std::string right(const std::string& text, size_t width) {
  return text.size() < width ? std::string(width - text.size(), ' ') + text : text;
}

// The op's own paths first, also those that nobody took.
std::vector<std::pair<std::string, Counts>> paths_of(const RunRow& row) {
  std::vector<std::pair<std::string, Counts>> paths;
  if (row.campaign) return paths;
  std::map<std::string, Counts> left = row.outcome.tally.by_path;
  const bool says_paths = std::any_of(left.begin(), left.end(), [&](const auto& entry) {
    const auto& own = row.properties->op->paths;
    return std::find(own.begin(), own.end(), entry.first) != own.end();
  });
  for (const std::string_view path : row.properties->op->paths) {
    if (!says_paths) break;
    paths.emplace_back(std::string(path), left[std::string(path)]);
    left.erase(std::string(path));
  }
  for (const auto& [path, counts] : left) {
    paths.emplace_back(path.empty() ? "(not stated)" : path, counts);
  }
  return paths;
}

std::string counts_text(const std::map<std::string, Counts>& counts) {
  std::string text;
  for (const auto& [name, count] : counts) {
    text += (text.empty() ? "" : ", ") + name + " " + with_commas(count.passed);
    if (count.failed > 0) text += " (" + with_commas(count.failed) + " failed)";
    if (count.set_aside > 0) text += " (" + with_commas(count.set_aside) + " set aside)";
  }
  return text.empty() ? "none" : text;
}

void print_if_any(const char* label, const std::map<std::string, Counts>& counts,
                  std::ostream& out) {
  if (!counts.empty()) out << label << counts_text(counts) << "\n";
}

// How many cases were held to each.
void print_relations(const RunRow& row, std::ostream& out) {
  const std::vector<int64_t>& counts = row.outcome.tally.by_relation;
  if (std::all_of(counts.begin(), counts.end(), [](int64_t count) { return count == 0; })) return;
  out << "  relations ";
  for (size_t i = 0; i < counts.size(); ++i) {
    out << (i > 0 ? ", " : "") << row.properties->relations[i].name << " "
        << with_commas(counts[i]);
  }
  out << "\n";
}

void print_details(const RunRow& row, std::ostream& out) {
  const Tally& tally = row.outcome.tally;
  out << row.properties->op->name << " on " << row.backend_description << "\n"
      << "  sources   " << counts_text(tally.by_source) << "\n"
      << "  variants  " << counts_text(tally.by_variant) << "\n"
      << "  modes     " << counts_text(tally.by_mode) << "\n";
  print_if_any("  dtypes    ", tally.by_dtype, out);
  print_if_any("  layouts   ", tally.by_layout, out);
  print_if_any("  optional  ", tally.by_presence, out);
  out << "  classes   ";
  for (size_t i = 0; i < tally.by_class.size(); ++i) {
    out << (i > 0 ? ", " : "") << row.properties->classes[i] << " "
        << with_commas(tally.by_class[i]);
  }
  out << "\n";
  print_relations(row, out);
  if (const NumCells cells = num_cells(row); cells.promised > 0) {
    out << "  cells     " << cells.reached << " of " << cells.promised << "\n";
  }
  for (size_t i = 0; i < tally.values_used.size(); ++i) {
    const std::vector<bool>& used = tally.values_used[i];
    if (used.empty() || !row.properties->op->scalars[i].symbols.empty()) continue;
    out << "  values    " << row.properties->op->scalars[i].name << ": "
        << std::count(used.begin(), used.end(), true) << " of " << used.size() << " used\n";
  }
  out << "  refused   " << with_commas(tally.refusals.passed)
      << " invalid calls were refused, each with a message\n"
      << "  survived  " << with_commas(tally.survivals.passed)
      << " calls with elements outside the contract\n"
      << "  untested  " << verdicts(tally, VerdictKind::kUntested) << ", vacuous "
      << verdicts(tally, VerdictKind::kVacuous) << ", unsupported "
      << verdicts(tally, VerdictKind::kUnsupported) << "\n";
}

}  // namespace

bool is_production(const Report& report) {
  return report.candidate.rfind("production ", 0) == 0;
}

void note_interrupted(int64_t num_cases, Report& report) {
  int64_t num_done = 0;
  for (const RunRow& row : report.rows) {
    const Counts& all = row.outcome.tally.all;
    num_done += all.passed + all.failed + all.set_aside;
  }
  report.interrupted = "interrupted by " + interrupting_signal() + " after " +
                       with_commas(num_done) +
                       (num_cases > 0 ? " of " + with_commas(num_cases) : "") + " cases";
  int64_t num_given_up = 0;
  for (const RunRow& row : report.rows) num_given_up += row.outcome.num_given_up;
  if (num_given_up == 0) return;
  report.interrupted += "; " + with_commas(num_given_up) +
                        " more did not end in time, and are kept for the next gate";
}

NumCells num_cells(const RunRow& row) {
  NumCells cells;
  // Said of what a generator drew, where one did.
  const Counts& drawn = row.outcome.generated.all;
  if (drawn.passed + drawn.failed == 0) return cells;
  for (const CellCoverage& covered : cell_coverage(*row.properties, row.outcome.generated)) {
    cells.promised += covered.num_promised;
    cells.reached += covered.num_reached;
  }
  return cells;
}

bool is_foreign(const RunRow& row) {
  const Counts& all = row.outcome.tally.all;
  const auto& verdicts = row.outcome.tally.by_verdict;
  const int64_t num_unsupported = verdicts[static_cast<size_t>(VerdictKind::kUnsupported)];
  return row.outcome.error.empty() && num_unsupported > 0 &&
         num_unsupported == all.passed + all.failed + all.set_aside;
}

int exit_code_of(const Report& report) {
  int code = report.exit_code;
  const auto worsen = [&code](int other) {
    // A crash outranks a wrong byte, which outranks a bad file.
    const auto rank = [](int exit) {
      constexpr std::array<int, 5> kRank = {0, 2, 1, 4, 3};
      return kRank[static_cast<size_t>(exit)];
    };
    if (rank(other) > rank(code)) code = other;
  };
  for (const RunRow& row : report.rows) {
    const Tally& tally = row.outcome.tally;
    for (int kind = 0; kind < kNumVerdictKinds; ++kind) {
      const VerdictKind verdict = static_cast<VerdictKind>(kind);
      if (says_nothing(verdict) && !is_production(report)) continue;
      if (verdicts(tally, verdict) > 0) worsen(bytegate::exit_code_of(verdict));
    }
    if (!row.outcome.error.empty()) worsen(bytegate::exit_code_of(row.outcome.error_kind));
    const bool had_nothing_left = row.sweep && row.sweep->num_before == row.sweep->num_asked;
    if (tally.num_compared() == 0 && !had_nothing_left) worsen(kExitFailed);
    if (row.sweep && !is_complete(*row.sweep)) worsen(kExitFailed);
  }
  if (report.rows.empty() || !report.unmet.empty()) worsen(kExitFailed);
  if (!report.interrupted.empty()) worsen(kExitFailed);
  if (!report.errors.empty()) worsen(kExitUsage);
  return code;
}

void print_finding(const Finding& finding, std::ostream& out) {
  out << "FAIL " << finding.verdict.origin << " on " << backend_name(finding.backend) << " ("
      << with_commas(finding.num_failures) << (finding.num_failures == 1 ? " case" : " cases")
      << ", first from: " << finding.source << ")\n";
  if (const auto& difference = finding.verdict.difference) {
    out << "  field " << difference->field << ", index " << difference->index << ", expect "
        << difference->expect << ", actual " << difference->actual << "; "
        << with_commas(difference->num_different) << " of " << with_commas(difference->num_elements)
        << " elements differ";
    if (difference->step_idx > 0) out << " in step " << difference->step_idx;
    out << "\n";
  }
  if (!finding.verdict.message.empty()) out << "  " << finding.verdict.message << "\n";
  out << "  case   " << summary_of(finding.kept) << (finding.minimal ? "  (minimal)" : "") << "\n";
  if (!finding.save_error.empty()) out << "  NOT SAVED: " << finding.save_error << "\n";
  if (!finding.file.empty()) out << "  saved  " << finding.file << "\n";
  if (!finding.replay.empty()) out << "  replay " << finding.replay << "\n";
}

void print_report(const Report& report, std::ostream& out) {
  for (const RunRow& row : report.rows) {
    if (!row.sweep && !row.campaign) print_details(row, out);
  }
  print_campaign_rows(report, out);
  print_sweep_rows(report, out);
  for (const std::string& absent : report.absent) out << "not run: " << absent << "\n";
  for (const std::string& error : report.errors) out << "ERROR " << error << "\n";
  for (const std::string& unmet : report.unmet) out << "UNMET " << unmet << "\n";
  for (const RunRow& row : report.rows) {
    for (const Finding& finding : row.outcome.findings) print_finding(finding, out);
    if (row.outcome.num_unkept > 0) {
      out << "FAIL " << with_commas(row.outcome.num_unkept)
          << " more cases failed in other ways; they are not kept\n";
    }
    if (!row.outcome.error.empty()) out << "ERROR " << row.outcome.error << "\n";
  }
  size_t op_width = 22;
  for (const RunRow& row : report.rows) {
    op_width = std::max(op_width, label_of(row).size() + 2);
  }
  out << "\n"
      << padded("op", op_width) << padded("backend", 9) << padded("path", 14) << right("passed", 12)
      << right("failed", 10) << right("set aside", 11) << right("cases/s", 10) << "\n";
  int64_t num_passed = 0;
  int64_t num_failed = 0;
  int64_t num_set_aside = 0;
  for (const RunRow& row : report.rows) {
    const Tally& tally = row.outcome.tally;
    const std::string op = label_of(row);
    const std::string backend(backend_name(row.backend));
    for (const auto& [path, counts] : paths_of(row)) {
      out << padded(op, op_width) << padded(backend, 9) << padded(path, 14)
          << right(with_commas(counts.passed), 12) << right(with_commas(counts.failed), 10)
          << right(with_commas(counts.set_aside), 11) << "\n";
    }
    const int64_t num_all = row.campaign
                                ? row.campaign->num_cases_now
                                : tally.all.passed + tally.all.failed + tally.all.set_aside;
    const int64_t rate =
        static_cast<int64_t>(static_cast<double>(num_all) / std::max(row.outcome.seconds, 1e-9));
    out << padded(op, op_width) << padded(backend, 9) << padded("all", 14)
        << right(with_commas(tally.all.passed), 12) << right(with_commas(tally.all.failed), 10)
        << right(with_commas(tally.all.set_aside), 11) << right(with_commas(rate), 10) << "\n";
    num_passed += tally.all.passed;
    num_failed += tally.all.failed;
    num_set_aside += tally.all.set_aside;
  }
  print_checker_rows(report, out);
  if (!report.interrupted.empty()) out << report.interrupted << "\n";
  if (report.without_oracle) out << kWithoutOracleNote << "\n";
  out << (exit_code_of(report) == kExitPass ? "PASS" : "FAIL") << " " << with_commas(num_passed)
      << " cases passed, " << with_commas(num_failed) << " failed, " << with_commas(num_set_aside)
      << " set aside; candidate " << report.candidate << ", seed " << report.seed << "\n";
}

int finish(const Report& report, const std::string& dir) {
  print_report(report, std::cout);
  int code = exit_code_of(report);
  if (!dir.empty()) {
    if (const auto failure = write_report(report, dir)) {
      std::cerr << "bytegate: " << *failure << "\n";
      if (code == kExitPass) code = kExitUsage;
    }
  }
  std::cout.flush();
  if (!std::cout && code == kExitPass) {
    std::cerr << "bytegate: the report could not be printed\n";
    code = kExitUsage;
  }
  return code;
}

}  // namespace bytegate::cli
