#include "kernels/sparse_tensor.h"

#include <algorithm>
#include <cstring>

#include "kernels/strided.h"

namespace bytegate {
namespace {

int64_t element_bytes(const Tensor& tensor) {
  return static_cast<int64_t>(dtype_bytes(tensor.dtype));
}

}  // namespace

SparseImage::SparseImage(const Tensor& tensor, size_t page_bytes, uint64_t salt)
    : page_bytes_(page_bytes), lead_bytes_(page_bytes) {
  const size_t extent = static_cast<size_t>(
      extent_elements(tensor.shape, tensor.strides).value_or(0) * element_bytes(tensor));
  region_bytes_ = ((extent + page_bytes - 1) / page_bytes + 2) * page_bytes;
  for_each_run(tensor.shape, tensor.strides, [&](int64_t offset, int64_t, int64_t count) {
    const size_t begin = lead_bytes_ + static_cast<size_t>(offset * element_bytes(tensor));
    const size_t end = begin + static_cast<size_t>(count * element_bytes(tensor));
    for (size_t page = begin / page_bytes_; page * page_bytes_ < end; ++page) {
      if (pages_.empty() || pages_.back() != page) pages_.push_back(page);
    }
  });
  std::sort(pages_.begin(), pages_.end());
  pages_.erase(std::unique(pages_.begin(), pages_.end()), pages_.end());
  bytes_.resize(pages_.size() * page_bytes_);
  uint64_t word = salt | 1;
  for (size_t byte = 0; byte < bytes_.size(); byte += sizeof word) {
    word += 0x9e3779b97f4a7c15ULL;
    std::memcpy(bytes_.data() + byte, &word, sizeof word);
  }
}

size_t SparseImage::position(const Tensor& tensor, int64_t element_offset) const {
  const size_t byte = lead_bytes_ + static_cast<size_t>(element_offset * element_bytes(tensor));
  const auto page = std::lower_bound(pages_.begin(), pages_.end(), byte / page_bytes_);
  return static_cast<size_t>(page - pages_.begin()) * page_bytes_ + byte % page_bytes_;
}

void SparseImage::scatter(const Tensor& tensor, const Elements& elements) {
  const size_t element = dtype_bytes(tensor.dtype);
  for_each_run(tensor.shape, tensor.strides, [&](int64_t offset, int64_t first, int64_t count) {
    for (int64_t i = 0; i < count; ++i) {
      std::memcpy(bytes_.data() + position(tensor, offset + i),
                  elements.data() + static_cast<size_t>(first + i) * element, element);
    }
  });
}

void SparseImage::gather(const Tensor& tensor, const Dims& written, SparseImage& actual,
                         Elements& out, ElementSet& untouched) const {
  const size_t element = dtype_bytes(tensor.dtype);
  for_each_run(written, tensor.strides, [&](int64_t offset, int64_t first, int64_t count) {
    for (int64_t i = 0; i < count; ++i) {
      const size_t at = position(tensor, offset + i);
      std::byte* ran = actual.bytes_.data() + at;
      const std::byte* poison = bytes_.data() + at;
      std::memcpy(out.data() + static_cast<size_t>(first + i) * element, ran, element);
      if (std::memcmp(ran, poison, element) == 0) untouched.add(first + i);
      std::memcpy(ran, poison, element);
    }
  });
}

std::optional<int64_t> SparseImage::first_difference(const SparseImage& actual) const {
  const auto different = std::mismatch(bytes_.begin(), bytes_.end(), actual.bytes_.begin());
  if (different.first == bytes_.end()) return std::nullopt;
  const size_t at = static_cast<size_t>(different.first - bytes_.begin());
  const size_t byte = pages_[at / page_bytes_] * page_bytes_ + at % page_bytes_;
  return static_cast<int64_t>(byte) - static_cast<int64_t>(lead_bytes_);
}

SparseImage make_sparse_image(const Case& at_step, size_t tensor, size_t page_bytes,
                              size_t step_idx) {
  SparseImage image(at_step.tensors[tensor], page_bytes, step_idx + tensor);
  if (at_step.op->tensors[tensor].role == Role::kInput) {
    image.scatter(at_step.tensors[tensor], at_step.tensors[tensor].elements);
  }
  return image;
}

void take_sparse_tensor(const Case& at_step, size_t tensor, const SparseImage& image,
                        SparseImage& actual, StepResult& result) {
  const Tensor& layout = at_step.tensors[tensor];
  if (at_step.op->tensors[tensor].role == Role::kOutput) {
    const Dims written = written_shape(at_step, static_cast<int>(tensor));
    result.outputs[tensor] = Elements(layout.dtype, num_elements(written).value_or(0));
    image.gather(layout, written, actual, result.outputs[tensor], result.untouched[tensor]);
  }
  if (const std::optional<int64_t> where = image.first_difference(actual)) {
    note_sparse_damage(at_step, tensor, *where, result);
  }
}

void note_sparse_damage(const Case& c, size_t tensor, int64_t byte_offset, StepResult& result) {
  if (result.damage) return;
  const Tensor& layout = c.tensors[tensor];
  const int64_t bytes =
      extent_elements(layout.shape, layout.strides).value_or(0) * element_bytes(layout);
  const bool output = c.op->tensors[tensor].role == Role::kOutput;
  const Damage::Kind inside = output ? Damage::Kind::kGap : Damage::Kind::kInput;
  result.damage =
      Damage{.kind = byte_offset >= 0 && byte_offset < bytes ? inside : Damage::Kind::kGuard,
             .tensor = static_cast<int>(tensor),
             .byte_offset = byte_offset};
}

}  // namespace bytegate
