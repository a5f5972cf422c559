#include "fuzz/bare_cases.h"

#include <stdexcept>

namespace bytegate {
namespace {

Case drawn_case(const OpProperties& properties, uint64_t seed, uint64_t draw_idx) {
  Draw draw(case_seed(seed, draw_idx));
  return properties.generate(draw);
}

}  // namespace

bool fits_bare(const Case& c) {
  int64_t bytes = 0;
  for (const Tensor& tensor : c.tensors) {
    if (!tensor.present) continue;
    const std::optional<int64_t> extent = extent_elements(tensor.shape, tensor.strides);
    const int64_t size = static_cast<int64_t>(dtype_bytes(tensor.dtype));
    if (!extent || *extent > (kMaxBareBytes - bytes) / size) return false;
    bytes += *extent * size;
  }
  return true;
}

BareCases::BareCases(const OpProperties& properties, const LoadedCases& loaded, BackendKind backend,
                     uint64_t seed)
    : properties_(properties), loaded_(loaded), seed_(seed) {
  for (size_t i = 0; i < loaded.cases.size(); ++i) {
    const Case& c = loaded.cases[i];
    if (c.op != properties.op || !runs_on(c, backend)) continue;
    if (fits_bare(c)) {
      kept_.push_back(i);
    } else {
      ++num_too_large_;
    }
  }
}

BareCases::Numbered BareCases::at(int64_t number) {
  if (number < num_kept()) {
    const size_t place = kept_[static_cast<size_t>(number)];
    return {loaded_.cases[place], source_of_path(loaded_.files[place]), loaded_.files[place]};
  }
  constexpr uint64_t kMaxUnfit = 10000;  // in a row
  const size_t place = static_cast<size_t>(number - num_kept());
  uint64_t num_unfit = 0;
  while (drawn_.size() <= place) {
    Case c = drawn_case(properties_, seed_, next_draw_++);
    if (!fits_bare(c)) {
      if (++num_unfit > kMaxUnfit) throw std::runtime_error("no generated case is small enough");
      continue;
    }
    num_unfit = 0;
    drawn_.push_back(next_draw_ - 1);
    if (drawn_.size() == place + 1) return {std::move(c), kGeneratedSource, ""};
  }
  return {drawn_case(properties_, seed_, drawn_[place]), kGeneratedSource, ""};
}

}  // namespace bytegate
