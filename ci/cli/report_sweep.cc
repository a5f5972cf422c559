#include "ci/cli/report_sweep.h"

#include "ci/cli/case_summary.h"

namespace bytegate::cli {

std::string label_of(const RunRow& row) {
  const std::string op(row.properties->op->name);
  if (row.campaign) return op + " " + std::string(slice_kind_name(row.campaign->kind));
  return row.sweep ? op + " " + row.sweep->world : op;
}

bool is_complete(const SweepRow& sweep) {
  return sweep.num_before + sweep.num_run == sweep.num_asked;
}

std::string sweep_text(const SweepRow& sweep) {
  std::string text = with_commas(sweep.num_before + sweep.num_run) + " of " +
                     with_commas(sweep.num_asked) + " cases ran";
  if (sweep.num_before > 0) text += ", " + with_commas(sweep.num_before) + " of them before";
  if (!sweep.shard.empty()) {
    text += "; shard " + sweep.shard + " of a world of " + with_commas(sweep.num_cases);
    if (!sweep.state.empty()) {
      text += ", of which " + with_commas(sweep.num_passed_ever) + " have passed so far";
    }
  }
  return text;
}

void print_sweep_rows(const Report& report, std::ostream& out) {
  int64_t num_worlds = 0;
  int64_t num_complete = 0;
  int64_t num_cases = 0;
  for (const RunRow& row : report.rows) {
    if (!row.sweep) continue;
    out << "world " << label_of(row) << " on " << backend_name(row.backend) << ": "
        << sweep_text(*row.sweep) << "\n";
    ++num_worlds;
    num_complete += is_complete(*row.sweep) ? 1 : 0;
    num_cases += row.sweep->num_before + row.sweep->num_run;
  }
  if (num_worlds == 0) return;
  out << with_commas(num_complete) << " of " << with_commas(num_worlds)
      << (num_worlds == 1 ? " world" : " worlds") << " in full, " << with_commas(num_cases)
      << " cases\n";
}

std::string sweep_summary(const Report& report) {
  std::string text;
  for (const RunRow& row : report.rows) {
    if (!row.sweep) continue;
    text += "- world " + label_of(row) + " on " + std::string(backend_name(row.backend)) + ": " +
            sweep_text(*row.sweep) + "\n";
  }
  return text.empty() ? text : text + "\n";
}

}  // namespace bytegate::cli
