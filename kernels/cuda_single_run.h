// One case by itself: cases with steps, graph replays, sparse or large tensors, and every case that
// was launched together with one that failed.
#pragma once

#include "kernels/cuda_launch.h"

namespace bytegate {

// Waits until the device is idle, so that a fault or a hang can only be this case's, and runs it.
// After a fault the device is recovered.
RunResult run_alone(CudaDevice& device, const Candidate& candidate, const CudaJob& job);

}  // namespace bytegate
