#include "fuzz/promises.h"

#include <algorithm>
#include <iterator>
#include <map>

#include "fuzz/choose_mode.h"

namespace bytegate {
namespace {

constexpr int64_t kMinCasesOfPath = 100;
// Even half of so many uniform draws of each value leave one out once in millions of runs.
constexpr int64_t kMinDrawsOfValue = 48;

int64_t num_passed(const std::map<std::string, Counts>& counts, const std::string& name) {
  const auto found = counts.find(name);
  return found == counts.end() ? 0 : found->second.passed;
}

int64_t num_drawn(const Tally& generated) {
  return generated.all.passed + generated.all.failed;
}

bool is_half_of_a_gate(const OpProperties& properties, const Tally& generated) {
  return num_drawn(generated) >= properties.gate_cases - properties.gate_cases / 2;
}

void add_paths(const OpProperties& properties, const Tally& tally,
               std::vector<std::string>& unmet) {
  const int64_t least = std::max(kMinCasesOfPath, properties.gate_cases / 100);
  for (const std::string_view path : properties.op->paths) {
    const int64_t passed = num_passed(tally.by_path, std::string(path));
    if (passed >= least) continue;
    unmet.push_back("only " + std::to_string(passed) + " cases passed on path " +
                    std::string(path));
  }
}

void add_scalars(const OpProperties& properties, const Tally& tally,
                 std::vector<std::string>& unmet) {
  for (size_t i = 0; i < tally.values_used.size(); ++i) {
    const ScalarSpec& spec = properties.op->scalars[i];
    const std::string name(spec.name);
    for (const std::string_view symbol : spec.symbols) {
      const std::string variant = name + "=" + std::string(symbol);
      if (num_passed(tally.by_variant, variant) == 0) unmet.push_back("no case of " + variant);
    }
    const std::vector<bool>& used = tally.values_used[i];
    if (std::ssize(used) * kMinDrawsOfValue > properties.gate_cases) continue;
    const auto unnamed =
        used.begin() + static_cast<int64_t>(std::min(spec.symbols.size(), used.size()));
    const int64_t num_unused = std::count(unnamed, used.end(), false);
    if (num_unused == 0) continue;
    unmet.push_back(std::to_string(num_unused) + " values of " + name + " were not used");
  }
}

void add_tensors(const OpProperties& properties, const Tally& tally,
                 std::vector<std::string>& unmet) {
  for (const TensorSpec& spec : properties.op->tensors) {
    const std::string name(spec.name);
    for (const DType dtype : spec.dtypes) {
      const std::string chosen = name + "=" + std::string(dtype_name(dtype));
      if (spec.dtypes.size() > 1 && num_passed(tally.by_dtype, chosen) == 0) {
        unmet.push_back("no case of " + chosen);
      }
    }
    const std::string present = name + " present";
    const std::string absent = name + " absent";
    if (tally.by_presence.count(present) == 0 && tally.by_presence.count(absent) == 0) continue;
    for (const std::string& state : {present, absent}) {
      if (num_passed(tally.by_presence, state) == 0) unmet.push_back("no case with " + state);
    }
  }
}

void add_layouts(const OpProperties& properties, const Tally& tally,
                 std::vector<std::string>& unmet) {
  for (const TensorSpec& spec : properties.op->tensors) {
    if (std::count(spec.strided.begin(), spec.strided.end(), true) == 0) continue;
    const std::string name(spec.name);
    const auto passed = [&](const char* layout) {
      return num_passed(tally.by_layout, name + " " + layout);
    };
    if (passed("compact") == 0) unmet.push_back("no case with " + name + " compact");
    if (passed("strided") + passed("rows strided") + passed("columns strided") == 0) {
      unmet.push_back("no case with " + name + " strided");
    }
    if (spec.role == Role::kInput && passed("repeated") == 0) {
      unmet.push_back("no case with " + name + " repeated");
    }
  }
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : "; ") + name;
  return text;
}

bool has_inputs(const Op& op) {
  return std::any_of(op.tensors.begin(), op.tensors.end(),
                     [](const TensorSpec& spec) { return spec.role == Role::kInput; });
}

}  // namespace

