#include <nlohmann/json.hpp>

#include <filesystem>
#include <system_error>

#include "ci/cli/case_summary.h"
#include "ci/cli/report.h"
#include "ci/cli/report_campaign.h"
#include "ci/cli/report_checker.h"
#include "ci/cli/report_sweep.h"
#include "fuzz/promises.h"
#include "oracles/durable_file.h"

namespace bytegate::cli {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const Counts& counts) {
  return {{"passed", counts.passed}, {"failed", counts.failed}, {"set_aside", counts.set_aside}};
}

Json json_of(const std::map<std::string, Counts>& counts) {
  Json json = Json::object();
  for (const auto& [name, count] : counts) json[name] = json_of(count);
  return json;
}

Json json_of(const Finding& finding) {
  Json json = {{"origin", finding.verdict.origin},
               {"verdict", verdict_name(finding.verdict.kind)},
               {"backend", backend_name(finding.backend)},
               {"source", finding.source},
               {"num_failures", finding.num_failures},
               {"after_cases", finding.after_cases},
               {"after_seconds", finding.after_seconds},
               {"message", finding.verdict.message},
               {"case", summary_of(finding.kept)},
               {"minimal", finding.minimal},
               {"minimize_seconds", finding.minimize_seconds},
               {"file", finding.file},
               {"save_error", finding.save_error},
               {"replay", finding.replay}};
  if (const auto& difference = finding.verdict.difference) {
    json["difference"] = {{"field", difference->field},
                          {"index", difference->index},
                          {"expect", difference->expect},
                          {"actual", difference->actual},
                          {"num_different", difference->num_different},
                          {"num_elements", difference->num_elements},
                          {"step_idx", difference->step_idx}};
  }
  return json;
}

Json json_of(const CheckerRow& checker) {
  return {{"tool", checker.tool},
          {"version", checker.version},
          {"command", checker.command},
          {"again", checker.again},
          {"asked", checker.num_asked},
          {"ran", checker.num_run},
          {"processes", checker.num_processes},
          {"reports", checker.num_findings},
          {"notes", checker.notes}};
}

Json json_of(const SweepRow& sweep) {
  return {{"world", sweep.world},          {"shard", sweep.shard},
          {"state", sweep.state},          {"cases", sweep.num_cases},
          {"asked", sweep.num_asked},      {"before", sweep.num_before},
          {"ran", sweep.num_run},          {"passed_ever", sweep.num_passed_ever},
          {"complete", is_complete(sweep)}};
}

Json json_of(const CampaignSlices& slices) {
  return {{"kind", slice_kind_name(slices.kind)},
          {"slices", slices.num_slices},
          {"slices_now", slices.num_slices_now},
          {"cases_now", slices.num_cases_now},
          {"paths", slices.paths},
          {"inputs", slices.num_inputs},
          {"ended_early", slices.num_early_ends},
          {"coverage", slices.coverage}};
}

// What the generator reached, cell by cell; an unpromised cell is left out.
Json cells_of_row(const RunRow& row) {
  const OpProperties& properties = *row.properties;
  const std::vector<CellCoverage> coverage = cell_coverage(properties, row.outcome.generated);
  Json json = Json::object();
  for (size_t i = 0; i < coverage.size(); ++i) {
    Json counts = Json::object();
    const std::vector<ClassCell> cells = cells_of(properties.axes, properties.products[i]);
    for (size_t k = 0; k < cells.size(); ++k) {
      if (!cells[k].possible) continue;
      const auto name = [&](int idx) {
        return std::string(properties.classes[static_cast<size_t>(idx)]);
      };
      counts[name(cells[k].first_class)][name(cells[k].second_class)] =
          row.outcome.generated.by_cell[i][k];
    }
    json[coverage[i].product] = {{"promised", coverage[i].num_promised},
                                 {"reached", coverage[i].num_reached},
                                 {"unmet", coverage[i].unmet},
                                 {"passed", std::move(counts)}};
  }
  return json;
}

