// A tensor with strides so large that only the pages which hold its elements are backed by memory:
// a row stride of 2^31 elements costs a page per row. A backend reserves region_bytes() of
// addresses, backs pages() with memory, and puts the tensor's first element at lead_bytes().
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/backend.h"
#include "oracles/tensor.h"

namespace bytegate {

class SparseImage {
 public:
  // All poison. `page_bytes` is a power of two.
  SparseImage(const Tensor& tensor, size_t page_bytes, uint64_t salt);

  [[nodiscard]] size_t page_bytes() const { return page_bytes_; }
  // Addresses to reserve: one page of nothing before and after.
  [[nodiscard]] size_t region_bytes() const { return region_bytes_; }
  [[nodiscard]] size_t lead_bytes() const { return lead_bytes_; }
  // Ascending indices of the pages that hold elements.
  [[nodiscard]] const std::vector<size_t>& pages() const { return pages_; }
  [[nodiscard]] std::byte* page(size_t slot) { return bytes_.data() + slot * page_bytes_; }
  [[nodiscard]] const std::byte* page(size_t slot) const {
    return bytes_.data() + slot * page_bytes_;
  }

  void scatter(const Tensor& tensor, const Elements& elements);
  // Outputs: takes the elements of the shape `written` out of `actual` and puts this image's poison
  // back there; all else in the pages must be kept.
  void gather(const Tensor& tensor, const Dims& written, SparseImage& actual, Elements& out,
              ElementSet& untouched) const;
  // The first byte in which `actual` differs, as an offset from the tensor's first element.
  [[nodiscard]] std::optional<int64_t> first_difference(const SparseImage& actual) const;

 private:
  [[nodiscard]] size_t position(const Tensor& tensor, int64_t element_offset) const;

  size_t page_bytes_;
  size_t region_bytes_ = 0;
  size_t lead_bytes_ = 0;
  std::vector<size_t> pages_;
  std::vector<std::byte> bytes_;
};

// The image of a case's sparse tensor with the inputs as they stand at a step; other poison at
// each.
SparseImage make_sparse_image(const Case& at_step, size_t tensor, size_t page_bytes,
                              size_t step_idx);
// Takes an output's elements out of `actual`, which is overwritten, and finds damage. `result` has
// an entry per tensor already.
void take_sparse_tensor(const Case& at_step, size_t tensor, const SparseImage& image,
                        SparseImage& actual, StepResult& result);
// Damage at an offset from the tensor's first byte, unless there is some already.
void note_sparse_damage(const Case& c, size_t tensor, int64_t byte_offset, StepResult& result);

}  // namespace bytegate
