#include "oracles/case.h"

#include <algorithm>

namespace bytegate {
namespace {

std::string out_of_range(std::string_view what, std::string_view name, int64_t value, int64_t min,
                         int64_t max) {
  return std::string(what) + " " + std::string(name) + " is " + std::to_string(value) +
         ", outside " + std::to_string(min) + " .. " + std::to_string(max);
}

// `written` is the part of the shape that the call writes.
std::optional<std::string> strides_reason(const TensorSpec& spec, const Tensor& tensor,
                                          const Dims& written) {
  const Dims compact = compact_strides(tensor.shape);
  const bool is_empty = num_elements(tensor.shape).value_or(1) == 0;
  for (int axis = 0; axis < tensor.shape.rank(); ++axis) {
    const auto at = [&] {
      return std::string(spec.name) + " stride of axis " + std::to_string(axis) + " is " +
             std::to_string(tensor.strides[axis]);
    };
    const bool free_axis =
        static_cast<size_t>(axis) < spec.strided.size() && spec.strided[static_cast<size_t>(axis)];
    // No element tells what the stride of a single one is, or that of none.
    if (!free_axis && (tensor.shape[axis] <= 1 || is_empty)) continue;
    if (!free_axis && tensor.strides[axis] != compact[axis]) {
      return at() + ", but that axis must be contiguous (" + std::to_string(compact[axis]) + ")";
    }
    if (tensor.strides[axis] < 0) return at() + ", below 0";
    if (spec.role == Role::kInput || tensor.shape[axis] <= 1) continue;
    // An output's elements must be distinct: each axis strides past everything inside it.
    Dims inner_shape;
    Dims inner_strides;
    for (int deeper = axis + 1; deeper < tensor.shape.rank(); ++deeper) {
      inner_shape.push_back(written[deeper]);
      inner_strides.push_back(tensor.strides[deeper]);
    }
    const int64_t inner = extent_elements(inner_shape, inner_strides).value_or(INT64_MAX);
    if (tensor.strides[axis] < inner) {
      return at() + ", below the width written (" + std::to_string(inner) + ")";
    }
  }
  return std::nullopt;
}

std::optional<std::string> elements_reason(const TensorSpec& spec, const Elements& elements) {
  const auto scan = [&](auto values) -> std::optional<std::string> {
    for (size_t i = 0; i < values.size(); ++i) {
      if (values[i] < spec.min_value || values[i] > spec.max_value) {
        return out_of_range("element", std::string(spec.name) + "[" + std::to_string(i) + "]",
                            values[i], spec.min_value, spec.max_value);
      }
    }
    return std::nullopt;
  };
  return elements.dtype() == DType::kInt32 ? scan(elements.int32()) : scan(elements.int64());
}

std::optional<std::string> layout_reason(const Case& c, size_t idx) {
  const TensorSpec& spec = c.op->tensors[idx];
  const Tensor& tensor = c.tensors[idx];
  const Presence presence = presence_of(spec, c);
  if (!tensor.present) {
    if (presence != Presence::kRequired) return std::nullopt;
    return "tensor " + std::string(spec.name) + " is required, but absent";
  }
  if (presence == Presence::kAbsent) {
    return "tensor " + std::string(spec.name) + " must be absent here";
  }
  if (std::find(spec.dtypes.begin(), spec.dtypes.end(), tensor.dtype) == spec.dtypes.end()) {
    return "tensor " + std::string(spec.name) + " cannot be " +
           std::string(dtype_name(tensor.dtype));
  }
  return strides_reason(spec, tensor, written_shape(c, static_cast<int>(idx)));
}

std::optional<std::string> range_reason(const Case& c) {
  for (size_t i = 0; i < c.scalars.size(); ++i) {
    const ScalarSpec& spec = c.op->scalars[i];
    if (c.scalars[i] < spec.min || c.scalars[i] > spec.max) {
      return out_of_range("scalar", spec.name, c.scalars[i], spec.min, spec.max);
    }
  }
  for (size_t i = 0; i < c.dims.size(); ++i) {
    const DimSpec& spec = c.op->dims[i];
    if (c.dims[i] < spec.min || c.dims[i] > spec.max) {
      return out_of_range("dimension", spec.name, c.dims[i], spec.min, spec.max);
    }
  }
  return std::nullopt;
}

// Of the elements of one step.
std::optional<std::string> data_reason(const Case& c) {
  for (size_t i = 0; i < c.tensors.size(); ++i) {
    const TensorSpec& spec = c.op->tensors[i];
    if (spec.role != Role::kInput || !c.tensors[i].present) continue;
    if (auto reason = elements_reason(spec, c.tensors[i].elements)) return reason;
  }
  return c.op->validate_data == nullptr ? std::nullopt : c.op->validate_data(c);
}

std::optional<std::string> malformed_tensor(const Case& c, size_t idx) {
  const TensorSpec& spec = c.op->tensors[idx];
  const Tensor& tensor = c.tensors[idx];
  const auto named = [&] { return "tensor " + std::string(spec.name); };
  if (!tensor.present) return std::nullopt;
  const Dims shape = shape_of(c, static_cast<int>(idx));
  if (!(tensor.shape == shape)) {
    return named() + " has shape " + to_string(tensor.shape) + ", the case gives it " +
           to_string(shape);
  }
  if (tensor.strides.rank() != shape.rank()) return named() + " has strides of other rank";
  const std::optional<int64_t> count = num_elements(shape);
  const std::optional<int64_t> extent = extent_elements(shape, tensor.strides);
  constexpr int64_t kMaxExtent = INT64_MAX / 16;
  if (!count || !extent || *extent > kMaxExtent) return named() + " is too large";
  for (const int64_t stride : tensor.strides) {
    if (stride < 0) return named() + " has a negative stride";
  }
  if (spec.role == Role::kOutput) return std::nullopt;
  if (tensor.elements.dtype() != tensor.dtype || tensor.elements.size() != *count) {
    return named() + " holds " + std::to_string(tensor.elements.size()) + " elements, its shape " +
           std::to_string(*count);
  }
  if (aliases_disagree(tensor)) {
    return named() + " has elements that share an address and differ";
  }
  return std::nullopt;
}

std::optional<std::string> malformed_step(const Case& c, const Step& step) {
  for (const Step::Change& change : step.changes) {
    const Tensor& tensor = c.tensors[static_cast<size_t>(change.tensor)];
    const std::string name(c.op->tensors[static_cast<size_t>(change.tensor)].name);
    if (c.op->tensors[static_cast<size_t>(change.tensor)].role != Role::kInput) {
      return "step changes " + name + ", which is no input";
    }
    if (!tensor.present || change.elements.dtype() != tensor.dtype ||
        change.elements.size() != tensor.elements.size()) {
      return "step changes " + name + " to other dtype or number of elements";
    }
    Tensor changed;
    changed.shape = tensor.shape;
    changed.strides = tensor.strides;
    changed.elements = change.elements;
    if (aliases_disagree(changed)) {
      return "step changes " + name + " to elements that share an address and differ";
    }
  }
  return std::nullopt;
}

}  // namespace

std::string_view expect_name(Expect expect) {
  if (expect == Expect::kRefused) return "refused";
  return expect == Expect::kBytes ? "bytes" : "survived";
}
std::string_view backend_name(BackendKind backend) {
  if (backend == BackendKind::kHost) return "host";
  return backend == BackendKind::kCuda ? "cuda" : "any";
}

Case make_case(const Op& op) {
  Case c;
  c.op = &op;
  for (const ScalarSpec& scalar : op.scalars) c.scalars.push_back(scalar.simplest);
  for (const DimSpec& dim : op.dims) c.dims.push_back(dim.min);
  for (const TensorSpec& spec : op.tensors) {
    Tensor tensor;
    tensor.dtype = spec.dtypes.front();
    tensor.elements = Elements(tensor.dtype, 0);
    c.tensors.push_back(std::move(tensor));
  }
  fit_tensors(c);
  return c;
}

Dims shape_of(const Case& c, int tensor) {
  Dims shape;
  for (const Extent& extent : c.op->tensors[static_cast<size_t>(tensor)].shape) {
    const int64_t value =
        extent.dim >= 0 ? c.dims[static_cast<size_t>(extent.dim)] : extent.compute(c);
    shape.push_back(std::max<int64_t>(value, 0));
  }
  return shape;
}

Dims written_shape(const Case& c, int tensor) {
  Dims shape = c.tensors[static_cast<size_t>(tensor)].shape;
  const auto columns_written = c.op->tensors[static_cast<size_t>(tensor)].columns_written;
  if (columns_written == nullptr || shape.rank() == 0) return shape;
  int64_t& columns = shape[shape.rank() - 1];
  columns = std::clamp<int64_t>(columns_written(c), 0, columns);
  return shape;
}

void fit_tensors(Case& c) {
  for (size_t i = 0; i < c.tensors.size(); ++i) {
    Tensor& tensor = c.tensors[i];
    const Presence presence = presence_of(c.op->tensors[i], c);
    if (presence == Presence::kRequired) tensor.present = true;
    if (presence == Presence::kAbsent) tensor.present = false;
    tensor.shape = shape_of(c, static_cast<int>(i));
    tensor.strides = compact_strides(tensor.shape);
    if (c.op->tensors[i].role != Role::kInput) continue;
    tensor.elements.resize(tensor.present ? num_elements(tensor.shape).value_or(0) : 0);
  }
}

std::optional<std::string> malformed_reason(const Case& c) {
  for (size_t i = 0; i < c.dims.size(); ++i) {
    if (c.dims[i] < 0) return "dimension " + std::string(c.op->dims[i].name) + " is negative";
  }
  for (size_t i = 0; i < c.tensors.size(); ++i) {
    if (auto reason = malformed_tensor(c, i)) return reason;
  }
  for (const Step& step : c.later_steps) {
    if (auto reason = malformed_step(c, step)) return reason;
  }
  return std::nullopt;
}

std::optional<std::string> idle_reason(const Case& c, const CallFault& fault) {
  const auto has_elements = [&](int tensor) {
    const Tensor& asked = c.tensors[static_cast<size_t>(tensor)];
    return asked.present && num_elements(asked.shape).value_or(1) > 0;
  };
  const auto is_input = [&](int tensor) {
    return c.op->tensors[static_cast<size_t>(tensor)].role == Role::kInput;
  };
  switch (fault.kind) {
    case CallFaultKind::kShortWorkspace:
      break;
    case CallFaultKind::kNull:
      if (!has_elements(fault.tensor)) return "a tensor without elements is null anyway";
      break;
    case CallFaultKind::kOverlap:
      if (!has_elements(fault.tensor) || !has_elements(fault.other)) {
        return "a tensor without elements overlaps nothing";
      }
      if (fault.tensor == fault.other) return "a tensor overlaps itself anyway";
      if (is_input(fault.tensor) && is_input(fault.other)) return "inputs may overlap";
      break;
  }
  return std::nullopt;
}

std::optional<std::string> invalid_call_reason(const Case& c) {
  if (auto reason = malformed_reason(c)) return reason;
  if (auto reason = range_reason(c)) return reason;
  for (size_t i = 0; i < c.tensors.size(); ++i) {
    if (auto reason = layout_reason(c, i)) return reason;
  }
  if (!c.call_faults.empty()) return "the call itself is at fault";
  return c.op->validate == nullptr ? std::nullopt : c.op->validate(c);
}

std::optional<std::string> invalid_reason(const Case& c) {
  if (auto reason = invalid_call_reason(c)) return reason;
  if (auto reason = data_reason(c)) return reason;
  for (size_t step = 1; step <= c.later_steps.size(); ++step) {
    if (auto reason = data_reason(at_step(c, step))) {
      return "step " + std::to_string(step) + ": " + *reason;
    }
  }
  return std::nullopt;
}

namespace {

// Not copied and then cleared: a case may have thousands of them.
Case without_steps(const Case& c) {
  return {.op = c.op,
          .scalars = c.scalars,
          .dims = c.dims,
          .tensors = c.tensors,
          .later_steps = {},
          .expect = c.expect,
          .mode = c.mode,
          .backend = c.backend,
          .forced_path = c.forced_path,
          .seed = c.seed,
          .call_faults = c.call_faults,
          .origin = c.origin,
          .note = c.note};
}

}  // namespace

Case at_step(const Case& c, size_t step_idx) {
  Case at = without_steps(c);
  for (size_t i = 0; i < step_idx; ++i) {
    for (const Step::Change& change : c.later_steps[i].changes) {
      at.tensors[static_cast<size_t>(change.tensor)].elements = change.elements;
    }
  }
  return at;
}

Outputs expected_outputs(const Case& c) {
  Outputs outputs(c.tensors.size());
  for (size_t i = 0; i < c.tensors.size(); ++i) {
    if (c.op->tensors[i].role != Role::kOutput || !c.tensors[i].present) continue;
    outputs[i] = Elements(c.tensors[i].dtype,
                          num_elements(written_shape(c, static_cast<int>(i))).value_or(0));
  }
  c.op->oracle(c, outputs);
  return outputs;
}

}  // namespace bytegate
