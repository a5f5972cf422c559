// What runs in a worker process: a backend, one candidate, and the operations that were known when
// the process was forked.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kernels/backend.h"
#include "kernels/fault_map.h"
#include "kernels/last_words.h"
#include "kernels/output_trap.h"
#include "kernels/process_link.h"

namespace bytegate {

using BackendFactory = std::function<MadeBackend()>;

struct WorkerTask {
  BackendFactory inner;
  Candidate* candidate = nullptr;  // null: the worker only greets
  std::vector<const Op*> ops = {};
  std::shared_ptr<const FaultMap> faults = nullptr;  // see ProcessOptions
  // What is said of a worker that does not come to greet, how long it has to, and how often it is
  // tried: a lock that another thread holds at the fork stays locked in the worker. It is not ours,
  // and not likely, but a worker that needs it says nothing for ever. One may be killed, too.
  std::string failure = "a worker did not start";
  std::chrono::milliseconds start_limit = std::chrono::seconds(30);  // many may wait for a driver
  int max_starts = 3;
  std::function<bool()> give_up = nullptr;  // see BackendOptions; the parent's to ask
};

// What a worker shares with its parent.
struct WorkerChannels {
  std::unique_ptr<ProcessLink> link;
  OutputTrap output;
  LastWords words;
};

// Right after the fork, in the new process. Makes the backend, greets, and then makes the calls of
// the backend's interface that the parent asks for, in their order. Ends with the parent, and never
// runs what the parent has left to do at its exit.
[[noreturn]] void serve_as_worker(pid_t parent, WorkerChannels& channels,
                                  const WorkerTask& task) noexcept;

}  // namespace bytegate
