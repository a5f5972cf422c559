#include "kernels/cuda_check.h"
#include "kernels/paged_mqa_metadata_baseline_kernel.h"
#include "kernels/paged_mqa_metadata_cuda.h"
#include "kernels/paged_mqa_metadata_kernels.h"

namespace bytegate {
namespace {

__global__ void __launch_bounds__(kTinyThreads)
    paged_mqa_metadata_tiny_kernel(const PagedMqaMetadataArgs args) {
  __shared__ PagedMqaTinyShared shared;
  paged_mqa_metadata_tiny(args, shared);
}

__global__ void __launch_bounds__(kBlockThreads)
    paged_mqa_metadata_small_kernel(const PagedMqaMetadataArgs args) {
  __shared__ PagedMqaSmallShared shared;
  paged_mqa_metadata_small(args, shared);
}

__global__ void __launch_bounds__(kBlockThreads)
    paged_mqa_metadata_tile_sums_kernel(const PagedMqaMetadataArgs args) {
  __shared__ PagedMqaTileSumsShared shared;
  paged_mqa_metadata_tile_sums(args, shared);
}

__global__ void __launch_bounds__(kBlockThreads)
    paged_mqa_metadata_deal_kernel(const PagedMqaMetadataArgs args) {
  __shared__ PagedMqaDealShared shared;
  paged_mqa_metadata_deal(args, shared);
}

__global__ void __launch_bounds__(kBaselineThreads)
    paged_mqa_metadata_baseline_kernel(const PagedMqaMetadataArgs args) {
  __shared__ PagedMqaBaselineShared shared;
  paged_mqa_metadata_baseline(args, shared);
}

}  // namespace

std::string launch_paged_mqa_metadata_on_cuda(const PagedMqaMetadataArgs& args,
                                              PagedMqaMetadataPath path, void* stream) {
  const cudaStream_t on = static_cast<cudaStream_t>(stream);
  if (path == PagedMqaMetadataPath::kTiny) {
    paged_mqa_metadata_tiny_kernel<<<1, kTinyThreads, 0, on>>>(args);
    return launch_error("paged_mqa_metadata_tiny_kernel");
  }
  if (path == PagedMqaMetadataPath::kSmall) {
    paged_mqa_metadata_small_kernel<<<1, kBlockThreads, 0, on>>>(args);
    return launch_error("paged_mqa_metadata_small_kernel");
  }
  const unsigned num_blocks = static_cast<unsigned>(num_tile_blocks(args.num_rows));
  paged_mqa_metadata_tile_sums_kernel<<<num_blocks, kBlockThreads, 0, on>>>(args);
  std::string error = launch_error("paged_mqa_metadata_tile_sums_kernel");
  if (!error.empty()) return error;
  paged_mqa_metadata_deal_kernel<<<num_blocks, kBlockThreads, 0, on>>>(args);
  return launch_error("paged_mqa_metadata_deal_kernel");
}

std::string launch_paged_mqa_metadata_baseline_on_cuda(const PagedMqaMetadataArgs& args,
                                                       void* stream) {
  paged_mqa_metadata_baseline_kernel<<<1, kBaselineThreads, 0, static_cast<cudaStream_t>(stream)>>>(
      args);
  return launch_error("paged_mqa_metadata_baseline_kernel");
}

}  // namespace bytegate