std::vector<CellCoverage> cell_coverage(const OpProperties& properties, const Tally& generated) {
  const auto class_name = [&](int idx) {
    return std::string(properties.classes[static_cast<size_t>(idx)]);
  };
  const auto axis_name = [&](int idx) {
    return std::string(properties.axes[static_cast<size_t>(idx)].name);
  };
  std::vector<CellCoverage> coverage;
  for (size_t i = 0; i < properties.products.size(); ++i) {
    const ClassProduct& product = properties.products[i];
    CellCoverage& covered = coverage.emplace_back();
    covered.product = axis_name(product.first_axis) + " x " + axis_name(product.second_axis);
    const std::vector<ClassCell> cells = cells_of(properties.axes, product);
    for (size_t k = 0; k < cells.size(); ++k) {
      const std::string name =
          class_name(cells[k].first_class) + " with " + class_name(cells[k].second_class);
      const bool reached = generated.by_cell[i][k] > 0;
      if (!cells[k].possible) {
        if (reached) covered.denied.push_back(name);
        continue;
      }
      ++covered.num_promised;
      covered.num_reached += reached ? 1 : 0;
      if (!reached) covered.unmet.push_back(name);
    }
  }
  return coverage;
}

std::vector<std::string> unmet_modes(const OpProperties& properties, BackendKind backend,
                                     const Tally& generated) {
  constexpr int64_t kMinDraws = 16;
  std::vector<std::string> unmet;
  if (!is_half_of_a_gate(properties, generated)) return unmet;
  for (const ModeSpec& spec : kModes) {
    const int64_t n = backend == BackendKind::kCuda ? spec.cuda_one_in : spec.host_one_in;
    if (spec.mode == Mode::kPlain || !has_mode(*properties.op, spec.mode, backend)) continue;
    if (n > 0 && properties.gate_cases / 2 / n < kMinDraws) continue;
    const std::string name(spec.name);
    if (num_passed(generated.by_mode, name) == 0) unmet.push_back("no case of mode " + name);
  }
  return unmet;
}

std::vector<std::string> unmet_promises(const OpProperties& properties, const Tally& generated) {
  std::vector<std::string> unmet;
  const std::vector<CellCoverage> coverage = cell_coverage(properties, generated);
  for (const CellCoverage& covered : coverage) {
    if (covered.denied.empty()) continue;
    unmet.push_back("cases of cells of " + covered.product +
                    " that are said to be impossible: " + joined(covered.denied));
  }
  if (!is_half_of_a_gate(properties, generated)) return unmet;
  add_paths(properties, generated, unmet);
  for (size_t i = 0; i < generated.by_class.size(); ++i) {
    if (generated.by_class[i] > 0) continue;
    unmet.push_back("no case of class " + std::string(properties.classes[i]));
  }
  for (const CellCoverage& covered : coverage) {
    if (covered.unmet.empty()) continue;
    unmet.push_back("no case of " + covered.product + ": " + joined(covered.unmet));
  }
  add_scalars(properties, generated, unmet);
  add_tensors(properties, generated, unmet);
  add_layouts(properties, generated, unmet);
  if (generated.survivals.passed == 0 && has_inputs(*properties.op)) {
    unmet.push_back("no case with elements outside the contract was survived");
  }
  return unmet;
}

std::vector<std::string> unmet_relations(const OpProperties& properties, const Tally& generated) {
  std::vector<std::string> unmet;
  if (num_drawn(generated) * 20 < properties.gate_cases) return unmet;
  for (size_t i = 0; i < generated.by_relation.size(); ++i) {
    if (generated.by_relation[i] > 0) continue;
    unmet.push_back("no case was held to relation " + std::string(properties.relations[i].name));
  }
  return unmet;
}

}  // namespace bytegate
