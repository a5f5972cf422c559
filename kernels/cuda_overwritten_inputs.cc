#include "kernels/cuda_overwritten_inputs.h"

#include <cstring>

namespace bytegate {
namespace {

constexpr int kOverwrite = 0x5c;

}  // namespace

template <typename Visit>
void CudaOverwrittenInputs::for_each_input(Visit&& visit) const {
  for (size_t i = 0; i < placed_.tensors.size(); ++i) {
    const Placement& placement = placed_.tensors[i];
    const bool input = case_.op->tensors[i].role == Role::kInput;
    if (input && placement.bytes > 0 && !placement.sparse) visit(placement);
  }
}

CudaOutcome CudaOverwrittenInputs::overwrite(const CudaSlot& slot, cudaStream_t stream) {
  CudaStatus status;
  const auto copy = [&](std::byte* to, const std::byte* from, const Placement& input,
                        cudaMemcpyKind kind) {
    if (!status.ok()) return;
    status = cuda_call("cudaMemcpyAsync", cudaMemcpyAsync(to + input.offset, from + input.offset,
                                                          input.bytes, kind, stream));
  };
  for_each_input([&](const Placement& input) {
    copy(saved_->device(), slot.device(), input, cudaMemcpyDeviceToDevice);
  });
  for_each_input([&](const Placement& input) {
    if (!status.ok()) return;
    status = cuda_call("cudaMemsetAsync", cudaMemsetAsync(slot.device() + input.offset, kOverwrite,
                                                          input.bytes, stream));
  });
  for_each_input([&](const Placement& input) {
    copy(saved_->actual(), saved_->device(), input, cudaMemcpyDeviceToHost);
  });
  return device_.judge(status);
}

void CudaOverwrittenInputs::restore(const CudaSlot& slot) const {
  for_each_input([&](const Placement& input) {
    std::byte* actual = slot.actual() + input.offset;
    const std::byte* saved = saved_->actual() + input.offset;
    for (size_t byte = 0; byte < input.bytes; ++byte) {
      // What is not as it was overwritten was changed afterwards: that stays.
      if (actual[byte] == static_cast<std::byte>(kOverwrite)) actual[byte] = saved[byte];
    }
  });
}

}  // namespace bytegate
