// Kernels that no GPU would take, run on the SIMT executor. Each returns the status of the call.
#pragma once

#include "kernels/call_reader.h"

namespace bytegate {

// The halves of a block wait at two different barriers.
int32_t run_diverging_kernel(CallReader& call);
// Every thread waits for a flag that nobody sets.
int32_t run_waiting_kernel(CallReader& call);
// A thread writes one element past its block's shared memory.
int32_t run_overrunning_kernel(CallReader& call);
// A thread loads four elements at once from an address aligned to one.
int32_t run_misaligned_kernel(CallReader& call);

}  // namespace bytegate
