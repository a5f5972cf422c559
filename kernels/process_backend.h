// A backend in a process of its own, whatever it is. The process is forked at the first submission;
// when it dies, loses its device or gives no answer in time, another takes its place, and the cases
// that it owes results are run again one at a time, so that the one that did it is named and every
// other gets its true result. Nothing that a case does reaches the next span, or this process.
//
// A worker sees memory as it was at the fork: the candidate, the operations of the cases, and what
// their code reads of this process. A candidate or operation that came later gets a new worker.
//
// What that asks of the caller:
//   - A backend is used by the thread that made it, and goes before that thread ends: a worker dies
//     with the thread that forked it.
//   - Where the inner backend is a cuda one, nothing in this process has used CUDA, nor has
//     `open` of the candidate: a forked process cannot.
#pragma once

#include <chrono>

#include "kernels/backend.h"
#include "kernels/worker.h"

namespace bytegate {

// `inner` is called in worker processes only: at once in one of its own, to learn what the backend
// is, and again in each worker. A submission may take `limit`; when it takes longer, each of its
// cases may, by itself.
MadeBackend make_process_backend(BackendFactory inner, std::chrono::milliseconds limit);

}  // namespace bytegate
