// What runs in a worker process: a backend, one candidate, and the operations that were known when
// the process was forked.
#pragma once

#include <sys/types.h>

#include <functional>
#include <vector>

#include "kernels/backend.h"
#include "kernels/process_link.h"

namespace bytegate {

using BackendFactory = std::function<MadeBackend()>;

struct WorkerTask {
  BackendFactory inner;
  Candidate* candidate = nullptr;  // null: the worker only greets
  std::vector<const Op*> ops = {};
};

// Right after the fork, in the new process. Makes the backend, greets, and then makes the calls of
// the backend's interface that the parent asks for, in their order. Ends with the parent, and never
// runs what the parent has left to do at its exit.
[[noreturn]] void serve_as_worker(pid_t parent, ProcessLink& link, const WorkerTask& task) noexcept;

}  // namespace bytegate
