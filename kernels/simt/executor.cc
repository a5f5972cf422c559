#include "kernels/simt/executor.h"

#include "kernels/simt/scheduler.h"

namespace bytegate::simt {

Executor::Executor(const ExecutorOptions& options)
    : scheduler_(std::make_unique<Scheduler>(options)) {}

Executor::~Executor() = default;

void Executor::set_seed(std::uint64_t seed) {
  scheduler_->options.seed = seed;
}

const ExecutorOptions& Executor::options() const {
  return scheduler_->options;
}

const LaunchStats& Executor::stats() const {
  return scheduler_->stats;
}

Status Executor::run(const LaunchConfig& config, const KernelBody& kernel) {
  return scheduler_->run(config, kernel);
}

}  // namespace bytegate::simt
