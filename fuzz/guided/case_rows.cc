#include "fuzz/guided/case_rows.h"

#include <algorithm>
#include <utility>

namespace bytegate {
namespace {

template <typename Change>
void for_each_values(Case& c, size_t tensor, Change&& change) {
  change(c.tensors[tensor].elements);
  for (Step& step : c.later_steps) {
    for (Step::Change& later : step.changes) {
      if (later.tensor == static_cast<int>(tensor)) change(later.elements);
    }
  }
}

// The elements with another choice of slices along one axis.
Elements arranged(const Elements& old, const Dims& shape, int axis,
                  const std::vector<int64_t>& from, int64_t fresh) {
  int64_t inner = 1;
  for (int deeper = axis + 1; deeper < shape.rank(); ++deeper) inner *= shape[deeper];
  int64_t outer = 1;
  for (int shallower = 0; shallower < axis; ++shallower) outer *= shape[shallower];
  const int64_t num_rows = static_cast<int64_t>(from.size());
  Elements fitted(old.dtype(), outer * num_rows * inner);
  for (int64_t block = 0; block < outer; ++block) {
    for (int64_t row = 0; row < num_rows; ++row) {
      const int64_t source = from[static_cast<size_t>(row)];
      for (int64_t idx = 0; idx < inner; ++idx) {
        const int64_t value =
            source == kNewRow ? fresh : old.at((block * shape[axis] + source) * inner + idx);
        fitted.set((block * num_rows + row) * inner + idx, value);
      }
    }
  }
  return fitted;
}

std::vector<int64_t> fitted_rows(int64_t old_count, int64_t count) {
  std::vector<int64_t> from(static_cast<size_t>(count), kNewRow);
  for (int64_t row = 0; row < std::min(old_count, count); ++row) {
    from[static_cast<size_t>(row)] = row;
  }
  return from;
}

void set_shape(Tensor& tensor, const Dims& shape, bool was_compact) {
  tensor.shape = shape;
  if (was_compact) tensor.strides = compact_strides(shape);
}

}  // namespace

void arrange_rows(Case& c, int dim, const std::vector<int64_t>& from) {
  for (size_t i = 0; i < c.tensors.size(); ++i) {
    const TensorSpec& spec = c.op->tensors[i];
    Tensor& tensor = c.tensors[i];
    const bool was_compact = is_compact(tensor);
    Dims shape = tensor.shape;
    for (int axis = 0; axis < shape.rank(); ++axis) {
      if (spec.shape[static_cast<size_t>(axis)].dim != dim) continue;
      if (spec.role == Role::kInput && tensor.present) {
        for_each_values(c, i, [&](Elements& values) {
          values = arranged(values, shape, axis, from, spec.simplest);
        });
      }
      shape[axis] = static_cast<int64_t>(from.size());
    }
    set_shape(tensor, shape, was_compact);
  }
  c.dims[static_cast<size_t>(dim)] = static_cast<int64_t>(from.size());
  reshape_tensors(c);
}

void reshape_tensors(Case& c) {
  for (size_t i = 0; i < c.tensors.size(); ++i) {
    const TensorSpec& spec = c.op->tensors[i];
    Tensor& tensor = c.tensors[i];
    const bool was_compact = is_compact(tensor);
    const Dims wanted = shape_of(c, static_cast<int>(i));
    Dims shape = tensor.shape;
    if (spec.role == Role::kInput && tensor.present) {
      for (int axis = 0; axis < shape.rank(); ++axis) {
        if (shape[axis] == wanted[axis]) continue;
        const std::vector<int64_t> from = fitted_rows(shape[axis], wanted[axis]);
        for_each_values(c, i, [&](Elements& values) {
          values = arranged(values, shape, axis, from, spec.simplest);
        });
        shape[axis] = wanted[axis];
      }
    }
    set_shape(tensor, wanted, was_compact);
  }
}

}  // namespace bytegate
