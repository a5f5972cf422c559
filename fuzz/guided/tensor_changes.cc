#include "fuzz/guided/tensor_changes.h"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

namespace bytegate {

int TensorChanges::some(bool (*wanted)(const TensorSpec&, const Tensor&)) {
  std::vector<int> found;
  for (size_t i = 0; i < c_.tensors.size(); ++i) {
    if (wanted(op_.tensors[i], c_.tensors[i])) found.push_back(static_cast<int>(i));
  }
  return found.empty() ? -1 : draw_.among(std::span<const int>(found));
}

void TensorChanges::change_presence() {
  std::vector<size_t> optional;
  for (size_t i = 0; i < c_.tensors.size(); ++i) {
    if (presence_of(op_.tensors[i], c_) == Presence::kOptional) optional.push_back(i);
  }
  if (optional.empty()) return;
  toggle(draw_.among(std::span<const size_t>(optional)));
}

void TensorChanges::toggle(size_t i) {
  Tensor& tensor = c_.tensors[i];
  tensor.present = !tensor.present;
  tensor.shape = shape_of(c_, static_cast<int>(i));
  tensor.strides = compact_strides(tensor.shape);
  const bool filled = tensor.present && op_.tensors[i].role == Role::kInput;
  if (!tensor.present) tensor.dtype = op_.tensors[i].dtypes.front();
  tensor.elements = Elements(tensor.dtype, filled ? num_elements(tensor.shape).value_or(0) : 0);
  for (Step& step : c_.later_steps) {
    std::erase_if(step.changes,
                  [&](const Step::Change& change) { return change.tensor == static_cast<int>(i); });
  }
}

void TensorChanges::change_dtype() {
  const int tensor = some([](const TensorSpec& spec, const Tensor& candidate) {
    return candidate.present && spec.dtypes.size() > 1;
  });
  if (tensor < 0) return;
  const std::vector<DType>& dtypes = op_.tensors[static_cast<size_t>(tensor)].dtypes;
  set_dtype(static_cast<size_t>(tensor), draw_.among(std::span<const DType>(dtypes)));
}

void TensorChanges::set_dtype(size_t i, DType dtype) {
  const auto convert = [&](Elements& values) {
    Elements converted(dtype, values.size());
    for (int64_t idx = 0; idx < values.size(); ++idx) {
      converted.set(idx, std::clamp(values.at(idx), dtype_min(dtype), dtype_max(dtype)));
    }
    values = std::move(converted);
  };
  c_.tensors[i].dtype = dtype;
  convert(c_.tensors[i].elements);
  for (Step& step : c_.later_steps) {
    for (Step::Change& change : step.changes) {
      if (change.tensor == static_cast<int>(i)) convert(change.elements);
    }
  }
}

void TensorChanges::change_strides() {
  const int chosen = some([](const TensorSpec& spec, const Tensor& candidate) {
    return candidate.present && std::count(spec.strided.begin(), spec.strided.end(), true) > 0;
  });
  if (chosen < 0) return;
  Tensor& tensor = c_.tensors[static_cast<size_t>(chosen)];
  if (draw_.one_in(3)) {
    tensor.strides = compact_strides(tensor.shape);
    return;
  }
  const int axis = static_cast<int>(draw_.between(0, tensor.shape.rank() - 1));
  tensor.strides[axis] = some_stride(tensor.strides[axis]);
}

int64_t TensorChanges::some_stride(int64_t now) {
  switch (draw_.between(0, 5)) {
    case 0:
      return draw_.between(0, 2);
    case 1:
      return now + draw_.between(1, 5);
    case 2:
      return 2 * std::min<int64_t>(now, INT32_MAX);
    case 3:
      // Pages of their own for each row: slow, so seldom.
      return int64_t{1} << (draw_.one_in(16) ? draw_.between(22, 32) : draw_.between(0, 8));
    default:
      return std::clamp<int64_t>(interesting_.number(), 0, 1000);
  }
}

void TensorChanges::compact_wide_strides() {
  for (Tensor& tensor : c_.tensors) {
    const bool wide =
        extent_elements(tensor.shape, tensor.strides).value_or(INT64_MAX) > limits_.max_elements;
    if (wide) tensor.strides = compact_strides(tensor.shape);
  }
}

}  // namespace bytegate
