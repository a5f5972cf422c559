#include "ci/cli/report_checker.h"

#include <algorithm>
#include <iomanip>

#include "ci/cli/case_summary.h"

namespace bytegate::cli {
namespace {

bool any_checker(const Report& report) {
  return std::any_of(report.rows.begin(), report.rows.end(),
                     [](const RunRow& row) { return row.checker.has_value(); });
}

std::string version_text(const CheckerRow& checker) {
  return checker.version.empty() ? "version not stated" : checker.version;
}

// Of the cases of the row that failed.
int64_t num_failed(const RunRow& row) {
  return row.outcome.tally.all.failed;
}

}  // namespace

void print_checker_rows(const Report& report, std::ostream& out) {
  if (!any_checker(report)) return;
  constexpr int kNameWidth = 30;
  constexpr int kNumberWidth = 11;
  out << "\n"
      << std::left << std::setw(kNameWidth) << "op" << std::setw(kNumberWidth) << "tool"
      << std::right << std::setw(kNumberWidth) << "asked" << std::setw(kNumberWidth) << "ran"
      << std::setw(kNumberWidth) << "failed" << std::setw(kNumberWidth) << "reports"
      << "\n";
  for (const RunRow& row : report.rows) {
    if (!row.checker) continue;
    const CheckerRow& checker = *row.checker;
    out << std::left << std::setw(kNameWidth) << row.properties->op->name << std::setw(kNumberWidth)
        << checker.tool << std::right << std::setw(kNumberWidth) << with_commas(checker.num_asked)
        << std::setw(kNumberWidth) << with_commas(checker.num_run) << std::setw(kNumberWidth)
        << with_commas(num_failed(row)) << std::setw(kNumberWidth)
        << with_commas(checker.num_findings) << "\n"
        << "  with   " << checker.command << " (" << version_text(checker) << ", "
        << checker.num_processes << (checker.num_processes == 1 ? " process" : " processes")
        << ")\n"
        << "  again  " << checker.again << "\n";
    for (const std::string& note : checker.notes) out << "  note   " << note << "\n";
  }
}

std::string checker_summary(const Report& report) {
  if (!any_checker(report)) return "";
  std::string text =
      "| op | tool | version | asked | ran | failed | reports |\n"
      "|---|---|---|---:|---:|---:|---:|\n";
  std::string lines;
  for (const RunRow& row : report.rows) {
    if (!row.checker) continue;
    const CheckerRow& checker = *row.checker;
    text += "| " + std::string(row.properties->op->name) + " | " + checker.tool + " | " +
            version_text(checker) + " | " + with_commas(checker.num_asked) + " | " +
            with_commas(checker.num_run) + " | " + with_commas(num_failed(row)) + " | " +
            with_commas(checker.num_findings) + " |\n";
    lines += checker.again + "\n";
  }
  return text + "\n```\n" + lines + "```\n\n";
}

}  // namespace bytegate::cli
