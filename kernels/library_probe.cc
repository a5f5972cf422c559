#include "kernels/library_probe.h"

#include "kernels/candidate_handle.h"
#include "kernels/process_worker.h"

namespace bytegate {

std::string probe_library(const std::string& path, std::chrono::milliseconds limit) {
  const auto load_only = [&path] { return MadeBackend{nullptr, Candidate::load(path).error}; };
  return ProcessWorker::start({.inner = load_only,
                               .failure = path + ": does not load",
                               .start_limit = limit,
                               .max_starts = 1})
      .error;
}

}  // namespace bytegate
