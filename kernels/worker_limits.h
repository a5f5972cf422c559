// What a worker may take, and how much memory it holds.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <span>

#include "oracles/case.h"

namespace bytegate {

// Of an answer, beyond which the worker is ended.
struct WorkerLimits {
  std::chrono::milliseconds time{0};
  uint64_t memory_bytes = 0;  // more than it held when it had started
};
// With what large buffers and many steps take beyond the least.
WorkerLimits limits_for(std::span<const Case> cases, const WorkerLimits& least);

// Pages of the process that are in memory, those that it shares included; 0: it is gone.
uint64_t resident_bytes(pid_t process);

// Half of the memory of this machine, or of what its container may hold, and at most 16 GiB: a
// candidate that takes memory for ever gets there before its time is over.
uint64_t default_worker_memory_bytes();

}  // namespace bytegate
