#include "fuzz/campaign/rows.h"

#include <algorithm>
#include <set>
#include <utility>

#include "kernels/builtin_candidate.h"

namespace bytegate {
namespace {

const OpProperties* properties_of(const std::string& op) {
  const Op* found = find_op(all_ops(), op);
  return found == nullptr ? nullptr : find_properties(all_properties(), *found);
}

}  // namespace

void CampaignRows::add_row(const Chain& chain, const OpProperties* properties) {
  CampaignRow& row = rows_[{chain.op, chain.kind, chain.backend}];
  row.properties = properties;
  row.kind = chain.kind;
  row.backend = chain.backend;
}

void CampaignRows::add(const SliceRecord& record, bool now, double seconds) {
  const OpProperties* properties = properties_of(record.chain.op);
  if (properties == nullptr) return;
  add_row(record.chain, properties);
  CampaignRow& row = rows_[{record.chain.op, record.chain.kind, record.chain.backend}];
  SliceRecord& sum = row.sum;
  sum.passed += record.passed;
  sum.failed += record.failed;
  sum.set_aside += record.set_aside;
  add_counts(sum.expects, record.expects);
  add_counts(sum.verdicts, record.verdicts);
  add_counts(sum.paths, record.paths);
  add_counts(sum.classes, record.classes);
  add_counts(sum.states, record.states);
  add_counts(sum.origins, record.origins);
  sum.coverage = std::max(sum.coverage, record.coverage);
  row.num_inputs += static_cast<int64_t>(record.inputs.size());
  row.num_early_ends += record.end == SliceEnd::kDone ? 0 : 1;
  ++row.num_slices;
  if (!now) return;
  ++row.num_slices_now;
  row.num_cases_now += record.num_cases();
  row.seconds_now += seconds;
}

CampaignProgress CampaignRows::progress() const {
  CampaignProgress progress;
  std::map<const OpProperties*, std::set<std::string>> classes;
  std::map<const OpProperties*, std::set<std::string>> paths;
  for (const auto& [key, row] : rows_) {
    progress.num_cases += row.num_cases_now;
    progress.num_slices += row.num_slices_now;
    progress.num_failed += row.sum.failed;
    progress.num_inputs += row.num_inputs;
    progress.coverage += row.sum.coverage;
    for (const auto& [name, count] : row.sum.classes) classes[row.properties].insert(name);
    for (const auto& [name, count] : row.sum.paths) {
      if (!name.empty()) paths[row.properties].insert(name);
    }
    classes[row.properties];
  }
  for (const auto& [properties, reached] : classes) {
    progress.num_classes += static_cast<int64_t>(reached.size());
    progress.num_all_classes += static_cast<int64_t>(properties->classes.size());
  }
  for (const auto& [properties, taken] : paths) {
    progress.num_paths += static_cast<int64_t>(taken.size());
  }
  return progress;
}

std::vector<CampaignRow> CampaignRows::take() {
  std::vector<CampaignRow> rows;
  for (auto& [key, row] : rows_) rows.push_back(std::move(row));
  rows_.clear();
  return rows;
}

bool has_nothing_for(const SliceRecord& record, const std::string& candidate) {
  return !takes_every_case(candidate) && record.set_aside > 0 && record.passed == 0 &&
         record.failed == 0 && record.end == SliceEnd::kDone;
}

}  // namespace bytegate
