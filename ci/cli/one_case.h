// What the commands about one case file have in common.
#pragma once

#include <functional>
#include <string>

#include "ci/cli/options.h"

namespace bytegate::cli {

// The case of the file, and where it is to be run.
struct OneCase {
  const std::string& file;
  const Case& c;
  const OpProperties& properties;
  Candidate& candidate;
  Backend& backend;
  const std::string& backend_description;
};

// Does `command` on each chosen backend that the case is for, until one of its exit codes is not
// kExitPass; that is the result. A file, candidate or backend that is missing is complained of.
int on_chosen_backends(const std::string& file, const Options& options,
                       const std::function<int(const OneCase&)>& command);

}  // namespace bytegate::cli
