#include "kernels/cuda_sparse_tensors.h"

#include <algorithm>

namespace bytegate {

CudaStatus CudaSparseTensors::map(const Case& c, const PlacedCase& placed) {
  if (std::none_of(placed.tensors.begin(), placed.tensors.end(),
                   [](const Placement& tensor) { return tensor.sparse; })) {
    return {};
  }
  if (CudaStatus loaded = memory_.load(); !loaded.ok()) return loaded;
  for (size_t i = 0; i < placed.tensors.size(); ++i) {
    if (!placed.tensors[i].sparse) continue;
    entries_.push_back({.tensor = i,
                        .image = make_sparse_image(c, i, memory_.page_bytes, 0),
                        .region = std::make_unique<CudaSparseRegion>(memory_)});
    const CudaStatus mapped = entries_.back().region->map(entries_.back().image);
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
    entry.image = make_sparse_image(at_step, entry.tensor, memory_.page_bytes, step_idx);
    const CudaStatus status = entry.region->upload(entry.image, stream);
    if (!status.ok()) return status;
  }
  return {};
}

CudaStatus CudaSparseTensors::take(const Case& at_step, cudaStream_t stream,
                                   StepResult& result) const {
  for (const Entry& entry : entries_) {
    SparseImage actual = entry.image;
    const CudaStatus status = entry.region->download(actual, stream);
    if (!status.ok()) return status;
    take_sparse_tensor(at_step, entry.tensor, entry.image, actual, result);
  }
  return {};
}

}  // namespace bytegate
