#include "fuzz/guided/mutator.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>
#include <vector>

#include "fuzz/guided/case_bytes_format.h"
#include "fuzz/guided/case_rows.h"
#include "fuzz/guided/case_size.h"
#include "fuzz/guided/element_changes.h"
#include "fuzz/guided/row_choice.h"
#include "fuzz/guided/tensor_changes.h"

namespace bytegate {
namespace {

class Mutator {
 public:
  Mutator(MutatedCase& from, const Hints& hints, Draw& draw, const CaseBytesLimits& limits)
      : c_(from.c),
        form_(from.form),
        op_(*from.c.op),
        draw_(draw),
        limits_(limits),
        interesting_(c_, hints, draw),
        tensors_(c_, interesting_, draw, limits) {}

  void mutate() {
    // Most that is broken is mended again, so that one break does not hide behind another.
    if (form_.byte() != 0 && draw_.one_in(3)) {
      form_ = {};
      c_.call_faults.clear();
    }
    if (!draw_.one_in(8)) make_cheap();
    if (draw_.one_in(4)) tensors_.compact_wide_strides();
    if (draw_.one_in(4)) open_dims();
    const int64_t num_changes = draw_.one_in(3) ? draw_.between(2, 4) : 1;
    for (int64_t i = 0; i < num_changes; ++i) change();
  }

 private:
  void change() {
    const int64_t kind = draw_.between(0, 32);
    if (kind < 4) return change_scalar();
    if (kind < 9) return change_rows();
    switch (kind) {
      case 9:
        return tensors_.change_presence();
      case 10:
        return tensors_.change_dtype();
      case 11:
      case 12:
        return tensors_.change_strides();
      case 13:
      case 14:
        return change_steps();
      case 15:
        c_.mode = ModeList(op_).of_byte(static_cast<uint8_t>(draw_.between(0, 127)));
        return;
      case 16:
        c_.seed = draw_.one_in(2) ? 0 : draw_.bits() >> 8;
        return;
      case 17:
        return change_path();
      case 18:
      case 19:
        return break_a_rule();
      default:
        return change_elements();
    }
  }

  // Large cases take long. What one of them leads to, a part of it mostly leads to as well.
  void make_cheap() {
    constexpr CaseBytesLimits kCheap = {.max_elements = 512};
    if (form_.raw_call || cost_of(c_) <= 4 * kCheap.max_elements) return;
    if (c_.later_steps.size() > 2) c_.later_steps.resize(2);
    reshape_within(kCheap);
  }

  // Where one dimension is empty, rows of another may be rows of nothing: all of them get some.
  void open_dims() {
    for (size_t dim = 0; dim < c_.dims.size(); ++dim) {
      constexpr int64_t kMost = 8;
      if (c_.dims[dim] > 0 || rows_that_fit(static_cast<int>(dim)) < kMost) continue;
      const auto count = static_cast<size_t>(draw_.between(1, kMost));
      arrange_rows(c_, static_cast<int>(dim), std::vector<int64_t>(count, kNewRow));
    }
  }

  size_t index_below(size_t count) {
    return static_cast<size_t>(draw_.between(0, static_cast<int64_t>(count) - 1));
  }

  void change_scalar() {
    if (op_.scalars.empty()) return;
    const size_t scalar = index_below(op_.scalars.size());
    const ScalarSpec& spec = op_.scalars[scalar];
    const int64_t value = interesting_.scalar(spec, c_.scalars[scalar]);
    c_.scalars[scalar] = form_.raw_call ? value : std::clamp(value, spec.min, spec.max);
    reshape_within(limits_);
  }

  void reshape_within(const CaseBytesLimits& limits) {
    if (!form_.raw_call) {
      const std::vector<int> needed_by = outputs_that_need(op_);
      std::vector<int64_t> spare(op_.dims.size(), 0);
      shrink_to_limits(c_, needed_by, spare, limits);
    }
    if (fits(size_of(c_), limits)) return reshape_tensors(c_);
    c_ = make_case(op_);
  }

  // The choice of rows along one dimension.
  void change_rows() {
    if (op_.dims.empty()) return;
    const size_t dim = index_below(op_.dims.size());
    const DimSpec& spec = op_.dims[dim];
    const int64_t now = c_.dims[dim];
    const int64_t most = std::min(spec.max, now + rows_that_fit(static_cast<int>(dim)));
    // A dimension of absent tensors only may be anything.
    if (most < spec.min || now > limits_.max_elements) return;
    std::vector<int64_t> from(static_cast<size_t>(now));
    std::iota(from.begin(), from.end(), 0);
    if (now > 1 && draw_.one_in(3)) {
      permute_rows(from, draw_);
    } else {
      const int64_t count = std::clamp(interesting_.num_rows(now, most), spec.min, most);
      resize_rows(from, count, draw_);
    }
    const size_t kept = static_cast<size_t>(now);
    arrange_rows(c_, static_cast<int>(dim), from);
    if (from.size() > kept && draw_.one_in(2)) change_elements();
  }

  // As many as the limits leave room for.
  int64_t rows_that_fit(int dim) {
    int64_t per_row = 1;
    for (size_t i = 0; i < c_.tensors.size(); ++i) {
      int64_t inner = 1;
      bool has_dim = false;
      for (int axis = 0; axis < c_.tensors[i].shape.rank(); ++axis) {
        const bool same = op_.tensors[i].shape[static_cast<size_t>(axis)].dim == dim;
        has_dim = has_dim || same;
        if (!same) inner *= std::clamp<int64_t>(c_.tensors[i].shape[axis], 1, limits_.max_elements);
        inner = std::min(inner, limits_.max_elements);
      }
      if (has_dim) per_row += inner;
    }
    const CaseSize size = size_of(c_);
    const int64_t room = limits_.max_elements - std::max(size.inputs, size.outputs);
    return std::max<int64_t>(room, 0) / per_row;
  }

