#include "kernels/cuda_separate_buffers.h"

#include <cstdint>

#include "kernels/strided.h"

namespace bytegate {

CudaStatus CudaSeparateBuffers::make() {
  tensors_ = std::vector<CudaOwner<void*, cudaFree>>(placed_.tensors.size());
  for (size_t i = 0; i < tensors_.size(); ++i) {
    if (placed_.tensors[i].bytes == 0) continue;
    void** memory = tensors_[i].out();
    const CudaStatus made = cuda_call("cudaMalloc", cudaMalloc(memory, placed_.tensors[i].bytes));
    if (!made.ok()) return made;
  }
  if (placed_.workspace.bytes == 0) return {};
  void** memory = workspace_.out();
  return cuda_call("cudaMalloc", cudaMalloc(memory, placed_.workspace.bytes));
}

void CudaSeparateBuffers::bind(CallFrame& frame) const {
  for (size_t i = 0; i < tensors_.size(); ++i) {
    if (tensors_[i].get() != nullptr) frame.set_data(static_cast<int>(i), tensors_[i].get());
  }
  frame.set_workspace(workspace_.get(), placed_.workspace.bytes);
}

CudaStatus CudaSeparateBuffers::for_each_element_run(size_t tensor, const Visit& visit) const {
  const Tensor& held = case_.tensors[tensor];
  const bool output = case_.op->tensors[tensor].role == Role::kOutput;
  const Dims shape = output ? written_shape(case_, static_cast<int>(tensor)) : held.shape;
  const size_t element = dtype_bytes(held.dtype);
  CudaStatus status;
  for_each_run(shape, held.strides, [&](int64_t offset, int64_t, int64_t count) {
    if (!status.ok()) return;
    status = visit({.offset = static_cast<size_t>(offset) * element,
                    .bytes = static_cast<size_t>(count) * element});
  });
  return status;
}

CudaStatus CudaSeparateBuffers::for_each_part(size_t tensor, const Visit& visit) const {
  if (tensors_[tensor].get() == nullptr) return {};
  if (leave_unwritten_) return for_each_element_run(tensor, visit);
  return visit({.offset = 0, .bytes = placed_.tensors[tensor].bytes});
}

CudaStatus CudaSeparateBuffers::upload(const std::byte* image, cudaStream_t stream) const {
  for (size_t i = 0; i < tensors_.size(); ++i) {
    if (leave_unwritten_ && case_.op->tensors[i].role == Role::kOutput) continue;
    auto* base = static_cast<std::byte*>(tensors_[i].get());
    const CudaStatus copied = for_each_part(i, [&](const Run& run) {
      return cuda_call(
          "cudaMemcpyAsync",
          cudaMemcpyAsync(base + run.offset, image + placed_.tensors[i].offset + run.offset,
                          run.bytes, cudaMemcpyHostToDevice, stream));
    });
    if (!copied.ok()) return copied;
  }
  if (leave_unwritten_ || workspace_.get() == nullptr) return {};
  return cuda_call("cudaMemcpyAsync",
                   cudaMemcpyAsync(workspace_.get(), image + placed_.workspace.offset,
                                   placed_.workspace.bytes, cudaMemcpyHostToDevice, stream));
}

CudaStatus CudaSeparateBuffers::download(std::byte* actual, bool written,
                                         cudaStream_t stream) const {
  for (size_t i = 0; i < tensors_.size(); ++i) {
    if (leave_unwritten_ && !written && case_.op->tensors[i].role == Role::kOutput) continue;
    const auto* base = static_cast<const std::byte*>(tensors_[i].get());
    const CudaStatus copied = for_each_part(i, [&](const Run& run) {
      return cuda_call(
          "cudaMemcpyAsync",
          cudaMemcpyAsync(actual + placed_.tensors[i].offset + run.offset, base + run.offset,
                          run.bytes, cudaMemcpyDeviceToHost, stream));
    });
    if (!copied.ok()) return copied;
  }
  return {};
}

}  // namespace bytegate
