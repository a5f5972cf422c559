#include "fuzz/corpus/prune.h"

#include <algorithm>
#include <numeric>

#include "fuzz/corpus/features.h"
#include "fuzz/corpus/survey.h"

namespace bytegate {
namespace {

struct Candidates {
  std::vector<PrunedFile> files;
  std::vector<std::vector<std::string>> features;  // of each file
};

// Why the file stays whatever it covers.
std::string rule_of(const CorpusFile& file, const Verdict& verdict, const PruneOptions& options) {
  if (verdict.kind == VerdictKind::kUnsupported || verdict.kind == VerdictKind::kUntested) {
    return "not run here: " + verdict.message;
  }
  for (const Evidence& evidence : options.evidence) {
    if (!evidence.known.contains(file.name)) return "unknown to " + evidence.source;
  }
  if (options.all) return "";
  if (!is_machine_name(file.name)) return "has a name of its own";
  return options.referred.contains(file.digest) ? "is referred to" : "";
}

void add_evidence(const PruneOptions& options, const std::string& name,
                  std::vector<std::string>& features) {
  for (const Evidence& evidence : options.evidence) {
    const auto found = evidence.features.find(name);
    if (found == evidence.features.end()) continue;
    features.insert(features.end(), found->second.begin(), found->second.end());
  }
}

// Those that stay first, then small ones.
std::vector<size_t> by_preference(const Candidates& candidates) {
  std::vector<size_t> order(candidates.files.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    const PrunedFile& first = candidates.files[a];
    const PrunedFile& second = candidates.files[b];
    if (first.rule.empty() != second.rule.empty()) return second.rule.empty();
    return first.file.num_bytes < second.file.num_bytes;
  });
  return order;
}

// Features as numbers, sets in the order of preference.
SetCover cover(const Candidates& candidates, const std::vector<size_t>& order,
               const std::map<std::string, size_t>& numbers, const CoverLimits& limits) {
  std::vector<std::vector<size_t>> sets;
  std::vector<size_t> kept;
  for (const size_t file : order) {
    if (!candidates.files[file].rule.empty()) kept.push_back(sets.size());
    std::vector<size_t>& set = sets.emplace_back();
    for (const std::string& feature : candidates.features[file]) set.push_back(numbers.at(feature));
  }
  return smallest_cover(sets, kept, limits);
}

void say_what_for(Candidates& candidates) {
  std::map<std::string, int> num_kept_with;
  for (size_t i = 0; i < candidates.files.size(); ++i) {
    if (!candidates.files[i].kept) continue;
    for (const std::string& feature : candidates.features[i]) ++num_kept_with[feature];
  }
  for (size_t i = 0; i < candidates.files.size(); ++i) {
    if (!candidates.files[i].kept) continue;
    for (const std::string& feature : candidates.features[i]) {
      if (num_kept_with[feature] == 1) candidates.files[i].only_here.push_back(feature);
    }
  }
}

}  // namespace

PruneOutcome prune_corpus(const std::string& dir, OpTable ops, const PruneOptions& options) {
  PruneOutcome outcome;
  CorpusJudge judge;
  if (!judge.error().empty()) {
    outcome.errors.push_back(judge.error());
    return outcome;
  }
  Candidates candidates;
  outcome.errors = read_corpus(dir, ops, [&](const CorpusFile& file, const Case& c) {
    const Verdict verdict = judge.judge(file, c);
    candidates.files.push_back({.file = file, .rule = rule_of(file, verdict, options)});
    candidates.features.push_back(
        features_of(*find_properties(all_properties(), *c.op), c, verdict));
    add_evidence(options, file.name, candidates.features.back());
  });
  std::map<std::string, size_t> numbers;
  for (const auto& features : candidates.features) {
    for (const std::string& feature : features) numbers.try_emplace(feature, numbers.size());
  }
  const std::vector<size_t> order = by_preference(candidates);
  const SetCover chosen = cover(candidates, order, numbers, options.limits);
  for (const size_t set : chosen.chosen) candidates.files[order[set]].kept = true;
  say_what_for(candidates);
  outcome.files = std::move(candidates.files);
  outcome.num_features = numbers.size();
  outcome.smallest = chosen.smallest;
  return outcome;
}

}  // namespace bytegate
