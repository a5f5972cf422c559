#include "kernels/cuda_guarded_buffers.h"

#include <algorithm>
#include <utility>

namespace bytegate {
namespace {

constexpr size_t kWorkspaceAlignment = 16;

}  // namespace

CudaGuardedBuffers::~CudaGuardedBuffers() {
  for (Entry& entry : entries_) pool_.release(std::move(entry.region));
}

CudaStatus CudaGuardedBuffers::make(const Case& c, const PlacedCase& placed) {
  at_end_ = placed.placing != Placing::kGuardBefore;
  for (size_t i = 0; i < placed.tensors.size(); ++i) {
    const CudaStatus added =
        add(static_cast<int>(i), placed.tensors[i], dtype_bytes(c.tensors[i].dtype),
            c.op->tensors[i].role == Role::kInput);
    if (!added.ok()) return added;
  }
  return add(-1, placed.workspace, kWorkspaceAlignment, false);
}

CudaStatus CudaGuardedBuffers::add(int buffer, const Placement& placement, size_t alignment,
                                   bool input) {
  if (placement.bytes == 0 || placement.sparse || !focus_.guards(buffer)) return {};
  Entry entry;
  const CudaStatus acquired = pool_.acquire(placement.bytes, entry.region);
  if (!acquired.ok()) return acquired;
  entry.buffer = buffer;
  entry.input = input;
  entry.bytes = placement.bytes;
  const size_t room = entry.region->bytes();
  size_t lead = 0;
  size_t trail = 0;
  if (at_end_) {
    entry.begin = (room - placement.bytes) / alignment * alignment;
    lead = std::min(kGuardBytes, entry.begin);
    trail = room - entry.begin - placement.bytes;
  } else {
    trail = std::min(kGuardBytes, room - placement.bytes);
  }
  entry.window_begin = entry.begin - lead;
  entry.window_image = placement.offset - lead;
  entry.window_bytes = lead + placement.bytes + trail;
  entries_.push_back(std::move(entry));
  return focus_.open ? entries_.back().region->open_ends() : CudaStatus{};
}

void CudaGuardedBuffers::bind(CallFrame& frame) const {
  for (const Entry& entry : entries_) {
    const bool only_read = entry.input && !focus_.open;
    std::byte* begin = (only_read ? entry.region->view() : entry.region->data()) + entry.begin;
    if (entry.buffer < 0) {
      frame.set_workspace(begin, entry.bytes);
    } else {
      frame.set_data(entry.buffer, begin);
    }
  }
}

CudaStatus CudaGuardedBuffers::upload(const std::byte* image, cudaStream_t stream) const {
  for (const Entry& entry : entries_) {
    const CudaStatus copied =
        cuda_call("cudaMemcpyAsync", cudaMemcpyAsync(entry.region->data() + entry.window_begin,
                                                     image + entry.window_image, entry.window_bytes,
                                                     cudaMemcpyHostToDevice, stream));
    if (!copied.ok()) return copied;
  }
  return {};
}

CudaStatus CudaGuardedBuffers::download(std::byte* actual, cudaStream_t stream) const {
  for (const Entry& entry : entries_) {
    const CudaStatus copied = cuda_call(
        "cudaMemcpyAsync",
        cudaMemcpyAsync(actual + entry.window_image, entry.region->data() + entry.window_begin,
                        entry.window_bytes, cudaMemcpyDeviceToHost, stream));
    if (!copied.ok()) return copied;
  }
  return {};
}

CudaStatus CudaGuardedBuffers::trace(const std::optional<Damage>& damage,
                                     std::optional<Damage>& found) const {
  if (!focus_.open) return {};
  for (const Entry& entry : entries_) {
    found = {.kind = Damage::Kind::kRead,
             .tensor = entry.buffer,
             .byte_offset = at_end_ ? static_cast<int64_t>(entry.bytes) : -1};
    if (damage && damage->tensor == entry.buffer) {
      found->kind = Damage::Kind::kWrite;
      found->byte_offset = damage->byte_offset;
      return {};
    }
    std::optional<int64_t> changed;
    const CudaStatus looked = entry.region->find_change(changed);
    if (!looked.ok()) return looked;
    if (changed) {
      found->kind = Damage::Kind::kWrite;
      found->byte_offset = *changed - static_cast<int64_t>(entry.begin);
    }
  }
  return {};
}

}  // namespace bytegate
