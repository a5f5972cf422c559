#include "kernels/testing/faulty_kernels.h"

#include "kernels/builtin_candidate.h"
#include "kernels/simt/cuda_names.h"
#include "kernels/simt/executor.h"

namespace bytegate {

int32_t run_diverging_kernel(CallReader& call) {
  simt::Executor executor;
  const simt::LaunchConfig config = {.name = "diverging_kernel", .block = {.x = 64}};
  return report_launch(call, executor.launch(config, [] {
    if (threadIdx.x < 32) {
      __syncthreads();
    } else {
      __syncthreads();
    }
  }));
}

int32_t run_waiting_kernel(CallReader& call) {
  simt::Executor executor(simt::ExecutorOptions{.max_idle_switches = 10000});
  const simt::LaunchConfig config = {.name = "waiting_kernel", .block = {.x = 64}};
  int flag = 0;
  return report_launch(call, executor.launch(config, [&flag] {
    while (simt::load_acquire(&flag) == 0) {
    }
  }));
}

int32_t run_overrunning_kernel(CallReader& call) {
  struct Cells {
    int cells[5];
  };
  simt::Executor executor;
  const simt::LaunchConfig config = {.name = "overrunning_kernel", .block = {.x = 32}};
  return report_launch(call, executor.launch<Cells>(config, [](Cells& shared) {
    volatile int* cells = shared.cells;
    if (threadIdx.x == 7) cells[5] = 1;
  }));
}

int32_t run_misaligned_kernel(CallReader& call) {
  alignas(16) static constexpr int kCells[8] = {};
  simt::Executor executor;
  const simt::LaunchConfig config = {.name = "misaligned_kernel", .block = {.x = 32}};
  return report_launch(call, executor.launch(config, [] {
    static_cast<void>(simt::load_aligned<int4>(kCells + 1));
  }));
}

}  // namespace bytegate
