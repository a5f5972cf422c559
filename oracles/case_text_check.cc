#include <algorithm>

#include "oracles/case_text_reader.h"

namespace bytegate {
namespace {

bool is_name_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// The next run of name characters at or after `at`, which moves past it.
std::string_view next_name(std::string_view text, size_t& at) {
  while (at < text.size() && !is_name_char(text[at])) ++at;
  const size_t first = at;
  while (at < text.size() && is_name_char(text[at])) ++at;
  return text.substr(first, at - first);
}

std::string outside(int64_t value, int64_t min, int64_t max) {
  return std::to_string(value) + " is outside " + std::to_string(min) + " .. " +
         std::to_string(max);
}

// The first element that the contract does not allow, or -1.
int64_t first_outside(const Elements& elements, const TensorSpec& spec) {
  const auto find = [&](auto values) -> int64_t {
    const auto at = std::find_if(values.begin(), values.end(), [&](int64_t value) {
      return value < spec.min_value || value > spec.max_value;
    });
    return at == values.end() ? -1 : at - values.begin();
  };
  return elements.dtype() == DType::kInt32 ? find(elements.int32()) : find(elements.int64());
}

}  // namespace

CaseReader::Error CaseReader::check_complete() const {
  const auto check = [&](const auto& specs, const std::vector<int64_t>& lines,
                         std::string_view what) -> Error {
    for (size_t i = 0; i < specs.size(); ++i) {
      if (lines[i] == 0)
        return fail(specs[i].name,
                    "missing: every " + std::string(what) + " of the operation must be stated");
    }
    return std::nullopt;
  };
  if (auto error = check(case_.op->scalars, scalar_lines_, "scalar")) return error;
  if (auto error = check(case_.op->dims, dim_lines_, "dimension")) return error;
  return check(case_.op->tensors, tensor_lines_, "tensor");
}

CaseReader::Error CaseReader::check_contract() {
  // First, so that shapes and relations are computed from values in range where they must be.
  if (case_.expect != Expect::kRefused) {
    if (auto error = check_ranges()) return error;
  }
  if (auto error = place_absent_tensors()) return error;
  if (auto reason = malformed_reason(case_)) return blame(std::move(*reason));
  if (case_.expect == Expect::kRefused) return std::nullopt;
  if (auto error = check_output_elements()) return error;
  if (case_.expect == Expect::kSurvived) {
    std::optional<std::string> reason = invalid_call_reason(case_);
    return reason ? Error(blame(std::move(*reason))) : std::nullopt;
  }

  // The reasons name tensors, not steps: without the steps they can only mean the case itself.
  std::vector<Step> steps;
  std::swap(steps, case_.later_steps);
  std::optional<std::string> reason = invalid_reason(case_);
  std::swap(steps, case_.later_steps);
  if (reason) return blame(std::move(*reason));
  if (case_.later_steps.empty()) return std::nullopt;
  if (auto error = check_steps()) return error;
  reason = invalid_reason(case_);
  return reason ? Error(blame(std::move(*reason))) : std::nullopt;
}

CaseReader::Error CaseReader::check_ranges() const {
  const auto check = [&](const auto& specs, const std::vector<int64_t>& values,
                         const std::vector<int64_t>& lines) -> Error {
    for (size_t i = 0; i < specs.size(); ++i) {
      if (values[i] >= specs[i].min && values[i] <= specs[i].max) continue;
      return ParseError{.line = lines[i],
                        .field = std::string(specs[i].name),
                        .message = outside(values[i], specs[i].min, specs[i].max)};
    }
    return std::nullopt;
  };
  if (auto error = check(case_.op->scalars, case_.scalars, scalar_lines_)) return error;
  if (auto error = check(case_.op->dims, case_.dims, dim_lines_)) return error;
  if (case_.call_faults.empty()) return std::nullopt;
  return ParseError{.line = fault_line_,
                    .field = "fault",
                    .message = "only a case with `expect refused` may have a fault"};
}

// Gives absent tensors the form that make_case() gives them.
CaseReader::Error CaseReader::place_absent_tensors() {
  for (size_t i = 0; i < case_.tensors.size(); ++i) {
    Tensor& tensor = case_.tensors[i];
    if (tensor.present) continue;
    tensor.dtype = case_.op->tensors[i].dtypes.front();
    tensor.elements = Elements(tensor.dtype, 0);
    tensor.shape = shape_of(case_, static_cast<int>(i));
    if (!has_sane_size(tensor.shape, nullptr)) {
      return ParseError{.line = tensor_lines_[i],
                        .field = std::string(case_.op->tensors[i].name),
                        .message = "its shape is too large"};
    }
    tensor.strides = compact_strides(tensor.shape);
  }
  return std::nullopt;
}

CaseReader::Error CaseReader::check_output_elements() const {
  int64_t left = max_elements_ * kOutputsPerElement;
  for (size_t i = 0; i < case_.tensors.size(); ++i) {
    if (case_.op->tensors[i].role != Role::kOutput || !case_.tensors[i].present) continue;
    const int64_t count = num_elements(case_.tensors[i].shape).value_or(INT64_MAX);
    if (count > left) {
      return ParseError{.line = tensor_lines_[i],
                        .field = std::string(case_.op->tensors[i].name),
                        .message = std::to_string(count) +
                                   " elements are too many: the outputs of a case hold up to " +
                                   std::to_string(max_elements_ * kOutputsPerElement)};
    }
    left -= count;
  }
  return std::nullopt;
}

CaseReader::Error CaseReader::check_steps() const {
  for (size_t step_idx = 0; step_idx < case_.later_steps.size(); ++step_idx) {
    const std::vector<Step::Change>& changes = case_.later_steps[step_idx].changes;
    for (size_t i = 0; i < changes.size(); ++i) {
      const TensorSpec& spec = case_.op->tensors[static_cast<size_t>(changes[i].tensor)];
      const int64_t idx = first_outside(changes[i].elements, spec);
      if (idx < 0) continue;
      return ParseError{
          .line = change_lines_[step_idx][i],
          .field = std::string(spec.name),
          .message = "element " + std::to_string(idx) + ": " +
                     outside(changes[i].elements.at(idx), spec.min_value, spec.max_value)};
    }
  }
  return std::nullopt;
}

// The error at the first scalar, dimension or tensor that the reason names.
ParseError CaseReader::blame(std::string reason) const {
  ParseError error = fail("case", std::move(reason));
  const auto at = [&](int idx, const std::vector<int64_t>& lines, std::string_view name) {
    if (idx < 0) return false;
    error.line = lines[static_cast<size_t>(idx)];
    error.field = name;
    return true;
  };
  size_t position = 0;
  while (true) {
    const std::string_view name = next_name(error.message, position);
    if (name.empty() || at(case_.op->scalar_index(name), scalar_lines_, name) ||
        at(case_.op->dim_index(name), dim_lines_, name) ||
        at(case_.op->tensor_index(name), tensor_lines_, name)) {
      return error;
    }
  }
}

}  // namespace bytegate
