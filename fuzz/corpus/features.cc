#include "fuzz/corpus/features.h"

#include <algorithm>
#include <cctype>

#include "fuzz/tally.h"

namespace bytegate {
namespace {

// The reason without its numbers: cases that differ in them alone are refused for the same.
std::string without_numbers(const std::string& reason) {
  std::string text;
  for (const char c : reason) {
    const bool digit = std::isdigit(static_cast<unsigned char>(c)) != 0;
    if (!digit) {
      text += c;
    } else if (text.empty() || text.back() != '#') {
      text += '#';
    }
  }
  return text;
}

class Features {
 public:
  explicit Features(const Op& op) : op_(op.name) {}

  void add(const std::string& kind, const std::string& text) {
    features_.push_back(op_ + " " + kind + " " + text);
  }
  void add_all(const std::string& kind, const std::map<std::string, Counts>& counts) {
    for (const auto& [name, count] : counts) {
      if (!name.empty()) add(kind, name);
    }
  }
  std::vector<std::string> take() {
    std::sort(features_.begin(), features_.end());
    features_.erase(std::unique(features_.begin(), features_.end()), features_.end());
    return std::move(features_);
  }

 private:
  std::string op_;
  std::vector<std::string> features_;
};

void add_faults(Features& features, const Case& c) {
  const auto name = [&](int tensor) {
    return tensor < 0 ? "" : " " + std::string(c.op->tensors[static_cast<size_t>(tensor)].name);
  };
  for (const CallFault& fault : c.call_faults) {
    const char* kind = fault.kind == CallFaultKind::kNull      ? "null"
                       : fault.kind == CallFaultKind::kOverlap ? "overlap"
                                                               : "short_workspace";
    features.add("fault", kind + name(fault.tensor) + name(fault.other));
  }
}

void add_classes(Features& features, const OpProperties& properties, const Tally& tally) {
  for (size_t i = 0; i < tally.by_class.size(); ++i) {
    if (tally.by_class[i] > 0) features.add("class", std::string(properties.classes[i]));
  }
  for (size_t i = 0; i < tally.by_cell.size(); ++i) {
    const std::vector<ClassCell> cells = cells_of(properties.axes, properties.products[i]);
    for (size_t cell = 0; cell < cells.size(); ++cell) {
      if (tally.by_cell[i][cell] == 0) continue;
      const auto class_name = [&](int idx) {
        return std::string(properties.classes[static_cast<size_t>(idx)]);
      };
      features.add("cell", class_name(cells[cell].first_class) + " with " +
                               class_name(cells[cell].second_class));
    }
  }
}

// Those that a consumer of the outputs passes.
void add_states(Features& features, const OpProperties& properties, const Case& c) {
  if (properties.walk_states == nullptr) return;
  const Case first = at_step(c, 0);
  for (const int state : properties.walk_states(first, expected_outputs(first))) {
    features.add("state", std::string(properties.states[static_cast<size_t>(state)]));
  }
}

}  // namespace

std::vector<std::string> features_of(const OpProperties& properties, const Case& c,
                                     const Verdict& verdict) {
  Features features(*properties.op);
  features.add("expect", std::string(expect_name(c.expect)));
  features.add("backend", std::string(backend_name(c.backend)));
  if (!c.forced_path.empty()) features.add("forced path", c.forced_path);
  if (!c.origin.empty()) features.add("origin", c.origin);
  if (!verdict.passed()) features.add("fails", verdict.origin);
  if (!c.later_steps.empty()) features.add("steps", "more than one");
  add_faults(features, c);
  if (c.expect != Expect::kBytes) {
    const std::string reason = invalid_reason(c).value_or("");
    features.add(std::string(expect_name(c.expect)), without_numbers(reason));
  }
  Tally tally(properties);
  tally.add(properties, c, verdict, "", BackendKind::kHost);
  features.add_all("path", tally.by_path);
  features.add_all("mode", tally.by_mode);
  features.add_all("variant", tally.by_variant);
  features.add_all("dtype", tally.by_dtype);
  features.add_all("layout", tally.by_layout);
  features.add_all("optional", tally.by_presence);
  add_classes(features, properties, tally);
  if (c.expect == Expect::kBytes && verdict.passed()) add_states(features, properties, c);
  return features.take();
}

}  // namespace bytegate
