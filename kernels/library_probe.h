// Whether a shared library can be loaded at all, found out where it can do no harm.
#pragma once

#include <chrono>
#include <string>

namespace bytegate {

// Loads, opens and closes the candidate in a process of its own. Why it cannot be used; empty: it
// can. Besides what Candidate::load says, that is a library whose constructors, entry point, `open`
// or `close` crash, exit, do not come to an end within the limit, or write to stdout or stderr.
//
// The process is forked, and the loader in it needs locks that another thread may hold at that
// moment: this is for once before a run, while there is one thread. That the library loads does not
// say that it does so in every process; Candidate::load runs its code in the one that calls it.
std::string probe_library(const std::string& path,
                          std::chrono::milliseconds limit = std::chrono::seconds(20));

}  // namespace bytegate
