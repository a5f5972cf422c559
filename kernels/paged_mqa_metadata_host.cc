#include "kernels/paged_mqa_metadata_host.h"

#include "kernels/paged_mqa_metadata_baseline_kernel.h"
#include "kernels/paged_mqa_metadata_kernels.h"

namespace bytegate {
namespace {

template <typename Shared>
simt::Status launch(simt::Executor& executor, const PagedMqaMetadataArgs& args, const char* name,
                    int64_t num_blocks, int num_threads,
                    void (*body)(const PagedMqaMetadataArgs&, Shared&)) {
  const simt::LaunchConfig config = {.name = name,
                                     .grid = {.x = static_cast<unsigned>(num_blocks)},
                                     .block = {.x = static_cast<unsigned>(num_threads)}};
  return executor.launch<Shared>(config, [&](Shared& shared) { body(args, shared); });
}

}  // namespace

simt::Status launch_paged_mqa_metadata_on_host(simt::Executor& executor,
                                               const PagedMqaMetadataArgs& args,
                                               PagedMqaMetadataPath path) {
  if (path == PagedMqaMetadataPath::kTiny) {
    return launch(executor, args, "paged_mqa_metadata_tiny_kernel", 1, kTinyThreads,
                  paged_mqa_metadata_tiny);
  }
  if (path == PagedMqaMetadataPath::kSmall) {
    return launch(executor, args, "paged_mqa_metadata_small_kernel", 1, kBlockThreads,
                  paged_mqa_metadata_small);
  }
  const int64_t num_blocks = num_tile_blocks(args.num_rows);
  simt::Status status = launch(executor, args, "paged_mqa_metadata_tile_sums_kernel", num_blocks,
                               kBlockThreads, paged_mqa_metadata_tile_sums);
  if (!status.ok()) return status;
  return launch(executor, args, "paged_mqa_metadata_deal_kernel", num_blocks, kBlockThreads,
                paged_mqa_metadata_deal);
}

simt::Status launch_paged_mqa_metadata_baseline_on_host(simt::Executor& executor,
                                                        const PagedMqaMetadataArgs& args) {
  return launch(executor, args, "paged_mqa_metadata_baseline_kernel", 1, kBaselineThreads,
                paged_mqa_metadata_baseline);
}

}  // namespace bytegate
