// One case by itself: cases with steps, graph replays, sparse or large tensors, and every case that
// was launched together with one that failed.
#pragma once

#include "kernels/cuda_launch.h"

namespace bytegate {

// The device is idle again afterwards, unless it is lost.
RunResult run_alone(CudaDevice& device, const Candidate& candidate, const CudaJob& job);

}  // namespace bytegate
