#include "fuzz/guided/case_size.h"

#include <algorithm>
#include <unordered_map>

namespace bytegate {
namespace {

constexpr int64_t kSaturated = int64_t{1} << 62;

int64_t saturating_count(const Dims& shape) {
  return std::min(num_elements(shape).value_or(kSaturated), kSaturated);
}

int64_t halfway(int64_t value, int64_t simplest) {
  // Neither difference overflows: a value beyond half of the range is first cut to it.
  const int64_t bounded = std::clamp<int64_t>(value, -kSaturated, kSaturated);
  return simplest + (bounded - simplest) / 2;
}

// How far beyond the limits; the sum so that halving either part is progress.
int64_t total(const CaseSize& size) {
  return std::min(size.inputs, kSaturated / 2) + std::min(size.outputs, kSaturated / 2);
}

// Tries one change at a time and keeps the one that makes the case smallest.
class Shrinker {
 public:
  Shrinker(Case& c, const std::vector<int>& needed_by, std::vector<int64_t>& spare)
      : case_(c), needed_by_(needed_by), spare_(spare) {}

  // False: nothing makes it smaller.
  bool step() {
    best_ = total(size_of(case_));
    int64_t* chosen = nullptr;
    int64_t chosen_value = 0;
    const auto offer = [&](int64_t& place, int64_t value) {
      if (value == place) return;
      const int64_t before = place;
      place = value;
      widen_dims(case_, needed_by_, spare_);
      const int64_t reached = total(size_of(case_));
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
      offer(place, halfway(place, needed_by_[i] < 0 ? op.dims[i].min : 0));
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
  int64_t best_ = 0;
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
    const Presence presence = presence_of(spec, c);
    const bool present = presence == Presence::kRequired || c.tensors[i].present;
    if (!present) continue;
    int64_t& sum = spec.role == Role::kInput ? size.inputs : size.outputs;
    sum = std::min(sum + saturating_count(shape_of(c, static_cast<int>(i))), kSaturated);
  }
  return size;
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
    const int64_t before = total(size_of(c));
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
      if (total(size_of(moved)) < total(size_of(c))) c = std::move(moved);
    }
    if (total(size_of(c)) >= before) return;
  }
}

void bound_strides(Tensor& tensor, const CaseBytesLimits& limits) {
  // What is mapped page by page, in system calls, is kept to a few pages.
  constexpr int64_t kMaxScattered = 256;
  constexpr int64_t kMinScatteredReach = (int64_t{16} << 20) / 4;
  const int64_t held = num_elements(tensor.shape).value_or(kSaturated);
  const int64_t reach = extent_elements(tensor.shape, tensor.strides).value_or(kSaturated);
  if (reach <= 8 * limits.max_elements) return;
  constexpr int64_t kMaxReach = INT64_MAX / 32;
  if (held <= kMaxScattered && reach >= kMinScatteredReach && reach < kMaxReach) return;
  tensor.strides = compact_strides(tensor.shape);
}

void unify_aliases(const Tensor& layout, Elements& elements) {
  std::unordered_map<int64_t, int64_t> held;
  for (int64_t idx = 0; idx < elements.size(); ++idx) {
    const int64_t offset = element_offset(layout.shape, layout.strides, idx);
    elements.set(idx, held.try_emplace(offset, elements.at(idx)).first->second);
  }
}

}  // namespace bytegate
