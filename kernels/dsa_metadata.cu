#include <type_traits>

#include "kernels/cuda_check.h"
#include "kernels/dsa_eager_chain.h"
#include "kernels/dsa_metadata_cuda.h"
#include "kernels/dsa_metadata_kernels.h"

namespace bytegate {
namespace {

// Blocks that a multiprocessor holds at least: 48 registers a thread. Fewer registers spill where
// the copy runs, more leave too few loads on their way.
constexpr int kMinBlocks = 5;

__global__ void __launch_bounds__(kDsaThreads, kMinBlocks)
    dsa_decode_metadata_fused_kernel(const __grid_constant__ DsaArgs args) {
  __shared__ DsaShared shared;
  dsa_metadata_fused<DsaMode::kDecode, false>(args, shared);
}

__global__ void __launch_bounds__(kDsaThreads, kMinBlocks)
    dsa_target_verify_metadata_fused_kernel(const __grid_constant__ DsaArgs args) {
  __shared__ DsaShared shared;
  dsa_metadata_fused<DsaMode::kTargetVerify, false>(args, shared);
}

__global__ void __launch_bounds__(kDsaThreads, kMinBlocks)
    dsa_draft_extend_metadata_static_kernel(const __grid_constant__ DsaArgs args) {
  __shared__ DsaShared shared;
  dsa_metadata_fused<DsaMode::kDraftExtend, false>(args, shared);
}

__global__ void __launch_bounds__(kDsaThreads, kMinBlocks)
    dsa_draft_extend_metadata_ragged_kernel(const __grid_constant__ DsaArgs args) {
  __shared__ DsaShared shared;
  dsa_metadata_fused<DsaMode::kDraftExtend, true>(args, shared);
}

template <typename Step>
__global__ void __launch_bounds__(kDsaEagerThreads)
    dsa_eager_step_kernel(const Step step, const int64_t count) {
  dsa_eager_step(step, count);
}

template <typename T>
__global__ void __launch_bounds__(kDsaEagerThreads)
    dsa_eager_cumulative_sum_kernel(const DsaCumulativeSum<T> sum) {
  __shared__ DsaCumulativeSumShared<std::make_unsigned_t<T>> shared;
  dsa_cumulative_sum(sum, shared);
}

class EagerLaunch {
 public:
  explicit EagerLaunch(cudaStream_t stream) : stream_(stream) {}

  template <typename Step>
  void step(const char* name, const Step& step, int64_t count) {
    if (count == 0 || !error_.empty()) return;
    constexpr int64_t kMaxBlocks = 1 << 16;
    const int64_t wanted = (count + kDsaEagerThreads - 1) / kDsaEagerThreads;
    const unsigned num_blocks = static_cast<unsigned>(wanted < kMaxBlocks ? wanted : kMaxBlocks);
    dsa_eager_step_kernel<<<num_blocks, kDsaEagerThreads, 0, stream_>>>(step, count);
    error_ = launch_error(name);
  }

  template <typename T>
  void cumulative_sum(const char* name, const DsaCumulativeSum<T>& sum) {
    if (sum.count == 0 || !error_.empty()) return;
    dsa_eager_cumulative_sum_kernel<<<1, kDsaEagerThreads, 0, stream_>>>(sum);
    error_ = launch_error(name);
  }

  [[nodiscard]] const std::string& error() const { return error_; }

 private:
  cudaStream_t stream_;
  std::string error_;
};

}  // namespace

std::string launch_dsa_fused_on_cuda(DsaMode mode, const DsaArgs& args, void* stream) {
  const cudaStream_t on = static_cast<cudaStream_t>(stream);
  const unsigned num_blocks = static_cast<unsigned>(
      args.grid.num_request_blocks + args.grid.num_row_blocks + args.grid.num_table_blocks);
  switch (mode) {
    case DsaMode::kDecode:
      dsa_decode_metadata_fused_kernel<<<num_blocks, kDsaThreads, 0, on>>>(args);
      return launch_error("dsa_decode_metadata_fused_kernel");
    case DsaMode::kTargetVerify:
      dsa_target_verify_metadata_fused_kernel<<<num_blocks, kDsaThreads, 0, on>>>(args);
      return launch_error("dsa_target_verify_metadata_fused_kernel");
    case DsaMode::kDraftExtend:
      break;
  }
  if (args.extend_seq_lens == nullptr) {
    dsa_draft_extend_metadata_static_kernel<<<num_blocks, kDsaThreads, 0, on>>>(args);
    return launch_error("dsa_draft_extend_metadata_static_kernel");
  }
  dsa_draft_extend_metadata_ragged_kernel<<<num_blocks, kDsaThreads, 0, on>>>(args);
  return launch_error("dsa_draft_extend_metadata_ragged_kernel");
}

std::string launch_dsa_eager_on_cuda(DsaMode mode, const DsaArgs& args,
                                     const DsaEagerWorkspace& workspace, void* stream) {
  EagerLaunch launch(static_cast<cudaStream_t>(stream));
  run_dsa_eager_chain(mode, args, workspace, launch);
  return launch.error();
}

}  // namespace bytegate
