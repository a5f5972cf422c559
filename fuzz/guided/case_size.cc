#include "fuzz/guided/case_size.h"

#include <algorithm>
#include <unordered_map>

namespace bytegate {
namespace {

constexpr int64_t kSaturated = int64_t{1} << 62;

// An extent of 0 counts as 1: what lies beside it has to be a sane number, too.
int64_t saturating_count(Dims shape) {
  for (int axis = 0; axis < shape.rank(); ++axis) shape[axis] = std::max<int64_t>(shape[axis], 1);
  return std::min(num_elements(shape).value_or(kSaturated), kSaturated);
}

int64_t halfway(int64_t value, int64_t simplest) {
  // Neither difference overflows: a value beyond half of the range is first cut to it.
  const int64_t bounded = std::clamp<int64_t>(value, -kSaturated, kSaturated);
  return simplest + (bounded - simplest) / 2;
}

bool is_there(const Case& c, size_t tensor) {
  return c.tensors[tensor].present || presence_of(c.op->tensors[tensor], c) == Presence::kRequired;
}

// Where there is no element, strides are still numbers of a sane size.
int64_t reach_of(const Tensor& tensor) {
  Dims shape = tensor.shape;
  for (int axis = 0; axis < shape.rank(); ++axis) shape[axis] = std::max<int64_t>(shape[axis], 1);
  return extent_elements(shape, tensor.strides).value_or(kSaturated);
}

// Elements of inputs and outputs: what halving makes less of, however many they are.
double total(const Case& c) {
  double sum = 0;
  for (size_t i = 0; i < c.tensors.size(); ++i) {
    if (!is_there(c, i)) continue;
    double count = 1;
    for (const int64_t extent : shape_of(c, static_cast<int>(i))) {
      count *= static_cast<double>(std::max<int64_t>(extent, 1));
    }
    sum += count;
  }
  return sum;
}

// Tries one change at a time and keeps the one that makes the case smallest.
class Shrinker {
 public:
  Shrinker(Case& c, const std::vector<int>& needed_by, std::vector<int64_t>& spare)
      : case_(c), needed_by_(needed_by), spare_(spare) {}

  // False: nothing makes it smaller.
  bool step() {
    best_ = total(case_);
    int64_t* chosen = nullptr;
    int64_t chosen_value = 0;
    const auto offer = [&](int64_t& place, int64_t value) {
      if (value == place) return;
      const int64_t before = place;
      place = value;
      widen_dims(case_, needed_by_, spare_);
      const double reached = total(case_);
      place = before;
      if (reached >= best_) return;
      best_ = reached;
      chosen = &place;
      chosen_value = value;
    };
    const Op& op = *case_.op;
    for (size_t i = 0; i < op.scalars.size(); ++i) {
      if (!op.scalars[i].symbols.empty()) continue;
      offer(case_.scalars[i], halfway(case_.scalars[i], op.scalars[i].simplest));
    }
    for (size_t i = 0; i < op.dims.size(); ++i) {
      int64_t& place = needed_by_[i] < 0 ? case_.dims[i] : spare_[i];
      // Not to none: that would make everything else none, and so the best of all cuts.
      const int64_t least = needed_by_[i] < 0 ? std::max<int64_t>(op.dims[i].min, 1) : 0;
      if (place > least) offer(place, halfway(place, least));
    }
    if (chosen == nullptr) return false;
    *chosen = chosen_value;
    widen_dims(case_, needed_by_, spare_);
    return true;
  }

