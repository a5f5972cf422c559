// A failure that is kept: minimised, saved as a case file, with the line that replays it.
#pragma once

#include <optional>
#include <string>

#include "oracles/case.h"
#include "properties/minimize.h"
#include "properties/verdict.h"

namespace bytegate {

struct Finding {
  std::string op;
  BackendKind backend = BackendKind::kHost;
  std::string source;  // "generated", "corpus", "trace", "interrupted"
  Case kept;
  Verdict verdict;           // of the kept case
  int64_t num_failures = 1;  // of this origin in the run
  int64_t after_cases = 0;   // how many cases had a verdict before the first of them
  double after_seconds = 0;  // from the start of the run to that verdict
  bool minimal = false;      // no single move leads further
  double minimize_seconds = 0;
  std::string file;  // where the case is; empty: it could not be saved
  std::string save_error;
  std::string replay;  // a line to paste
};

// <dir>/<op>/regress/<origin>-<digest>.case
std::string finding_path(const std::string& dir, const Case& c, const std::string& origin);

// Saves `c` there with its origin; returns the path or, in `error`, why it could not.
struct SavedFinding {
  std::string path;
  std::string error;
};
SavedFinding save_finding(const std::string& dir, Case c, const std::string& origin,
                          const std::string& note);

// The word as a shell must be given it.
std::string shell_quoted(const std::string& word);

// "PROGRAM replay FILE --candidate C --backend B", quoted for a shell.
std::string replay_line(const std::string& program, const std::string& file,
                        const std::string& candidate, BackendKind backend);

}  // namespace bytegate
