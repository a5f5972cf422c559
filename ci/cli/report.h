// What a gate says at its end: on the terminal, and in files.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "fuzz/run.h"

namespace bytegate::cli {

struct RunRow {
  const OpProperties* properties = nullptr;
  BackendKind backend = BackendKind::kHost;
  std::string backend_description;
  RunOutcome outcome;
};

struct Report {
  std::string command;    // as typed
  std::string candidate;  // name and version
  uint64_t seed = 0;
  std::vector<RunRow> rows;
  std::vector<std::string> absent;  // backends that did not run, and why
  std::vector<std::string> errors;  // files that could not be read, and the like
  std::vector<std::string> unmet;   // what the gate promises and did not reach
  std::vector<std::string> notes;   // what was found of earlier runs; said as it was found
  std::string interrupted;          // by which signal, and after how many cases; empty: it was not
  int exit_code = kExitPass;
};

// Whether bytegate's own kernels were gated: they must take every case and every path.
bool is_production(const Report& report);

// States that the signal which came ended the runs before all of `num_cases` (0: not known).
void note_interrupted(int64_t num_cases, Report& report);

// The worst of everything in the report; see kExit*.
int exit_code_of(const Report& report);

void print_report(const Report& report, std::ostream& out);
// A failure in the user's words, with the line that replays it.
void print_finding(const Finding& finding, std::ostream& out);

// Writes report.json, junit.xml and summary.md; what went wrong, or nothing.
std::optional<std::string> write_report(const Report& report, const std::string& dir);

// Prints the report, writes it to `dir` unless that is empty, and gives the exit code of it all.
int finish(const Report& report, const std::string& dir);

std::string report_json(const Report& report);
std::string report_junit(const Report& report);
std::string report_summary(const Report& report);

}  // namespace bytegate::cli
