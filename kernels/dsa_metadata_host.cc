#include "kernels/dsa_metadata_host.h"

#include <algorithm>

#include "kernels/dsa_eager_chain.h"
#include "kernels/dsa_metadata_kernels.h"

namespace bytegate {
namespace {

simt::LaunchConfig config_of(const char* name, int64_t num_blocks, int num_threads) {
  return {.name = name,
          .grid = {.x = static_cast<unsigned>(num_blocks)},
          .block = {.x = static_cast<unsigned>(num_threads)}};
}

int64_t num_fused_blocks(const DsaGrid& grid) {
  return int64_t{grid.num_request_blocks} + grid.num_row_blocks + grid.num_table_blocks;
}

struct Nothing {};

class EagerLaunch {
 public:
  explicit EagerLaunch(simt::Executor& executor) : executor_(executor) {}

  template <typename Step>
  void step(const char* name, const Step& step, int64_t count) {
    if (count == 0 || !status_.ok()) return;
    constexpr int64_t kMaxBlocks = 64;
    const int64_t num_blocks =
        std::min((count + kDsaEagerThreads - 1) / kDsaEagerThreads, kMaxBlocks);
    status_ = executor_.launch<Nothing>(config_of(name, num_blocks, kDsaEagerThreads),
                                        [&](Nothing&) { dsa_eager_step(step, count); });
  }

  template <typename T>
  void cumulative_sum(const char* name, const DsaCumulativeSum<T>& sum) {
    using Shared = DsaCumulativeSumShared<std::make_unsigned_t<T>>;
    if (sum.count == 0 || !status_.ok()) return;
    status_ = executor_.launch<Shared>(config_of(name, 1, kDsaEagerThreads),
                                       [&](Shared& shared) { dsa_cumulative_sum(sum, shared); });
  }

  [[nodiscard]] const simt::Status& status() const { return status_; }

 private:
  simt::Executor& executor_;
  simt::Status status_;
};

template <DsaMode kMode, bool kRagged>
simt::Status launch_fused(simt::Executor& executor, const char* name, const DsaArgs& args) {
  return executor.launch<DsaShared>(
      config_of(name, num_fused_blocks(args.grid), kDsaThreads),
      [&](DsaShared& shared) { dsa_metadata_fused<kMode, kRagged>(args, shared); });
}

}  // namespace

simt::Status launch_dsa_fused_on_host(simt::Executor& executor, DsaMode mode, const DsaArgs& args) {
  switch (mode) {
    case DsaMode::kDecode:
      return launch_fused<DsaMode::kDecode, false>(executor, "dsa_decode_metadata_fused_kernel",
                                                   args);
    case DsaMode::kTargetVerify:
      return launch_fused<DsaMode::kTargetVerify, false>(
          executor, "dsa_target_verify_metadata_fused_kernel", args);
    case DsaMode::kDraftExtend:
      break;
  }
  if (args.extend_seq_lens == nullptr) {
    return launch_fused<DsaMode::kDraftExtend, false>(
        executor, "dsa_draft_extend_metadata_static_kernel", args);
  }
  return launch_fused<DsaMode::kDraftExtend, true>(executor,
                                                   "dsa_draft_extend_metadata_ragged_kernel", args);
}

simt::Status launch_dsa_eager_on_host(simt::Executor& executor, DsaMode mode, const DsaArgs& args,
                                      const DsaEagerWorkspace& workspace) {
  EagerLaunch launch(executor);
  run_dsa_eager_chain(mode, args, workspace, launch);
  return launch.status();
}

}  // namespace bytegate
