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

}  // namespace bytegate
