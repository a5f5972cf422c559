#include "ci/fuzzing/seeds.h"

#include <algorithm>
#include <filesystem>

#include "ci/cli/command_line.h"
#include "fuzz/sources.h"
#include "oracles/case_text.h"
#include "properties/op_properties.h"

namespace bytegate {
namespace {

// "paged_mqa_metadata-seed-split_edges"
std::string flat_name(const std::string& file, const std::string& corpus) {
  std::string name = std::filesystem::path(file).lexically_relative(corpus).replace_extension();
  std::replace(name.begin(), name.end(), '/', '-');
  return name;
}

}  // namespace

Seeds case_text_seeds(const std::string& corpus) {
  Seeds result;
  CaseFiles found = find_case_files(corpus);
  if (!found.error.empty()) result.errors.push_back(found.error);
  std::erase_if(found.paths, is_large_case);
  const LoadedCases loaded = load_case_files(found.paths, all_ops());
  result.errors.insert(result.errors.end(), loaded.errors.begin(), loaded.errors.end());
  for (size_t i = 0; i < loaded.cases.size(); ++i) {
    std::string text = write_case(loaded.cases[i]);
    if (text.size() > kMaxSeedBytes) continue;
    result.seeds.push_back({.name = flat_name(loaded.files[i], corpus), .bytes = std::move(text)});
  }
  return result;
}

Seeds command_line_seeds() {
  Seeds result;
  for (const cli::KnownCommand& command : cli::known_commands()) {
    std::string start;
    std::string name = "bytegate";
    for (const std::string& word : command.words) {
      start += word + "\n";
      name += "-" + word;
    }
    for (const cli::KnownOption& option : command.options) {
      const bool named = option.name.starts_with("-");
      const std::string words = named ? option.name + (option.takes_value ? "\n1" : "") : "1";
      result.seeds.push_back({.name = name + "-" + option.name, .bytes = start + words});
    }
  }
  return result;
}

}  // namespace bytegate
