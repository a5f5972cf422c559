// A backend in a process of its own, whatever it is. The process is forked at the first submission;
// when it dies, loses its device or gives no answer in time, another takes its place, and the cases
// that it owes results are run again one at a time, so that the one that did it is named and every
// other gets its true result. Nothing that a case does reaches the next span, or this process.
//
// A worker sees memory as it was at the fork: the candidate, the operations of the cases, and what
// their code reads of this process. A candidate or operation that came later gets a new worker.
//
// Nothing that a candidate writes to stdout or stderr comes out: in a case that would count as done
// it is RunStatus::kNoisy. A host backend gets its cases one by one, so the one that wrote is
// known; others get a span, and when something was written, each of its cases is run again by
// itself in a new worker, and those that write then are named.
//
// A worker that somebody else kills (SIGKILL) is not held against its cases at first: the span, and
// then the case, is run once more, and only a case that runs by itself and is killed twice is a
// fault.
//
// What that asks of the caller:
//   - A backend is used by the thread that made it, and goes before that thread ends: a worker dies
//     with the thread that forked it.
//   - Where the inner backend is a cuda one, nothing in this process has used CUDA, nor has
//     `open` of the candidate: a forked process cannot.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>

#include "kernels/backend.h"
#include "kernels/fault_map.h"
#include "kernels/worker.h"

namespace bytegate {

struct ProcessOptions {
  // A submission may take this long; when it takes longer, each of its cases may, by itself. More
  // for large tensors and later steps.
  std::chrono::milliseconds limit = std::chrono::seconds(20);
  // As BackendOptions::worker_memory_bytes.
  uint64_t memory_bytes = 0;
  // As BackendOptions::give_up.
  std::function<bool()> give_up = nullptr;
  // Where the inner backend notes its buffers, if it does: of a worker that dies of SIGSEGV or
  // SIGBUS, RunResult::trespass is what the worker's copy of the map says of the address.
  std::shared_ptr<const FaultMap> faults = nullptr;
};

// `inner` is called in worker processes only: at once in one of its own, to learn what the backend
// is, and again in each worker.
MadeBackend make_process_backend(BackendFactory inner, const ProcessOptions& options);
MadeBackend make_process_backend(BackendFactory inner, std::chrono::milliseconds limit);

}  // namespace bytegate
