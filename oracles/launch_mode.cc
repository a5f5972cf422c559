#include "oracles/launch_mode.h"

#include <algorithm>

#include "oracles/case.h"

namespace bytegate {
namespace {

// Wider tensors keep their layout: what they would take is memory, not another way to be wrong.
constexpr int64_t kMaxWidened = int64_t{1} << 22;

// Strides of the tensor at `idx`, or nothing where the description leaves none open.
std::optional<Dims> wide_strides(const TensorSpec& spec, const Tensor& tensor, int64_t idx) {
  const Dims compact = compact_strides(tensor.shape);
  Dims strides = tensor.strides;
  bool any_open = false;
  int64_t inner = 1;  // how far the axes behind this one reach
  for (int axis = tensor.shape.rank() - 1; axis >= 0; --axis) {
    const bool open =
        static_cast<size_t>(axis) < spec.strided.size() && spec.strided[static_cast<size_t>(axis)];
    if (!open && any_open) return std::nullopt;
    strides[axis] = open ? inner + 1 + (idx + axis) % 5 : compact[axis];
    any_open = any_open || open;
    inner = strides[axis] * std::max<int64_t>(tensor.shape[axis], 1);
    if (inner > kMaxWidened) return std::nullopt;
  }
  if (!any_open) return std::nullopt;
  return strides;
}

}  // namespace

std::vector<size_t> launched_steps(const Case& c) {
  const LaunchPlan& plan = mode_spec(c.mode).plan;
  std::vector<size_t> steps;
  for (size_t step = 0; step <= c.later_steps.size(); ++step) {
    steps.push_back(step);
    if (plan.launched_again) steps.push_back(step);
  }
  if (plan.captured && !c.later_steps.empty()) steps.push_back(0);
  return steps;
}

void widen_strides(Case& c) {
  // It may be the layout that is to be refused.
  if (c.expect == Expect::kRefused) return;
  for (size_t i = 0; i < c.tensors.size(); ++i) {
    Tensor& tensor = c.tensors[i];
    if (!tensor.present || tensor.shape.rank() == 0) continue;
    if (num_elements(tensor.shape).value_or(kMaxWidened) >= kMaxWidened) continue;
    if (auto wide = wide_strides(c.op->tensors[i], tensor, static_cast<int64_t>(i))) {
      tensor.strides = *wide;
    }
  }
}

}  // namespace bytegate