 private:
  Case& case_;
  const std::vector<int>& needed_by_;
  std::vector<int64_t>& spare_;
  double best_ = 0;
};

template <typename Change>
void for_each_values(Case& c, size_t tensor, Change&& change) {
  change(c.tensors[tensor].elements);
  for (Step& step : c.later_steps) {
    for (Step::Change& later : step.changes) {
      if (later.tensor == static_cast<int>(tensor)) change(later.elements);
    }
  }
}

}  // namespace

CaseSize size_of(const Case& c) {
  CaseSize size;
  for (size_t i = 0; i < c.tensors.size(); ++i) {
    const TensorSpec& spec = c.op->tensors[i];
    if (!is_there(c, i)) continue;
    int64_t& sum = spec.role == Role::kInput ? size.inputs : size.outputs;
    sum = std::min(sum + saturating_count(shape_of(c, static_cast<int>(i))), kSaturated);
  }
  return size;
}

int64_t cost_of(const Case& c) {
  const CaseSize size = size_of(c);
  int64_t cost = 0;
  const bool beyond = __builtin_mul_overflow(size.inputs + size.outputs,
                                             static_cast<int64_t>(c.later_steps.size()) + 1, &cost);
  return beyond ? kSaturated : std::min(cost, kSaturated);
}

bool fits(const CaseSize& size, const CaseBytesLimits& limits) {
  return size.inputs <= limits.max_elements && size.outputs <= limits.max_elements;
}

std::vector<int> outputs_that_need(const Op& op) {
  std::vector<int> needed_by(op.dims.size(), -1);
  for (size_t i = 0; i < op.tensors.size(); ++i) {
    const TensorSpec& spec = op.tensors[i];
    if (spec.columns_written == nullptr || spec.shape.empty()) continue;
    const int dim = spec.shape.back().dim;
    if (dim >= 0) needed_by[static_cast<size_t>(dim)] = static_cast<int>(i);
  }
  for (const TensorSpec& spec : op.tensors) {
    if (spec.role != Role::kInput) continue;
    for (const Extent& extent : spec.shape) {
      if (extent.dim >= 0) needed_by[static_cast<size_t>(extent.dim)] = -1;
    }
  }
  return needed_by;
}

void widen_dims(Case& c, const std::vector<int>& needed_by, const std::vector<int64_t>& spare) {
  for (size_t i = 0; i < c.dims.size(); ++i) {
    if (needed_by[i] < 0) continue;
    const TensorSpec& spec = c.op->tensors[static_cast<size_t>(needed_by[i])];
    const int64_t needed = std::clamp<int64_t>(spec.columns_written(c), 0, INT32_MAX);
    c.dims[i] = std::clamp<int64_t>(needed + spare[i], 0, c.op->dims[i].max);
  }
}

void shrink_to_limits(Case& c, const std::vector<int>& needed_by, std::vector<int64_t>& spare,
                      const CaseBytesLimits& limits) {
  Shrinker shrinker(c, needed_by, spare);
  while (!fits(size_of(c), limits)) {
    if (!shrinker.step()) break;
  }
}

void shrink_elements_to_limits(Case& c, const CaseBytesLimits& limits) {
  if (c.op->settle == nullptr) return;
  while (!fits(size_of(c), limits)) {
    const double before = total(c);
    for (size_t i = 0; i < c.tensors.size(); ++i) {
      const TensorSpec& spec = c.op->tensors[i];
      if (spec.role != Role::kInput || !c.tensors[i].present) continue;
      Case moved = c;
      for_each_values(moved, i, [&](Elements& values) {
        for (int64_t idx = 0; idx < values.size(); ++idx) {
          values.set(idx, halfway(values.at(idx), spec.simplest));
        }
      });
      moved.op->settle(moved);
      if (total(moved) < total(c)) c = std::move(moved);
    }
    if (total(c) >= before) return;
  }
}

void bound_reach(Tensor& tensor, const CaseBytesLimits& limits) {
  if (reach_of(tensor) > 8 * limits.max_elements) tensor.strides = compact_strides(tensor.shape);
}

void bound_strides(Tensor& tensor, const CaseBytesLimits& limits) {
  // What is mapped page by page, in system calls, is kept to a few pages.
  constexpr int64_t kMaxScattered = 256;
  constexpr int64_t kMinScatteredReach = (int64_t{16} << 20) / 4;
  // Beyond offsets of 32 bits; looking for stray pages takes longer the more there are.
  constexpr int64_t kMaxReach = int64_t{9} << 29;
  const int64_t reach = reach_of(tensor);
  const bool scattered = saturating_count(tensor.shape) <= kMaxScattered;
  if (scattered && reach >= kMinScatteredReach && reach < kMaxReach) return;
  bound_reach(tensor, limits);
}

void unify_aliases(const Tensor& layout, Elements& elements) {
  std::unordered_map<int64_t, int64_t> held;
  for (int64_t idx = 0; idx < elements.size(); ++idx) {
    const int64_t offset = element_offset(layout.shape, layout.strides, idx);
    elements.set(idx, held.try_emplace(offset, elements.at(idx)).first->second);
  }
}

}  // namespace bytegate
