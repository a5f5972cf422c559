#include <cstdio>
#include <random>
#include <vector>

#include "ci/bench/gpu_timing.h"
#include "kernels/paged_mqa_metadata_cuda.h"

namespace bytegate::bench {
namespace {

constexpr int kCallsPerGraph = 100;
constexpr int kNumSm = 132;
constexpr int32_t kMaxLen = 32768;

void print_row(cudaStream_t stream, int64_t num_rows) {
  std::mt19937 random(1);
  std::uniform_int_distribution<int32_t> len(1, kMaxLen);
  std::vector<int32_t> lens(static_cast<size_t>(num_rows));
  for (int32_t& value : lens) value = len(random);
  const PagedMqaMetadataPath path = choose_path(num_rows);
  const DeviceBuffer device_lens(lens.size() * sizeof(int32_t));
  device_lens.upload(lens.data(), lens.size() * sizeof(int32_t));
  const DeviceBuffer table(2 * (kNumSm + 1) * sizeof(int32_t));
  const size_t workspace_bytes = paged_mqa_metadata_workspace_bytes(num_rows, path);
  const DeviceBuffer workspace(workspace_bytes);
  const PagedMqaMetadataArgs args = kernel_args({.context_lens = device_lens.as<int32_t>(),
                                                 .num_rows = num_rows,
                                                 .num_sm = kNumSm,
                                                 .page_size = kPagedMqaPageSize,
                                                 .remainder = 0,
                                                 .schedule_metadata = table.as<int32_t>(),
                                                 .workspace = workspace.as<void>(),
                                                 .workspace_bytes = workspace_bytes});
  const float production = call_us(stream, kCallsPerGraph, [&] {
    require_launch(launch_paged_mqa_metadata_on_cuda(args, path, stream));
  });
  const float baseline = call_us(stream, kCallsPerGraph, [&] {
    require_launch(launch_paged_mqa_metadata_baseline_on_cuda(args, stream));
  });
  std::printf("%8lld  %-12s %10.2f %10.2f %8.1fx\n", static_cast<long long>(num_rows),
              path_name(path).data(), static_cast<double>(production),
              static_cast<double>(baseline), static_cast<double>(baseline / production));
}

}  // namespace

void print_schedule_times(cudaStream_t stream) {
  std::printf("paged_mqa_metadata, num_sm %d, lengths uniform in 1..%d, microseconds\n", kNumSm,
              kMaxLen);
  std::printf("%8s  %-12s %10s %10s %9s\n", "B", "path", "production", "baseline", "ratio");
  for (const int64_t num_rows : {1, 64, 512, 2048, 4096, 8192, 32768, 131072}) {
    print_row(stream, num_rows);
  }
}

}  // namespace bytegate::bench
