#include "fuzz/testing/hostile_case.h"

#include <algorithm>
#include <stdexcept>

#include "oracles/paged_mqa_metadata.h"
#include "properties/check.h"

namespace bytegate {
namespace {

bool has_elements(const Tensor& tensor) {
  return tensor.present && num_elements(tensor.shape).value_or(0) > 0;
}

// Layouts in memory, not addresses without pages.
bool is_small(const Case& c) {
  constexpr int64_t kMaxExtent = 4096;
  return std::all_of(c.tensors.begin(), c.tensors.end(), [](const Tensor& tensor) {
    return !tensor.present ||
           extent_elements(tensor.shape, tensor.strides).value_or(INT64_MAX) <= kMaxExtent;
  });
}

// What a candidate does to the first or last element must count.
bool states_its_ends(const Case& c, int tensor) {
  const TensorSpec& spec = c.op->tensors[static_cast<size_t>(tensor)];
  if (spec.mask == nullptr) return true;
  const Dims written = written_shape(c, tensor);
  std::vector<uint8_t> stated(static_cast<size_t>(num_elements(written).value_or(0)), 1);
  spec.mask(c, stated);
  return !stated.empty() && stated.front() != 0 && stated.back() != 0;
}

}  // namespace

Case case_with_tensor(const OpProperties& properties, int tensor) {
  constexpr uint64_t kMaxDrawn = 20000;
  for (uint64_t i = 0; i < kMaxDrawn; ++i) {
    Draw draw(case_seed(4, i));
    Case c = properties.generate(draw);
    c.later_steps.clear();
    c.mode = Mode::kPlain;
    const Tensor& chosen = c.tensors[static_cast<size_t>(tensor)];
    const bool whole = written_shape(c, tensor) == chosen.shape;
    if (!is_small(c) || !has_elements(chosen) || !whole || !states_its_ends(c, tensor)) continue;
    if (!invalid_reason(c)) return c;
  }
  throw std::runtime_error("no small case has " +
                           std::string(properties.op->tensors[static_cast<size_t>(tensor)].name));
}

Case case_with_workspace() {
  Case c = make_paged_mqa_metadata_case({700, 0, 256, 1}, 4);
  c.forced_path = "multi_block";
  return c;
}

std::string origin_of_runs(const Case& c, Hostility hostility, int tensor,
                           const BackendOptions& options) {
  const OpProperties& properties = *find_properties(all_properties(), *c.op);
  std::string first;
  for (int run = 0; run < kHostileRuns; ++run) {
    const MadeBackend made = make_isolated_host_backend(options);
    if (made.backend == nullptr) return made.absent_reason;
    const std::unique_ptr<Candidate> candidate = open_hostile(hostility, tensor);
    const Verdict verdict = check({&c, 1}, *candidate, *made.backend, properties).front();
    if (run == 0) first = verdict.origin;
    if (verdict.origin != first) return first + " and then " + verdict.origin;
  }
  return first;
}

}  // namespace bytegate