Json json_of(const RunRow& row) {
  const Tally& tally = row.outcome.tally;
  Json json = {{"op", row.properties->op->name},
               {"backend", backend_name(row.backend)},
               {"device", row.backend_description},
               {"seconds", row.outcome.seconds},
               {"passed", tally.all.passed},
               {"failed", tally.all.failed},
               {"refusals", json_of(tally.refusals)},
               {"survivals", json_of(tally.survivals)},
               {"paths", json_of(tally.by_path)},
               {"sources", json_of(tally.by_source)},
               {"modes", json_of(tally.by_mode)},
               {"variants", json_of(tally.by_variant)},
               {"dtypes", json_of(tally.by_dtype)},
               {"layouts", json_of(tally.by_layout)},
               {"optional", json_of(tally.by_presence)},
               {"set_aside", tally.all.set_aside},
               {"failures_not_kept", row.outcome.num_unkept},
               {"out_of_time", row.outcome.out_of_time},
               {"stopped", row.outcome.stopped},
               {"failed_fast", row.outcome.failed_fast},
               {"given_up", row.outcome.num_given_up},
               {"error", row.outcome.error}};
  for (const std::string_view path : row.properties->op->paths) {
    if (!json["paths"].contains(path)) json["paths"][std::string(path)] = json_of(Counts{});
  }
  for (size_t i = 0; i < tally.by_class.size(); ++i) {
    json["classes"][std::string(row.properties->classes[i])] = tally.by_class[i];
  }
  for (size_t i = 0; i < tally.by_relation.size(); ++i) {
    json["relations"][std::string(row.properties->relations[i].name)] = tally.by_relation[i];
  }
  json["cells"] = cells_of_row(row);
  for (int kind = 0; kind < kNumVerdictKinds; ++kind) {
    const std::string name(verdict_name(static_cast<VerdictKind>(kind)));
    json["verdicts"][name] = tally.by_verdict[static_cast<size_t>(kind)];
  }
  for (size_t i = 0; i < tally.values_used.size(); ++i) {
    const std::vector<bool>& used = tally.values_used[i];
    if (used.empty()) continue;
    json["values_used"][std::string(row.properties->op->scalars[i].name)] = {
        {"used", std::count(used.begin(), used.end(), true)}, {"of", used.size()}};
  }
  if (row.checker) json["checker"] = json_of(*row.checker);
  if (row.sweep) json["sweep"] = json_of(*row.sweep);
  if (row.campaign) json["campaign"] = json_of(*row.campaign);
  json["findings"] = Json::array();
  for (const Finding& finding : row.outcome.findings) json["findings"].push_back(json_of(finding));
  return json;
}

std::string xml_escaped(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      default:
        // XML 1.0 has no other control characters.
        escaped += static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t' ? '?' : c;
    }
  }
  return escaped;
}

std::string testcase(const std::string& suite, const std::string& name,
                     const std::string& failure) {
  std::string text =
      "    <testcase classname=\"" + xml_escaped(suite) + "\" name=\"" + xml_escaped(name) + "\"";
  if (failure.empty()) return text + "/>\n";
  return text + ">\n      <failure message=\"" + xml_escaped(failure) + "\"/>\n    </testcase>\n";
}

// One test per path that has cases and one per origin that failed.
std::string testsuite(const RunRow& row) {
  std::string name =
      std::string(row.properties->op->name) + "." + std::string(backend_name(row.backend));
  if (row.sweep) name += "." + row.sweep->world;
  if (row.campaign) name += "." + std::string(slice_kind_name(row.campaign->kind));
  std::string tests;
  int64_t num_tests = 0;
  int64_t num_failures = 0;
  const auto add = [&](const std::string& test, const std::string& failure) {
    tests += testcase(name, test, failure);
    ++num_tests;
    num_failures += failure.empty() ? 0 : 1;
  };
  for (const auto& [path, counts] : row.outcome.tally.by_path) {
    const std::string failure =
        counts.failed > 0 ? std::to_string(counts.failed) + " cases failed" : "";
    add("path " + (path.empty() ? "(not stated)" : path) + ": " + std::to_string(counts.passed) +
            " cases passed",
        failure);
  }
  for (const Finding& finding : row.outcome.findings) {
    add(finding.verdict.origin, describe(finding.verdict) + "\nreplay: " + finding.replay);
  }
  if (!row.outcome.error.empty()) add("run", row.outcome.error);
  if (row.campaign) {
    add(std::to_string(row.outcome.tally.all.passed) + " cases passed",
        row.outcome.tally.all.failed > 0 ? "failures" : "");
  }
  return "  <testsuite name=\"" + name + "\" tests=\"" + std::to_string(num_tests) +
         "\" failures=\"" + std::to_string(num_failures) + "\" time=\"" +
         std::to_string(row.outcome.seconds) + "\">\n" + tests + "  </testsuite>\n";
}

}  // namespace