  void change_elements() {
    const int tensor = tensors_.some([](const TensorSpec& spec, const Tensor& candidate) {
      return spec.role == Role::kInput && candidate.present && candidate.elements.size() > 0;
    });
    if (tensor < 0) return;
    Elements& values = values_of_some_step(tensor);
    changes_of(static_cast<size_t>(tensor)).change(values, some_modulus());
  }

  ElementChanges changes_of(size_t tensor) {
    using enum ElementChanges::Values;
    return {op_.tensors[tensor], c_.tensors[tensor].shape,
            form_.raw_elements ? kOfDType : kOfContract, interesting_, draw_};
  }

  // What a total is to be a multiple of.
  int64_t some_modulus() {
    return std::max<int64_t>(draw_.one_in(4) || c_.scalars.empty()
                                 ? interesting_.unit()
                                 : c_.scalars[index_below(c_.scalars.size())],
                             1);
  }

  Elements& values_of_some_step(int tensor) {
    if (!c_.later_steps.empty() && draw_.one_in(2)) {
      Step& step = c_.later_steps[index_below(c_.later_steps.size())];
      for (Step::Change& change : step.changes) {
        if (change.tensor == tensor) return change.elements;
      }
    }
    return c_.tensors[static_cast<size_t>(tensor)].elements;
  }

  void change_steps() {
    constexpr size_t kMaxSteps = 6;
    if (!c_.later_steps.empty() && (draw_.one_in(2) || c_.later_steps.size() >= kMaxSteps)) {
      c_.later_steps.erase(c_.later_steps.begin() +
                           static_cast<int64_t>(index_below(c_.later_steps.size())));
      return;
    }
    Step step;
    for (size_t i = 0; i < c_.tensors.size(); ++i) {
      if (op_.tensors[i].role != Role::kInput || !c_.tensors[i].present) continue;
      if (draw_.one_in(3)) continue;
      Elements values = c_.tensors[i].elements;
      if (values.size() > 0) {
        changes_of(i).change(values, some_modulus());
      }
      step.changes.push_back({.tensor = static_cast<int>(i), .elements = std::move(values)});
    }
    c_.later_steps.push_back(std::move(step));
  }

  void change_path() {
    const size_t path = index_below(op_.paths.size() + 1);
    c_.forced_path = path == 0 ? "" : std::string(op_.paths[path - 1]);
  }

  // Exactly one thing that is outside the contract, in a case that else is inside.
  void break_a_rule() {
    const size_t tensor = index_below(op_.tensors.size());
    const size_t other = index_below(op_.tensors.size());
    switch (draw_.between(0, 8)) {
      case 0:
      case 1:
        c_.call_faults = {{.kind = CallFaultKind::kNull, .tensor = static_cast<int>(tensor)}};
        return;
      case 2:
        c_.call_faults = {{.kind = CallFaultKind::kOverlap,
                           .tensor = static_cast<int>(tensor),
                           .other = static_cast<int>(other)}};
        return;
      case 3:
        c_.call_faults = {{.kind = CallFaultKind::kShortWorkspace}};
        return;
      case 4:
        form_.raw_call = true;
        return break_scalar();
      case 5:
        form_.raw_call = true;
        if (draw_.one_in(2) && c_.tensors[tensor].present) {
          return tensors_.set_dtype(
              tensor, c_.tensors[tensor].dtype == DType::kInt32 ? DType::kInt64 : DType::kInt32);
        }
        return tensors_.toggle(tensor);
      case 6:
        form_.raw_call = true;
        return break_size();
      case 7:
        form_.raw_call = true;
        return break_stride(c_.tensors[tensor]);
      default:
        form_.raw_call = true;
        form_.raw_elements = true;
        return change_elements();
    }
  }

  void break_scalar() {
    if (op_.scalars.empty()) return;
    const size_t scalar = index_below(op_.scalars.size());
    const ScalarSpec& spec = op_.scalars[scalar];
    const std::array<int64_t, 5> outside = {wrapping_sum(spec.min, -1), wrapping_sum(spec.max, 1),
                                            INT64_MIN, INT64_MAX,
                                            wrapping_sum(c_.scalars[scalar], 1)};
    c_.scalars[scalar] = draw_.among(std::span<const int64_t>(outside));
    if (fits(size_of(c_), limits_)) reshape_tensors(c_);
  }

  void break_size() {
    if (c_.dims.empty()) return;
    int64_t& rows = c_.dims[index_below(c_.dims.size())];
    rows = std::max<int64_t>(rows + (draw_.one_in(2) ? 1 : -1), 0);
    if (fits(size_of(c_), limits_)) reshape_tensors(c_);
  }

  // None at all, one less than it takes, or any.
  void break_stride(Tensor& layout) {
    if (!layout.present || layout.shape.rank() == 0) return;
    int64_t& stride = layout.strides[static_cast<int>(draw_.between(0, layout.shape.rank() - 1))];
    const std::array<int64_t, 3> broken = {0, std::max<int64_t>(stride - 1, 0),
                                           tensors_.some_stride(stride)};
    stride = draw_.among(std::span<const int64_t>(broken));
  }

  Case& c_;
  CaseForm& form_;
  const Op& op_;
  Draw& draw_;
  const CaseBytesLimits& limits_;
  Interesting interesting_;
  TensorChanges tensors_;
};

}  // namespace

MutatedCase mutated(MutatedCase from, const Hints& hints, Draw& draw,
                    const CaseBytesLimits& limits) {
  Mutator(from, hints, draw, limits).mutate();
  return from;
}

}  // namespace bytegate
