#include "kernels/library_probe.h"

#include "kernels/candidate_handle.h"
#include "kernels/process_worker.h"

namespace bytegate {

std::string probe_library(const std::string& path, std::chrono::milliseconds limit) {
  // Twice at once, as the threads of a run have it.
  const auto load_only = [&path] {
    const Candidate::Result first = Candidate::load(path);
    if (first.candidate == nullptr) return MadeBackend{nullptr, first.error};
    return MadeBackend{nullptr, Candidate::load(path).error};
  };
  return ProcessWorker::start({.inner = load_only,
                               .failure = path + ": does not load",
                               .start_limit = limit,
                               .max_starts = 1})
      .error;
}

}  // namespace bytegate
