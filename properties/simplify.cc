#include "properties/simplify.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace bytegate {
namespace {

// Calls visit(idx, place) for every element of a shape in row-major order.
template <typename Visit>
void for_each_place(const Dims& shape, Visit&& visit) {
  const int64_t count = num_elements(shape).value_or(0);
  Dims place;
  for (int axis = 0; axis < shape.rank(); ++axis) place.push_back(0);
  for (int64_t idx = 0; idx < count; ++idx) {
    visit(idx, place);
    for (int axis = shape.rank() - 1; axis >= 0; --axis) {
      if (++place[axis] < shape[axis]) break;
      place[axis] = 0;
    }
  }
}

// The row-major index of a place, or -1 when the shape does not have it.
int64_t index_of(const Dims& shape, const Dims& place) {
  int64_t idx = 0;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (place[axis] >= shape[axis]) return -1;
    idx = idx * shape[axis] + place[axis];
  }
  return idx;
}

Elements refit(const Elements& old, const Dims& old_shape, const Dims& shape, int64_t fill) {
  Elements fitted(old.dtype(), num_elements(shape).value_or(0));
  for_each_place(shape, [&](int64_t idx, const Dims& place) {
    const int64_t from = index_of(old_shape, place);
    fitted.set(idx, from >= 0 ? old.at(from) : fill);
  });
  return fitted;
}

Elements without(const Elements& old, const Dims& shape, int axis, int64_t first, int64_t count) {
  int64_t inner = 1;
  for (int deeper = axis + 1; deeper < shape.rank(); ++deeper) inner *= shape[deeper];
  int64_t outer = 1;
  for (int shallower = 0; shallower < axis; ++shallower) outer *= shape[shallower];
  Elements left = old;
  // From the back, so that earlier positions stay what they are.
  for (int64_t block = outer - 1; block >= 0; --block) {
    left.erase((block * shape[axis] + first) * inner, count * inner);
  }
  return left;
}

void for_each_values(Case& c, size_t tensor, const std::function<void(Elements&)>& change) {
  change(c.tensors[tensor].elements);
  for (Step& step : c.later_steps) {
    for (Step::Change& later : step.changes) {
      if (later.tensor == static_cast<int>(tensor)) change(later.elements);
    }
  }
}

// Leaves nothing of an absent tensor behind but its shape, as make_case() has it.
void strip_absent(Case& c, int tensor) {
  Tensor& absent = c.tensors[static_cast<size_t>(tensor)];
  absent.dtype = c.op->tensors[static_cast<size_t>(tensor)].dtypes.front();
  absent.strides = compact_strides(absent.shape);
  absent.elements = Elements(absent.dtype, 0);
  absent.pattern.reset();
  for (Step& step : c.later_steps) {
    std::erase_if(step.changes,
                  [&](const Step::Change& change) { return change.tensor == tensor; });
  }
}

// Whether two elements of the layout may be one and the same: some axis does not stride past all
// that the axes with smaller strides reach.
bool may_alias(const Tensor& tensor) {
  const int rank = tensor.shape.rank();
  for (int axis = 0; axis < rank; ++axis) {
    if (tensor.shape[axis] <= 1) continue;
    int64_t reach = 0;
    for (int other = 0; other < rank; ++other) {
      const bool smaller = tensor.strides[other] < tensor.strides[axis] ||
                           (tensor.strides[other] == tensor.strides[axis] && other > axis);
      if (smaller) reach += std::max<int64_t>(tensor.shape[other] - 1, 0) * tensor.strides[other];
    }
    if (tensor.strides[axis] <= reach) return true;
  }
  return false;
}

// Gives a tensor the shape that the case now has for it.
void reshape(Case& c, size_t tensor, const Dims& shape, bool was_compact) {
  c.tensors[tensor].shape = shape;
  if (was_compact) c.tensors[tensor].strides = compact_strides(shape);
}

}  // namespace

std::optional<Case> cut_dim(const Case& c, int dim, int64_t first, int64_t count) {
  if (count <= 0 || first < 0 || first + count > c.dims[static_cast<size_t>(dim)]) {
    return std::nullopt;
  }
  Case cut = c;
  cut.dims[static_cast<size_t>(dim)] -= count;
  if (cut.dims[static_cast<size_t>(dim)] < c.op->dims[static_cast<size_t>(dim)].min) {
    return std::nullopt;
  }
  for (size_t i = 0; i < c.tensors.size(); ++i) {
    const TensorSpec& spec = c.op->tensors[i];
    Dims shape = c.tensors[i].shape;
    const bool was_compact = is_compact(c.tensors[i]);
    for (int axis = 0; axis < shape.rank(); ++axis) {
      if (spec.shape[static_cast<size_t>(axis)].dim != dim) continue;
      if (spec.role == Role::kInput && c.tensors[i].present) {
        for_each_values(
            cut, i, [&](Elements& values) { values = without(values, shape, axis, first, count); });
      }
      shape[axis] -= count;
    }
    // Axes that are computed from the dimension.
    const Dims wanted = shape_of(cut, static_cast<int>(i));
    if (!(wanted == shape) && spec.role == Role::kInput && c.tensors[i].present) {
      for_each_values(
          cut, i, [&](Elements& values) { values = refit(values, shape, wanted, spec.simplest); });
    }
    reshape(cut, i, wanted, was_compact);
  }
  return cut;
}

