#include "fuzz/tally.h"

#include <algorithm>

#include "fuzz/choose_mode.h"

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

bool may_be_strided(const TensorSpec& spec) {
  return std::find(spec.strided.begin(), spec.strided.end(), true) != spec.strided.end();
}

void count_tensors(Tally& tally, const Case& c, VerdictKind kind) {
  for (size_t i = 0; i < c.tensors.size(); ++i) {
    const TensorSpec& spec = c.op->tensors[i];
    const Tensor& tensor = c.tensors[i];
    const std::string name(spec.name);
    if (presence_of(spec, c) == Presence::kOptional) {
      count(tally.by_presence[name + (tensor.present ? " present" : " absent")], kind);
    }
    if (!tensor.present) continue;
    if (spec.dtypes.size() > 1) {
      count(tally.by_dtype[name + "=" + std::string(dtype_name(tensor.dtype))], kind);
    }
    if (may_be_strided(spec)) {
      count(tally.by_layout[name + " " + std::string(layout_class(spec, tensor))], kind);
    }
  }
}

}  // namespace

std::string_view layout_class(const TensorSpec& spec, const Tensor& tensor) {
  const int rank = tensor.shape.rank();
  for (int axis = 0; axis < rank; ++axis) {
    if (tensor.shape[axis] > 1 && tensor.strides[axis] == 0) return "repeated";
  }
  if (is_compact(tensor)) return "compact";
  const bool columns_free = !spec.strided.empty() && spec.strided.back();
  if (!columns_free || std::count(spec.strided.begin(), spec.strided.end(), true) < 2) {
    return "strided";
  }
  const bool columns_compact = tensor.shape[rank - 1] <= 1 || tensor.strides[rank - 1] == 1;
  return columns_compact ? "rows strided" : "columns strided";
}

Tally::Tally(const OpProperties& properties)
    : by_class(properties.classes.size()), by_relation(properties.relations.size()) {
  for (const ClassProduct& product : properties.products) {
    by_cell.emplace_back(cells_of(properties.axes, product).size());
  }
  for (const ScalarSpec& scalar : properties.op->scalars) {
    const uint64_t distance = static_cast<uint64_t>(scalar.max) - static_cast<uint64_t>(scalar.min);
    const bool listed = distance > 0 && distance < static_cast<uint64_t>(kMaxListedValues);
    values_used.emplace_back(listed ? distance + 1 : 0);
  }
}

void Tally::add(const OpProperties& properties, const Case& c, const Verdict& verdict,
                const std::string& source, BackendKind backend) {
  count(all, verdict.kind);
  ++by_verdict[static_cast<size_t>(verdict.kind)];
  count(by_source[source], verdict.kind);
  // A mode that the backend has nothing of its own for was a plain launch.
  const Mode mode = has_mode(*c.op, c.mode, backend) ? c.mode : Mode::kPlain;
  count(by_mode[std::string(mode_name(mode))], verdict.kind);
  // A refused call took no path and belongs to no class: it is counted above.
  if (c.expect == Expect::kRefused) {
    count(refusals, verdict.kind);
    return;
  }
  // Nothing of it was compared, and what it belongs to is said of valid cases alone.
  if (c.expect == Expect::kSurvived) {
    count(survivals, verdict.kind);
    return;
  }
  count(by_path[verdict.path], verdict.kind);
  for (size_t i = 0; i < c.scalars.size(); ++i) {
    const ScalarSpec& spec = properties.op->scalars[i];
    const uint64_t symbol = static_cast<uint64_t>(c.scalars[i]) - static_cast<uint64_t>(spec.min);
    if (symbol >= spec.symbols.size()) continue;
    count(by_variant[std::string(spec.name) + "=" + std::string(spec.symbols[symbol])],
          verdict.kind);
  }
  count_tensors(*this, c, verdict.kind);
  if (!verdict.passed()) return;
  for (const int relation : verdict.relations) ++by_relation[static_cast<size_t>(relation)];
  const std::vector<int> classes = properties.classify(c);
  for (const int member : classes) ++by_class[static_cast<size_t>(member)];
  for (size_t i = 0; i < by_cell.size(); ++i) {
    const int cell = cell_of(properties.axes, properties.products[i], classes);
    if (cell >= 0) ++by_cell[i][static_cast<size_t>(cell)];
  }
  for (size_t i = 0; i < c.scalars.size(); ++i) {
    if (values_used[i].empty()) continue;
    values_used[i][static_cast<size_t>(c.scalars[i] - properties.op->scalars[i].min)] = true;
  }
}

void Tally::merge(const Tally& other) {
  merge_counts(all, other.all);
  merge_counts(refusals, other.refusals);
  merge_counts(survivals, other.survivals);
  for (size_t i = 0; i < by_verdict.size(); ++i) by_verdict[i] += other.by_verdict[i];
  merge_maps(by_path, other.by_path);
  merge_maps(by_source, other.by_source);
  merge_maps(by_mode, other.by_mode);
  merge_maps(by_variant, other.by_variant);
  merge_maps(by_dtype, other.by_dtype);
  merge_maps(by_layout, other.by_layout);
  merge_maps(by_presence, other.by_presence);
  for (size_t i = 0; i < by_class.size(); ++i) by_class[i] += other.by_class[i];
  for (size_t i = 0; i < by_relation.size(); ++i) by_relation[i] += other.by_relation[i];
  for (size_t i = 0; i < by_cell.size(); ++i) {
    for (size_t k = 0; k < by_cell[i].size(); ++k) by_cell[i][k] += other.by_cell[i][k];
  }
  for (size_t i = 0; i < values_used.size(); ++i) {
    for (size_t k = 0; k < values_used[i].size(); ++k) {
      if (other.values_used[i][k]) values_used[i][k] = true;
    }
  }
}

}  // namespace bytegate
