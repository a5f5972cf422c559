#include <algorithm>

#include "oracles/case_text_reader.h"
#include "oracles/case_text_values.h"

namespace bytegate {
namespace {

// `[2, 3]`; nothing when it is not written so, is of too high a rank or holds a negative number.
std::optional<Dims> take_dims(Words& words) {
  Dims dims;
  if (!words.take('[')) return std::nullopt;
  if (words.take(']')) return dims;
  while (dims.rank() < kMaxRank) {
    const std::optional<int64_t> value = words.take_int();
    if (!value || *value < 0) return std::nullopt;
    dims.push_back(*value);
    if (words.take(']')) return dims;
    if (!words.take(',')) return std::nullopt;
  }
  return std::nullopt;
}

std::string not_dims(std::string_view what) {
  return std::string(what) + " are written [2, 3]: up to " + std::to_string(kMaxRank) +
         " numbers of at least 0";
}

}  // namespace

bool has_sane_size(const Dims& shape, const Dims* strides) {
  constexpr int64_t kMaxSize = INT64_MAX / 16;
  Dims filled = shape;
  for (int axis = 0; axis < filled.rank(); ++axis) {
    filled[axis] = std::max<int64_t>(filled[axis], 1);
  }
  if (num_elements(filled).value_or(INT64_MAX) > kMaxSize) return false;
  return strides == nullptr || extent_elements(filled, *strides).value_or(INT64_MAX) <= kMaxSize;
}

CaseReader::Error CaseReader::count_elements(std::string_view field, int64_t count) {
  if (count > max_elements_ - num_elements_) {
    return fail(field, std::to_string(count) + " elements are too many: a case holds up to " +
                           std::to_string(max_elements_));
  }
  num_elements_ += count;
  return std::nullopt;
}

CaseReader::Error CaseReader::read_tensor(Words& words) {
  const std::string_view name = words.next();
  const int idx = case_.op->tensor_index(name);
  if (idx < 0) {
    std::string known;
    for (const TensorSpec& spec : case_.op->tensors) {
      known += (known.empty() ? "" : ", ") + std::string(spec.name);
    }
    return fail(quoted(name), "unknown tensor; known: " + known);
  }
  if (!case_.later_steps.empty()) return read_change(words, idx);
  const auto at = static_cast<size_t>(idx);
  if (tensor_lines_[at] != 0) {
    return fail(name, "duplicated; first in line " + std::to_string(tensor_lines_[at]));
  }
  tensor_lines_[at] = line_;
  return read_declaration(words, case_.op->tensors[at], case_.tensors[at]);
}

CaseReader::Error CaseReader::read_declaration(Words& words, const TensorSpec& spec,
                                               Tensor& tensor) {
  const std::string_view dtype = words.next();
  if (dtype == "absent") {
    tensor.present = false;
    return expect_line_end(words, spec.name);
  }
  if (dtype != dtype_name(DType::kInt32) && dtype != dtype_name(DType::kInt64)) {
    return fail(spec.name, quoted(dtype) + " is none of int32, int64, absent");
  }
  tensor.dtype = dtype == dtype_name(DType::kInt32) ? DType::kInt32 : DType::kInt64;
  tensor.elements = Elements(tensor.dtype, 0);
  if (auto error = read_layout(words, spec, tensor)) return error;
  if (spec.role == Role::kOutput) return expect_line_end(words, spec.name);

  const std::optional<int64_t> count = num_elements(tensor.shape);
  if (auto error = count_elements(spec.name, count.value_or(INT64_MAX))) return error;
  Values values;
  ValueWords value_words(lines_, words);
  if (auto error = read_values(value_words, tensor.dtype, *count, values)) {
    error->field = spec.name;
    return error;
  }
  tensor.elements = std::move(values.elements);
  tensor.pattern = values.pattern;
  return std::nullopt;
}

CaseReader::Error CaseReader::read_layout(Words& words, const TensorSpec& spec, Tensor& tensor) {
  const std::optional<Dims> shape = take_dims(words);
  if (!shape) return fail(spec.name, not_dims("extents"));
  tensor.shape = *shape;
  if (!has_sane_size(tensor.shape, nullptr)) return fail(spec.name, "its shape is too large");
  tensor.strides = compact_strides(tensor.shape);

  const bool is_input = spec.role == Role::kInput;
  std::string_view word = words.next();
  if (word == "stride") {
    const std::optional<Dims> strides = take_dims(words);
    if (!strides) return fail(spec.name, not_dims("strides"));
    if (strides->rank() != tensor.shape.rank()) {
      return fail(spec.name, "as many strides as extents are needed");
    }
    tensor.strides = *strides;
    if (!has_sane_size(tensor.shape, &tensor.strides)) {
      return fail(spec.name, "its strides are too large");
    }
    word = words.next();
  }
  if (word == (is_input ? "=" : "")) return std::nullopt;
  if (is_input && word.empty()) return fail(spec.name, "an input needs `=` and its values");
  return fail(spec.name, "unexpected " + quoted(word) +
                             (is_input ? " before the values" : " after the layout of an output"));
}

CaseReader::Error CaseReader::read_step(Words& words) {
  if (case_.later_steps.empty()) {
    if (auto error = check_complete()) return error;
  }
  if (static_cast<int64_t>(case_.later_steps.size()) == kMaxCaseSteps) {
    return fail("step", "a case has up to " + std::to_string(kMaxCaseSteps) + " steps");
  }
  case_.later_steps.emplace_back();
  change_lines_.emplace_back();
  return expect_line_end(words, "step");
}

CaseReader::Error CaseReader::read_change(Words& words, int tensor_idx) {
  const TensorSpec& spec = case_.op->tensors[static_cast<size_t>(tensor_idx)];
  const Tensor& tensor = case_.tensors[static_cast<size_t>(tensor_idx)];
  Step& step = case_.later_steps.back();
  if (spec.role != Role::kInput || !tensor.present) {
    return fail(spec.name, "a step changes inputs that are present only");
  }
  for (size_t i = 0; i < step.changes.size(); ++i) {
    if (step.changes[i].tensor != tensor_idx) continue;
    return fail(spec.name, "duplicated in this step; first in line " +
                               std::to_string(change_lines_.back()[i]));
  }
  if (words.next() != "=") return fail(spec.name, "a step states `=` and values only");
  const int64_t count = tensor.elements.size();
  if (auto error = count_elements(spec.name, count)) return error;
  change_lines_.back().push_back(line_);
  Values values;
  ValueWords value_words(lines_, words);
  if (auto error = read_values(value_words, tensor.dtype, count, values)) {
    error->field = spec.name;
    return error;
  }
  step.changes.push_back({.tensor = tensor_idx, .elements = std::move(values.elements)});
  return std::nullopt;
}

}  // namespace bytegate
