#include "kernels/cuda_sparse_tensors.h"

#include <algorithm>
#include <utility>

namespace bytegate {
namespace {

std::unique_ptr<SparseImage> image_at(const Case& at_step, size_t tensor, size_t page_bytes,
                                      size_t step_idx) {
  auto image =
      std::make_unique<SparseImage>(at_step.tensors[tensor], page_bytes, step_idx + tensor);
  if (at_step.op->tensors[tensor].role == Role::kInput) {
    image->scatter(at_step.tensors[tensor], at_step.tensors[tensor].elements);
  }
  return image;
}

// Overwrites `actual`.
void take_tensor(const Case& at_step, size_t tensor, const SparseImage& image, SparseImage& actual,
                 StepResult& result) {
  const Tensor& layout = at_step.tensors[tensor];
  const bool output = at_step.op->tensors[tensor].role == Role::kOutput;
  if (output) {
    result.outputs[tensor] = Elements(layout.dtype, num_elements(layout.shape).value_or(0));
    image.gather(layout, actual, result.outputs[tensor], result.untouched[tensor]);
  }
  const std::optional<int64_t> where = image.first_difference(actual);
  if (!where || result.damage) return;
  result.damage = Damage{.kind = output ? Damage::Kind::kGap : Damage::Kind::kInput,
                         .tensor = static_cast<int>(tensor),
                         .byte_offset = *where};
}

}  // namespace

CudaStatus CudaSparseTensors::map(const Case& c, const PlacedCase& placed) {
  if (std::none_of(placed.tensors.begin(), placed.tensors.end(),
                   [](const Placement& tensor) { return tensor.sparse; })) {
    return {};
  }
  if (CudaStatus loaded = memory_.load(); !loaded.ok()) return loaded;
  for (size_t i = 0; i < placed.tensors.size(); ++i) {
    if (!placed.tensors[i].sparse) continue;
    entries_.push_back({.tensor = i,
                        .image = image_at(c, i, memory_.page_bytes, 0),
                        .region = std::make_unique<CudaSparseRegion>(memory_)});
    const CudaStatus mapped = entries_.back().region->map(*entries_.back().image);
    if (!mapped.ok()) return mapped;
  }
  return {};
}

void CudaSparseTensors::bind(CallFrame& frame) const {
  for (const Entry& entry : entries_) {
    frame.set_data(static_cast<int>(entry.tensor), entry.region->first_element());
  }
}

CudaStatus CudaSparseTensors::upload(const Case& at_step, size_t step_idx, cudaStream_t stream) {
  for (Entry& entry : entries_) {
    entry.image = image_at(at_step, entry.tensor, memory_.page_bytes, step_idx);
    const CudaStatus status = entry.region->upload(*entry.image, stream);
    if (!status.ok()) return status;
  }
  return {};
}

CudaStatus CudaSparseTensors::take(const Case& at_step, cudaStream_t stream,
                                   StepResult& result) const {
  for (const Entry& entry : entries_) {
    SparseImage actual = *entry.image;
    const CudaStatus status = entry.region->download(actual, stream);
    if (!status.ok()) return status;
    take_tensor(at_step, entry.tensor, *entry.image, actual, result);
  }
  return {};
}

void CudaSparseTensors::abandon() {
  for (const Entry& entry : entries_) entry.region->abandon();
}

}  // namespace bytegate
