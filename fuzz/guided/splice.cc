#include <algorithm>

#include "fuzz/guided/case_rows.h"
#include "fuzz/guided/case_size.h"
#include "fuzz/guided/mutator.h"

namespace bytegate {
namespace {

class Splicer {
 public:
  Splicer(Case& c, const Case& other, Draw& draw, const CaseBytesLimits& limits)
      : c_(c), other_(other), op_(*c.op), draw_(draw), limits_(limits) {}

  void splice() {
    switch (draw_.between(0, 3)) {
      case 0:
        return take_scalars();
      case 1:
        return take_launch();
      case 2:
        return take_elements();
      default:
        return append_rows();
    }
  }

 private:
  void take_scalars() {
    const std::vector<int64_t> before = c_.scalars;
    for (size_t i = 0; i < c_.scalars.size(); ++i) {
      if (draw_.one_in(2)) c_.scalars[i] = other_.scalars[i];
    }
    if (!fits(size_of(c_), limits_)) c_.scalars = before;
    reshape_tensors(c_);
  }

  void take_launch() {
    c_.mode = other_.mode;
    c_.forced_path = other_.forced_path;
    c_.seed = other_.seed;
    c_.call_faults = other_.call_faults;
  }

  // The values of one input, from wherever they begin to fit.
  void take_elements() {
    const size_t i =
        static_cast<size_t>(draw_.between(0, static_cast<int64_t>(op_.tensors.size()) - 1));
    copy(i, 0);
  }

  void copy(size_t i, int64_t first) {
    Elements& values = c_.tensors[i].elements;
    const Elements& taken = other_.tensors[i].elements;
    const int64_t low = dtype_min(values.dtype());
    const int64_t high = dtype_max(values.dtype());
    const int64_t count = std::min(values.size() - first, taken.size());
    for (int64_t idx = 0; idx < count; ++idx) {
      values.set(first + idx, std::clamp(taken.at(idx), low, high));
    }
  }

  // Those of the other one behind, or between, its own.
  void append_rows() {
    if (op_.dims.empty()) return;
    const size_t dim =
        static_cast<size_t>(draw_.between(0, static_cast<int64_t>(op_.dims.size()) - 1));
    const int64_t now = c_.dims[dim];
    c_.dims[dim] = now + other_.dims[dim];
    const bool fitting = fits(size_of(c_), limits_);
    c_.dims[dim] = now;
    if (!fitting) return;
    std::vector<int64_t> from;
    for (int64_t row = 0; row < now + other_.dims[dim]; ++row) {
      from.push_back(row < now ? row : kNewRow);
    }
    arrange_rows(c_, static_cast<int>(dim), from);
    for (size_t i = 0; i < op_.tensors.size(); ++i) {
      // Where rows are the first axis, the new ones are the last elements.
      if (op_.tensors[i].shape.empty() || op_.tensors[i].shape[0].dim != static_cast<int>(dim))
        continue;
      if (!c_.tensors[i].present || !other_.tensors[i].present || now + other_.dims[dim] == 0)
        continue;
      copy(i, c_.tensors[i].elements.size() / (now + other_.dims[dim]) * now);
    }
  }

  Case& c_;
  const Case& other_;
  const Op& op_;
  Draw& draw_;
  const CaseBytesLimits& limits_;
};

}  // namespace

MutatedCase spliced(MutatedCase from, const Case& other, Draw& draw,
                    const CaseBytesLimits& limits) {
  Splicer(from.c, other, draw, limits).splice();
  return from;
}

}  // namespace bytegate