std::optional<Case> set_scalar(const Case& c, int scalar, int64_t value) {
  if (c.scalars[static_cast<size_t>(scalar)] == value) return std::nullopt;
  Case set = c;
  set.scalars[static_cast<size_t>(scalar)] = value;
  for (size_t i = 0; i < c.tensors.size(); ++i) {
    const TensorSpec& spec = c.op->tensors[i];
    const Presence presence = presence_of(spec, set);
    Tensor& tensor = set.tensors[i];
    const bool was_present = tensor.present;
    if (presence == Presence::kRequired) tensor.present = true;
    if (presence == Presence::kAbsent) tensor.present = false;
    const Dims wanted = shape_of(set, static_cast<int>(i));
    if (num_elements(wanted).value_or(INT64_MAX) > INT32_MAX) return std::nullopt;
    if (spec.role == Role::kInput && tensor.present) {
      const Dims old_shape = was_present ? c.tensors[i].shape : Dims{};
      if (!(wanted == old_shape) || !was_present) {
        for_each_values(set, i, [&](Elements& values) {
          values = was_present ? refit(values, old_shape, wanted, spec.simplest)
                               : refit(values, {0}, wanted, spec.simplest);
        });
      }
    }
    reshape(set, i, wanted, is_compact(c.tensors[i]) || !was_present);
    if (!tensor.present) strip_absent(set, static_cast<int>(i));
  }
  return set;
}

std::optional<Case> change_elements(const Case& c, int tensor, int64_t first, int64_t count,
                                    int64_t (*transform)(int64_t, int64_t, int), int shift) {
  const size_t i = static_cast<size_t>(tensor);
  const int64_t size = c.tensors[i].elements.size();
  if (!c.tensors[i].present || first + count > size) return std::nullopt;
  // Elements that share their memory must stay equal.
  if (count < size && may_alias(c.tensors[i])) return std::nullopt;
  Case changed = c;
  bool any = false;
  for_each_values(changed, i, [&](Elements& values) {
    for (int64_t idx = first; idx < first + count; ++idx) {
      const int64_t now = values.at(idx);
      const int64_t next = transform(now, c.op->tensors[i].simplest, shift);
      if (next == now) continue;
      values.set(idx, next);
      any = true;
    }
  });
  if (!any) return std::nullopt;
  return changed;
}

std::optional<Case> make_compact(const Case& c, int tensor) {
  if (is_compact(c.tensors[static_cast<size_t>(tensor)])) return std::nullopt;
  Case compact = c;
  Tensor& changed = compact.tensors[static_cast<size_t>(tensor)];
  changed.strides = compact_strides(changed.shape);
  return compact;
}

std::optional<Case> narrow_dtype(const Case& c, int tensor) {
  const size_t i = static_cast<size_t>(tensor);
  const DType dtype = c.op->tensors[i].dtypes.front();
  if (!c.tensors[i].present || c.tensors[i].dtype == dtype) return std::nullopt;
  Case narrow = c;
  Tensor& changed = narrow.tensors[i];
  changed.dtype = dtype;
  bool fits = true;
  for_each_values(narrow, i, [&](Elements& values) {
    Elements converted(dtype, values.size());
    for (int64_t idx = 0; idx < values.size() && fits; ++idx) {
      fits = values.at(idx) >= dtype_min(dtype) && values.at(idx) <= dtype_max(dtype);
      converted.set(idx, values.at(idx));
    }
    values = std::move(converted);
  });
  if (!fits) return std::nullopt;
  if (changed.pattern &&
      (changed.pattern->low < dtype_min(dtype) || changed.pattern->high > dtype_max(dtype))) {
    changed.pattern.reset();
  }
  return narrow;
}

std::optional<Case> leave_out(const Case& c, int tensor) {
  const size_t i = static_cast<size_t>(tensor);
  if (!c.tensors[i].present || presence_of(c.op->tensors[i], c) != Presence::kOptional) {
    return std::nullopt;
  }
  Case left = c;
  left.tensors[i].present = false;
  strip_absent(left, tensor);
  return left;
}

std::optional<Case> drop_steps(const Case& c, size_t first, size_t count) {
  if (count == 0 || first + count > c.later_steps.size()) return std::nullopt;
  Case dropped = c;
  const auto begin = dropped.later_steps.begin() + static_cast<int64_t>(first);
  dropped.later_steps.erase(begin, begin + static_cast<int64_t>(count));
  return dropped;
}

std::optional<Case> begin_with_step(const Case& c, size_t step) {
  if (step >= c.later_steps.size()) return std::nullopt;
  Case begun = at_step(c, step + 1);
  begun.later_steps.assign(c.later_steps.begin() + static_cast<int64_t>(step) + 1,
                           c.later_steps.end());
  return begun;
}

std::optional<Case> plain_mode(const Case& c) {
  if (c.mode == Mode::kPlain) return std::nullopt;
  Case plain = c;
  plain.mode = Mode::kPlain;
  return plain;
}

std::optional<Case> natural_order(const Case& c) {
  if (c.seed == 0) return std::nullopt;
  Case natural = c;
  natural.seed = 0;
  return natural;
}

std::optional<Case> unforced_path(const Case& c) {
  if (c.forced_path.empty()) return std::nullopt;
  Case unforced = c;
  unforced.forced_path.clear();
  return unforced;
}

}  // namespace bytegate
