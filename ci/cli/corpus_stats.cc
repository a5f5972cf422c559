#include <nlohmann/json.hpp>

#include <algorithm>
#include <iomanip>
#include <iostream>

#include "ci/cli/case_summary.h"
#include "ci/cli/corpus_commands.h"
#include "ci/cli/options.h"
#include "fuzz/corpus/survey.h"
#include "fuzz/promises.h"

namespace bytegate::cli {
namespace {

struct Reached {
  int64_t num_reached = 0;
  int64_t num_all = 0;

  [[nodiscard]] std::string text() const {
    return std::to_string(num_reached) + " of " + std::to_string(num_all);
  }
};

Reached classes_of(const OpSurvey& op) {
  const auto& counts = op.tally.by_class;
  return {static_cast<int64_t>(counts.size()) - std::count(counts.begin(), counts.end(), 0),
          static_cast<int64_t>(counts.size())};
}

Reached cells_of(const OpSurvey& op) {
  Reached cells;
  for (const CellCoverage& product : cell_coverage(*op.properties, op.tally)) {
    cells.num_reached += product.num_reached;
    cells.num_all += product.num_promised;
  }
  return cells;
}

std::vector<std::string> classes_missed(const OpSurvey& op) {
  std::vector<std::string> missed;
  for (size_t i = 0; i < op.tally.by_class.size(); ++i) {
    if (op.tally.by_class[i] == 0) missed.emplace_back(op.properties->classes[i]);
  }
  return missed;
}

std::map<std::string, int64_t> sums_of(const std::map<std::string, Counts>& counts) {
  std::map<std::string, int64_t> sums;
  for (const auto& [name, count] : counts) {
    sums[name.empty() ? "not stated" : name] = count.passed + count.failed + count.set_aside;
  }
  return sums;
}

// Also those that no case took, so that they are seen.
std::map<std::string, int64_t> paths_of(const OpSurvey& op) {
  std::map<std::string, int64_t> paths = sums_of(op.tally.by_path);
  for (const std::string_view path : op.properties->op->paths) paths.try_emplace(std::string(path));
  return paths;
}

nlohmann::json json_of(const OpSurvey& op) {
  const Reached classes = classes_of(op);
  const Reached cells = cells_of(op);
  nlohmann::json steps = nlohmann::json::object();
  for (const auto& [count, files] : op.by_steps) steps[std::to_string(count)] = files;
  return {{"op", op.properties->op->name},
          {"files", op.num_files},
          {"bytes", op.num_bytes},
          {"duplicates", op.num_duplicates},
          {"passed", op.tally.all.passed},
          {"failed", op.tally.all.failed},
          {"not_run", op.num_not_run},
          {"expect", op.by_expect},
          {"origins", op.by_origin},
          {"sources", sums_of(op.tally.by_source)},
          {"classes", {{"reached", classes.num_reached}, {"all", classes.num_all}}},
          {"classes_missed", classes_missed(op)},
          {"cells", {{"reached", cells.num_reached}, {"promised", cells.num_all}}},
          {"paths", paths_of(op)},
          {"modes", sums_of(op.tally.by_mode)},
          {"variants", sums_of(op.tally.by_variant)},
          {"dtypes", sums_of(op.tally.by_dtype)},
          {"layouts", sums_of(op.tally.by_layout)},
          {"optional", sums_of(op.tally.by_presence)},
          {"steps", steps}};
}

template <typename Key>
std::string counts_text(const std::map<Key, int64_t>& counts) {
  std::string text;
  for (const auto& [name, count] : counts) {
    text += text.empty() ? "" : ", ";
    if constexpr (std::is_integral_v<Key>) {
      text += std::to_string(name) + ": " + with_commas(count);
    } else {
      text += name + " " + with_commas(count);
    }
  }
  return text;
}

template <typename Key>
void print_counts(const char* label, const std::map<Key, int64_t>& counts) {
  if (!counts.empty()) std::cout << "  " << label << counts_text(counts) << "\n";
}

void print_op(const OpSurvey& op) {
  std::cout << op.properties->op->name << "\n";
  print_counts("expect    ", op.by_expect);
  print_counts("origins   ", op.by_origin);
  print_counts("sources   ", sums_of(op.tally.by_source));
  print_counts("paths     ", paths_of(op));
  print_counts("modes     ", sums_of(op.tally.by_mode));
  print_counts("variants  ", sums_of(op.tally.by_variant));
  print_counts("dtypes    ", sums_of(op.tally.by_dtype));
  print_counts("layouts   ", sums_of(op.tally.by_layout));
  print_counts("optional  ", sums_of(op.tally.by_presence));
  print_counts("steps     ", op.by_steps);
  const std::vector<std::string> missed = classes_missed(op);
  for (size_t i = 0; i < missed.size(); ++i) {
    std::cout << (i == 0 ? "  no case   " : ", ") << missed[i];
  }
  if (!missed.empty()) std::cout << "\n";
  if (op.num_duplicates > 0) {
    std::cout << "  twice     " << op.num_duplicates
              << " files hold a case that another one holds\n";
  }
  if (op.num_not_run > 0) {
    std::cout << "  not run   " << op.num_not_run << " take gigabytes, or are for cuda only\n";
  }
  if (op.tally.all.failed > 0) {
    std::cout << "  FAIL      " << op.tally.all.failed << " fail; see bytegate replay\n";
  }
}

void print_table(const CorpusSurvey& survey) {
  size_t width = 3;
  for (const OpSurvey& op : survey.ops) width = std::max(width, op.properties->op->name.size());
  const auto row = [&](std::string_view op, const std::string& files, const std::string& bytes,
                       const std::string& classes, const std::string& cells) {
    std::cout << std::left << std::setw(static_cast<int>(width)) << op << std::right << "  "
              << std::setw(6) << files << "  " << std::setw(10) << bytes << "  " << std::setw(10)
              << classes << "  " << std::setw(11) << cells << "\n";
  };
  row("op", "files", "bytes", "classes", "cells");
  int64_t num_files = 0;
  int64_t num_bytes = 0;
  for (const OpSurvey& op : survey.ops) {
    num_files += op.num_files;
    num_bytes += op.num_bytes;
    const Reached cells = cells_of(op);
    row(op.properties->op->name, with_commas(op.num_files), with_commas(op.num_bytes),
        classes_of(op).text(), cells.num_all == 0 ? "none" : cells.text());
  }
  row("all", with_commas(num_files), with_commas(num_bytes), "", "");
}

int stats(const std::vector<std::string>& paths, bool as_json) {
  const CorpusSurvey survey = survey_corpus(paths, all_properties(), all_ops());
  for (const std::string& error : survey.errors) complain(error);
  if (as_json) {
    nlohmann::json rows = nlohmann::json::array();
    for (const OpSurvey& op : survey.ops) rows.push_back(json_of(op));
    std::cout << nlohmann::json{{"ops", rows}, {"errors", survey.errors}}.dump(2) << "\n";
  } else {
    for (const OpSurvey& op : survey.ops) {
      if (op.num_files > 0) print_op(op);
    }
    std::cout << "\n";
    print_table(survey);
  }
  return survey.errors.empty() ? kExitPass : kExitUsage;
}

}  // namespace

void add_corpus_stats(CLI::App& corpus, Context& context) {
  CLI::App* command = corpus.add_subcommand(
      "stats", "what the cases cover, per operation: each is run once on the host");
  auto paths = std::make_shared<std::vector<std::string>>();
  auto as_json = std::make_shared<bool>(false);
  command->add_option("path", *paths, "case files, or folders of them")->required();
  command->add_flag("--json", *as_json, "as JSON");
  command->callback([paths, as_json, &context] {
    context.chosen = [paths, as_json] { return stats(*paths, *as_json); };
  });
}

}  // namespace bytegate::cli