std::string report_json(const Report& report) {
  Json json = {{"bytegate", BYTEGATE_VERSION},
               {"compiler", __VERSION__},
               {"command", report.command},
               {"candidate", report.candidate},
               {"seed", report.seed},
               {"without_oracle", report.without_oracle},
               {"exit_code", exit_code_of(report)},
               {"not_run", report.absent},
               {"errors", report.errors},
               {"unmet", report.unmet},
               {"notes", report.notes},
               {"interrupted", report.interrupted}};
  json["runs"] = Json::array();
  for (const RunRow& row : report.rows) json["runs"].push_back(json_of(row));
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string report_junit(const Report& report) {
  std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n";
  for (const RunRow& row : report.rows) text += testsuite(row);
  std::string problems;
  int64_t num_problems = 0;
  const auto add = [&](const std::string& problem) {
    problems += testcase("gate", problem, problem);
    ++num_problems;
  };
  for (const std::string& error : report.errors) add(error);
  for (const std::string& unmet : report.unmet) add(unmet);
  if (!report.interrupted.empty()) add(report.interrupted);
  if (num_problems > 0) {
    const std::string count = std::to_string(num_problems);
    text += "  <testsuite name=\"gate\" tests=\"" + count + "\" failures=\"" + count + "\">\n" +
            problems + "  </testsuite>\n";
  }
  return text + "</testsuites>\n";
}

std::string report_summary(const Report& report) {
  std::string text =
      exit_code_of(report) == kExitPass ? "## bytegate: pass\n\n" : "## bytegate: FAIL\n\n";
  text += "Candidate `" + report.candidate + "`, seed " + std::to_string(report.seed) + ".\n\n";
  if (report.without_oracle) text += std::string(kWithoutOracleNote) + ".\n\n";
  text += "| op | backend | path | passed | failed | set aside |\n|---|---|---|---:|---:|---:|\n";
  for (const RunRow& row : report.rows) {
    const std::string start =
        "| " + label_of(row) + " | " + std::string(backend_name(row.backend)) + " | ";
    for (const auto& [path, counts] : row.outcome.tally.by_path) {
      text += start + (path.empty() ? "(not stated)" : path) + " | " + with_commas(counts.passed) +
              " | " + with_commas(counts.failed) + " | " + with_commas(counts.set_aside) + " |\n";
    }
    text += start + "all | " + with_commas(row.outcome.tally.all.passed) + " | " +
            with_commas(row.outcome.tally.all.failed) + " | " +
            with_commas(row.outcome.tally.all.set_aside) + " |\n";
  }
  text += "\n" + checker_summary(report) + sweep_summary(report) + campaign_summary(report);
  for (const RunRow& row : report.rows) {
    const NumCells cells = num_cells(row);
    if (cells.promised == 0) continue;
    text += "- cells of " + std::string(row.properties->op->name) + " on " +
            std::string(backend_name(row.backend)) + ": " + std::to_string(cells.reached) + " of " +
            std::to_string(cells.promised) + "\n";
  }
  for (const std::string& absent : report.absent) text += "- not run: " + absent + "\n";
  for (const std::string& error : report.errors) text += "- **error** " + error + "\n";
  for (const std::string& unmet : report.unmet) text += "- **unmet** " + unmet + "\n";
  for (const std::string& note : report.notes) text += "- " + note + "\n";
  if (!report.interrupted.empty()) text += "- **interrupted** " + report.interrupted + "\n";
  for (const RunRow& row : report.rows) {
    for (const Finding& finding : row.outcome.findings) {
      text += "\n**" + finding.verdict.origin + "** on " +
              std::string(backend_name(finding.backend)) + ": " + describe(finding.verdict) +
              "\n\n```\n" + finding.replay + "\n```\n";
    }
  }
  return text;
}

std::optional<std::string> write_report(const Report& report, const std::string& dir) {
  std::error_code error;
  std::filesystem::create_directories(dir, error);
  if (error) return "cannot create " + dir + ": " + error.message();
  if (auto failure = write_durably(dir + "/report.json", report_json(report))) return failure;
  if (auto failure = write_durably(dir + "/junit.xml", report_junit(report))) return failure;
  return write_durably(dir + "/summary.md", report_summary(report));
}

}  // namespace bytegate::cli
