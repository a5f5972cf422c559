#include "oracles/tensor.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

namespace bytegate {

Dims::Dims(std::initializer_list<int64_t> values) {
  for (const int64_t value : values) push_back(value);
}

bool operator==(const Dims& a, const Dims& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

std::string to_string(const Dims& dims) {
  std::string text = "[";
  for (int axis = 0; axis < dims.rank(); ++axis) {
    if (axis > 0) text += ", ";
    text += std::to_string(dims[axis]);
  }
  return text + "]";
}

std::optional<int64_t> num_elements(const Dims& shape) {
  int64_t count = 1;
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return 0;
  for (const int64_t extent : shape) {
    if (__builtin_mul_overflow(count, extent, &count)) return std::nullopt;
  }
  return count;
}

Dims compact_strides(const Dims& shape) {
  Dims strides = shape;
  int64_t stride = 1;
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    strides[axis] = stride;
    stride *= std::max<int64_t>(shape[axis], 1);
  }
  return strides;
}

int64_t pattern_value(const Pattern& pattern, int64_t idx) {
  // Version 1, frozen in corpus/FORMAT.md.
  uint64_t z = pattern.seed + (static_cast<uint64_t>(idx) + 1) * 0x9e3779b97f4a7c15ULL;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  z ^= z >> 31;
  const uint64_t range =
      static_cast<uint64_t>(pattern.high) - static_cast<uint64_t>(pattern.low) + 1;
  const uint64_t step = range == 0 ? z : z % range;
  return static_cast<int64_t>(static_cast<uint64_t>(pattern.low) + step);
}

std::optional<int64_t> extent_elements(const Dims& shape, const Dims& strides) {
  const std::optional<int64_t> count = num_elements(shape);
  if (!count) return std::nullopt;
  if (*count == 0) return 0;
  int64_t last = 0;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    int64_t reach = 0;
    if (__builtin_mul_overflow(shape[axis] - 1, strides[axis], &reach)) return std::nullopt;
    if (__builtin_add_overflow(last, reach, &last)) return std::nullopt;
  }
  if (last == INT64_MAX) return std::nullopt;
  return last + 1;
}

int64_t element_offset(const Dims& shape, const Dims& strides, int64_t idx) {
  int64_t offset = 0;
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    offset += idx % shape[axis] * strides[axis];
    idx /= shape[axis];
  }
  return offset;
}

namespace {

// Whether every axis strides past all that lies inside it, in some order of the axes.
bool addresses_are_distinct(const Dims& shape, const Dims& strides) {
  std::vector<int> axes;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (shape[axis] > 1) axes.push_back(axis);
  }
  std::sort(axes.begin(), axes.end(), [&](int a, int b) { return strides[a] < strides[b]; });
  int64_t inner = 1;
  for (const int axis : axes) {
    if (strides[axis] < inner) return false;
    inner += (shape[axis] - 1) * strides[axis];
  }
  return true;
}

}  // namespace

bool aliases_disagree(const Tensor& tensor) {
  if (addresses_are_distinct(tensor.shape, tensor.strides)) return false;
  std::unordered_map<int64_t, int64_t> held;
  for (int64_t idx = 0; idx < tensor.elements.size(); ++idx) {
    const int64_t offset = element_offset(tensor.shape, tensor.strides, idx);
    const int64_t value = tensor.elements.at(idx);
    if (held.try_emplace(offset, value).first->second != value) return true;
  }
  return false;
}

bool is_compact(const Tensor& tensor) {
  return tensor.strides == compact_strides(tensor.shape);
}

}  // namespace bytegate
