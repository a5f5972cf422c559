#include "fuzz/choose_mode.h"

#include <algorithm>

namespace bytegate {
namespace {

int64_t one_in(const ModeSpec& spec, BackendKind backend) {
  return backend == BackendKind::kCuda ? spec.cuda_one_in : spec.host_one_in;
}

bool leaves_strides_open(const Op& op) {
  return std::any_of(op.tensors.begin(), op.tensors.end(), [](const TensorSpec& spec) {
    return std::find(spec.strided.begin(), spec.strided.end(), true) != spec.strided.end();
  });
}

}  // namespace

bool has_mode(const Op& op, Mode mode, BackendKind backend) {
  const ModeSpec& spec = mode_spec(mode);
  if (spec.plan.captured) return backend == BackendKind::kCuda;
  if (one_in(spec, backend) == 0) return false;
  return !spec.plan.widened || leaves_strides_open(op);
}

void choose_mode(Case& c, BackendKind backend, Draw& draw) {
  if (c.mode != Mode::kPlain) return;
  for (const ModeSpec& spec : kModes) {
    // Drawn for every entry, so that a mode of one operation moves no case of another.
    const int64_t n = one_in(spec, backend);
    const bool chosen = n > 0 && draw.one_in(n);
    if (!chosen || !has_mode(*c.op, spec.mode, backend)) continue;
    c.mode = spec.mode;
    return;
  }
}

}  // namespace bytegate
