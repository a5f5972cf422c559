// A second instance of a case, in buffers of its own and on a stream of its own, that runs at the
// same time as the first.
#pragma once

#include "kernels/cuda_gate.h"
#include "kernels/cuda_instance.h"

namespace bytegate {

class CudaSecondInstance {
 public:
  CudaSecondInstance(CudaDevice& device, const Candidate& candidate, const CudaJob& job);

  CudaOutcome make();
  // Uploads its inputs, and holds its stream up with the gate.
  CudaOutcome prepare(size_t launch_idx, CudaGate& gate);
  // Calls run(). An answer other than OK becomes that of `result`.
  CudaOutcome launch(RunResult& result);
  CudaOutcome download();
  // Waits; damage around it is noted, unless there is some already.
  CudaOutcome take(std::optional<Damage>& damage);

 private:
  CudaDevice& device_;
  const Candidate& candidate_;
  const Case case_;  // with its own inputs
  CudaInstance instance_;
  CudaStream stream_;
  RunStatus status_ = RunStatus::kRefused;
};

}  // namespace bytegate
