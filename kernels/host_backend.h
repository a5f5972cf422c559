// The host backend as it is in a worker process, right here.
#pragma once

#include <memory>

#include "kernels/backend.h"
#include "kernels/fault_map.h"

namespace bytegate {

// Every buffer stands at an unmapped page, as `faults` says while a case runs; what a candidate
// does there faults in this process. `faults` outlives the backend.
std::unique_ptr<Backend> make_guarded_host_backend(const BackendOptions& options, FaultMap& faults);

}  // namespace bytegate
