#include "properties/same_outputs.h"

#include <algorithm>

namespace bytegate {
namespace {

bool is_output(const Case& c, int tensor) {
  return tensor >= 0 && c.op->tensors[static_cast<size_t>(tensor)].role == Role::kOutput &&
         c.tensors[static_cast<size_t>(tensor)].present;
}

}  // namespace

std::vector<uint8_t> stated_elements(const Case& c, int tensor) {
  const int64_t count = num_elements(written_shape(c, tensor)).value_or(0);
  std::vector<uint8_t> stated(static_cast<size_t>(count), 1);
  const TensorSpec& spec = c.op->tensors[static_cast<size_t>(tensor)];
  if (spec.mask != nullptr) spec.mask(c, stated);
  return stated;
}

std::optional<std::string> different_output(const Case& c, const Outputs& outputs,
                                            const Case& related, const Outputs& related_outputs,
                                            std::initializer_list<std::string_view> except) {
  for (int tensor = 0; tensor < static_cast<int>(c.tensors.size()); ++tensor) {
    const std::string_view name = c.op->tensors[static_cast<size_t>(tensor)].name;
    const int other = related.op->tensor_index(name);
    if (!is_output(c, tensor) || !is_output(related, other)) continue;
    if (std::find(except.begin(), except.end(), name) != except.end()) continue;
    const Elements& before = outputs[static_cast<size_t>(tensor)];
    const Elements& after = related_outputs[static_cast<size_t>(other)];
    if (before == after) continue;
    if (before.size() != after.size()) return std::string(name) + " becomes another shape";
    const std::vector<uint8_t> stated = stated_elements(c, tensor);
    const std::vector<uint8_t> stated_after = stated_elements(related, other);
    for (int64_t i = 0; i < before.size(); ++i) {
      const size_t idx = static_cast<size_t>(i);
      if (before.at(i) == after.at(i) || stated[idx] == 0 || stated_after[idx] == 0) continue;
      return std::string(name) + " becomes " + std::to_string(after.at(i)) + " at element " +
             std::to_string(i) + ", must stay " + std::to_string(before.at(i));
    }
  }
  return std::nullopt;
}

std::optional<std::string> same_outputs(const Case& c, const Outputs& outputs, const Case& related,
                                        const Outputs& related_outputs) {
  return different_output(c, outputs, related, related_outputs);
}

std::optional<Case> other_order(const Case& c, Draw& draw) {
  Case made = c;
  made.seed = draw.bits() | 1;
  return made;
}

std::optional<Case> other_path_of(const Case& c, std::span<const std::string_view> usable,
                                  Draw& draw) {
  std::vector<std::string_view> others;
  for (const std::string_view path : usable) {
    const std::string_view now = c.forced_path.empty() ? usable.front() : c.forced_path;
    if (path != now) others.push_back(path);
  }
  if (others.empty()) return std::nullopt;
  Case made = c;
  made.forced_path = draw.among(std::span<const std::string_view>(others));
  return made;
}

}  // namespace bytegate
