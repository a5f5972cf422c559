#include "properties/spoil.h"

#include <algorithm>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

namespace bytegate {
namespace {

// Of a larger tensor no more than so many elements are drawn anew.
constexpr int64_t kMaxSpoiled = 2048;
constexpr uint64_t kApart = 0x5bd1e9955bd1e995ULL;

int64_t wrapping_add(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}

bool is_outside(const TensorSpec& spec, int64_t value) {
  return value < spec.min_value || value > spec.max_value;
}

// What values of one input are replaced by.
class Hostile {
 public:
  Hostile(const Case& c, size_t tensor, DType dtype) : dtype_(dtype) {
    const TensorSpec& spec = c.op->tensors[tensor];
    add(dtype_min(dtype));
    add(dtype_max(dtype));
    // The edges of an index or a length that is cut to 32 bits, and of what is taken as unsigned.
    for (const int64_t edge : {int64_t{INT32_MIN}, int64_t{INT32_MAX}, int64_t{UINT32_MAX}}) {
      for (const int64_t step : {-1, 0, 1}) add(edge + step);
    }
    for (const int64_t value : {-1, -2, -255, -256, -257, 0, 1, 255, 256, 257}) add(value);
    if (spec.min_value > dtype_min(dtype)) add(spec.min_value - 1);
    if (spec.max_value < dtype_max(dtype)) add(spec.max_value + 1);
    // What counts something is what an index must stay below.
    for (const int64_t dim : c.dims) {
      for (const int64_t step : {-1, 0, 1}) add(dim + step);
      add(-dim);
    }
    for (const int64_t value : values_) {
      if (is_outside(spec, value)) outside_.push_back(value);
    }
  }

  int64_t draw(int64_t now, Draw& draw) const {
    switch (draw.between(0, 7)) {
      case 0:
        return cut(static_cast<int64_t>(draw.bits()));
      case 1:
        return cut(static_cast<int64_t>(draw.bits() & UINT32_MAX));
      case 2:
        return cut(wrapping_add(now, now));
      case 3:
        return cut(wrapping_add(now, draw.one_in(2) ? 1 : -1));
      case 4:
      case 5:
        return draw.among(std::span(outside_.empty() ? values_ : outside_));
      default:
        return draw.among(std::span(values_));
    }
  }

 private:
  void add(int64_t value) {
    if (value >= dtype_min(dtype_) && value <= dtype_max(dtype_)) values_.push_back(value);
  }
  [[nodiscard]] int64_t cut(int64_t value) const {
    return dtype_ == DType::kInt32 ? int64_t{static_cast<int32_t>(value)} : value;
  }

  DType dtype_;
  std::vector<int64_t> values_;
  std::vector<int64_t> outside_;  // of them: outside the range of the elements
};

// Elements that share an address get the value of the first of them.
void agree_where_aliased(const Tensor& tensor, Elements& elements) {
  Tensor changed;
  changed.shape = tensor.shape;
  changed.strides = tensor.strides;
  changed.elements = elements;
  if (!aliases_disagree(changed)) return;
  std::unordered_map<int64_t, int64_t> value_at;
  for (int64_t i = 0; i < elements.size(); ++i) {
    const int64_t offset = element_offset(tensor.shape, tensor.strides, i);
    elements.set(i, value_at.try_emplace(offset, elements.at(i)).first->second);
  }
}

void swap_elements(Elements& elements, int64_t a, int64_t b) {
  const int64_t value = elements.at(a);
  elements.set(a, elements.at(b));
  elements.set(b, value);
}

void overwrite(Elements& elements, const Hostile& hostile, Draw& draw) {
  const int64_t size = elements.size();
  const int64_t kind = draw.between(0, 4);
  if (kind == 0) {  // one value all over, from some place on
    const int64_t first = draw.one_in(2) ? 0 : draw.between(0, size - 1);
    const int64_t value = hostile.draw(elements.at(first), draw);
    for (int64_t i = first; i < size; ++i) elements.set(i, value);
    return;
  }
  if (kind == 1) {  // the same values in other places
    for (int64_t left = std::min(size, kMaxSpoiled); left > 0; --left) {
      swap_elements(elements, draw.between(0, size - 1), draw.between(0, size - 1));
    }
  }
  const bool many = kind == 2;
  const int64_t count = many ? std::min(size, kMaxSpoiled) : 1 + draw.log_uniform(8);
  for (int64_t i = 0; i < count; ++i) {
    const int64_t idx = many && size <= kMaxSpoiled ? i : draw.between(0, size - 1);
    elements.set(idx, hostile.draw(elements.at(idx), draw));
  }
}

void overwrite_everywhere(Case& c, size_t tensor, Draw& draw) {
  Tensor& spoiled = c.tensors[tensor];
  const Hostile hostile(c, tensor, spoiled.dtype);
  const auto change = [&](Elements& elements) {
    overwrite(elements, hostile, draw);
    agree_where_aliased(spoiled, elements);
  };
  const bool every_step = draw.one_in(2);
  change(spoiled.elements);
  spoiled.pattern.reset();
  for (Step& step : c.later_steps) {
    for (Step::Change& later : step.changes) {
      if (later.tensor == static_cast<int>(tensor) && (every_step || draw.one_in(2))) {
        change(later.elements);
      }
    }
  }
}

}  // namespace

bool spoil(Case& c, Draw& draw) {
  std::vector<size_t> inputs;
  for (size_t i = 0; i < c.tensors.size(); ++i) {
    const bool is_input = c.op->tensors[i].role == Role::kInput && c.tensors[i].present;
    if (is_input && c.tensors[i].elements.size() > 0) inputs.push_back(i);
  }
  if (inputs.empty()) return false;
  Case spoiled = c;
  const size_t certain = draw.among(std::span<const size_t>(inputs));
  for (const size_t tensor : inputs) {
    if (tensor == certain || draw.one_in(3)) overwrite_everywhere(spoiled, tensor, draw);
  }
  // One that happens to be inside the contract would not be compared for nothing.
  if (!invalid_reason(spoiled)) return false;
  spoiled.origin.clear();
  spoiled.expect = Expect::kSurvived;
  c = std::move(spoiled);
  return true;
}

void spoil_some(Case& c, uint64_t case_seed) {
  Draw draw(case_seed ^ kApart);
  if (draw.one_in(kSpoiledOneIn)) spoil(c, draw);
}

}  // namespace bytegate
