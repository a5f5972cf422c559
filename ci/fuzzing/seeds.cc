#include "ci/fuzzing/seeds.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "ci/cli/command_line.h"
#include "fuzz/guided/case_bytes.h"
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

SeedCases load_seed_cases(const std::string& corpus) {
  SeedCases result;
  CaseFiles found = find_case_files(corpus);
  if (!found.error.empty()) result.errors.push_back(found.error);
  std::erase_if(found.paths, is_large_case);
  LoadedCases loaded = load_case_files(found.paths, all_ops());
  result.errors.insert(result.errors.end(), loaded.errors.begin(), loaded.errors.end());
  result.cases = std::move(loaded.cases);
  for (const std::string& file : loaded.files) result.names.push_back(flat_name(file, corpus));
  return result;
}

Seeds case_text_seeds(const SeedCases& corpus) {
  Seeds seeds;
  for (size_t i = 0; i < corpus.cases.size(); ++i) {
    std::string text = write_case(corpus.cases[i]);
    if (text.size() > kMaxSeedBytes) continue;
    seeds.push_back({.name = corpus.names[i], .bytes = std::move(text)});
  }
  return seeds;
}

Seeds op_seeds(const SeedCases& corpus, const Op& op) {
  Seeds seeds;
  for (size_t i = 0; i < corpus.cases.size(); ++i) {
    if (corpus.cases[i].op != &op) continue;
    const auto bytes = bytes_of_case(corpus.cases[i]);
    if (!bytes || bytes->size() > kMaxSeedBytes) continue;
    seeds.push_back({.name = corpus.names[i], .bytes = std::string(bytes->begin(), bytes->end())});
  }
  return seeds;
}

Seeds command_line_seeds() {
  Seeds seeds;
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
      seeds.push_back({.name = name + "-" + option.name, .bytes = start + words});
    }
  }
  return seeds;
}

}  // namespace bytegate
