#include "fuzz/tally.h"

namespace bytegate {
namespace {

void count(Counts& counts, VerdictKind kind) {
  if (kind == VerdictKind::kPass) {
    ++counts.passed;
  } else if (says_nothing(kind)) {
    ++counts.set_aside;
  } else {
    ++counts.failed;
  }
}

void merge_counts(Counts& into, const Counts& from) {
  into.passed += from.passed;
  into.failed += from.failed;
  into.set_aside += from.set_aside;
}

void merge_maps(std::map<std::string, Counts>& into, const std::map<std::string, Counts>& from) {
  for (const auto& [name, counts] : from) merge_counts(into[name], counts);
}

}  // namespace

Tally::Tally(const OpProperties& properties) : by_class(properties.classes.size()) {
  for (const ScalarSpec& scalar : properties.op->scalars) {
    const int64_t num_values = scalar.max - scalar.min + 1;
    const bool listed = num_values > 1 && num_values <= kMaxListedValues;
    values_used.emplace_back(listed ? static_cast<size_t>(num_values) : 0);
  }
}

void Tally::add(const OpProperties& properties, const Case& c, const Verdict& verdict,
                const std::string& source, BackendKind backend) {
  count(all, verdict.kind);
  ++by_verdict[static_cast<size_t>(verdict.kind)];
  count(by_source[source], verdict.kind);
  // Without graphs a replay is one more launch.
  const Mode mode = backend == BackendKind::kHost ? Mode::kPlain : c.mode;
  count(by_mode[std::string(mode_name(mode))], verdict.kind);
  // A refused call took no path and belongs to no class: it is counted above.
  if (c.expect == Expect::kRefused) {
    count(refusals, verdict.kind);
    return;
  }
  count(by_path[verdict.path], verdict.kind);
  for (size_t i = 0; i < c.scalars.size(); ++i) {
    const ScalarSpec& spec = properties.op->scalars[i];
    if (spec.symbols.empty()) continue;
    const std::string_view symbol = spec.symbols[static_cast<size_t>(c.scalars[i] - spec.min)];
    count(by_variant[std::string(spec.name) + "=" + std::string(symbol)], verdict.kind);
  }
  if (!verdict.passed()) return;
  for (const int member : properties.classify(c)) ++by_class[static_cast<size_t>(member)];
  for (size_t i = 0; i < c.scalars.size(); ++i) {
    if (values_used[i].empty()) continue;
    values_used[i][static_cast<size_t>(c.scalars[i] - properties.op->scalars[i].min)] = true;
  }
}

void Tally::merge(const Tally& other) {
  merge_counts(all, other.all);
  merge_counts(refusals, other.refusals);
  for (size_t i = 0; i < by_verdict.size(); ++i) by_verdict[i] += other.by_verdict[i];
  merge_maps(by_path, other.by_path);
  merge_maps(by_source, other.by_source);
  merge_maps(by_mode, other.by_mode);
  merge_maps(by_variant, other.by_variant);
  for (size_t i = 0; i < by_class.size(); ++i) by_class[i] += other.by_class[i];
  for (size_t i = 0; i < values_used.size(); ++i) {
    for (size_t k = 0; k < values_used[i].size(); ++k) {
      if (other.values_used[i][k]) values_used[i][k] = true;
    }
  }
}

}  // namespace bytegate
