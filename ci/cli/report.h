// What a gate says at its end: on the terminal, and in files.
#pragma once

#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "fuzz/campaign/slice.h"
#include "fuzz/run.h"

namespace bytegate::cli {

// What a run under one of the vendor's checking tools adds to its row.
struct CheckerRow {
  std::string tool;     // "memcheck"
  std::string version;  // the tool's own line; empty: it does not say
  std::string command;  // "compute-sanitizer --tool memcheck ..", up to the program
  std::string again;    // a line that runs this row once more
  int64_t num_asked = 0;
  int64_t num_run = 0;        // cases with a verdict
  int64_t num_processes = 0;  // the program is started again after a fault
  int64_t num_findings = 0;   // what the tool reported, of all cases
  std::vector<std::string> notes = {};
};

// What a sweep adds to its row: of one world, or of a shard of it.
struct SweepRow {
  std::string world;
  std::string shard;            // "0/4"; empty: all of it
  std::string state;            // the folder that records what passed; empty: none
  int64_t num_cases = 0;        // of the world
  int64_t num_asked = 0;        // of them in the shard
  int64_t num_before = 0;       // of those, recorded as passed by earlier sweeps
  int64_t num_run = 0;          // with a verdict of this one
  int64_t num_passed_ever = 0;  // of the world, recorded by this sweep or earlier ones
};

// What a campaign adds to its row: slices of one kind.
struct CampaignSlices {
  SliceKind kind = SliceKind::kDrawn;
  int64_t num_slices = 0;
  // Of them, what was done just now; the rest is of earlier runs, or of other machines.
  int64_t num_slices_now = 0;
  int64_t num_cases_now = 0;
  NamedCounts paths = {};      // cases that took each, whatever came of them
  int64_t num_inputs = 0;      // guided: kept for reaching something new
  int64_t num_early_ends = 0;  // guided: by a crash or a hang
  int64_t coverage = 0;        // guided: edges
};

struct RunRow {
  const OpProperties* properties = nullptr;
  BackendKind backend = BackendKind::kHost;
  std::string backend_description;
  RunOutcome outcome;
  std::optional<CheckerRow> checker = std::nullopt;
  std::optional<SweepRow> sweep = std::nullopt;
  std::optional<CampaignSlices> campaign = std::nullopt;
};

struct Report {
  std::string command;    // as typed
  std::string candidate;  // name and version
  uint64_t seed = 0;
  bool without_oracle = false;  // judged by invariants and relations alone
  std::vector<RunRow> rows;
  std::vector<std::string> absent;  // backends that did not run, and why
  std::vector<std::string> errors;  // files that could not be read, and the like
  std::vector<std::string> unmet;   // what the gate promises and did not reach
  std::vector<std::string> notes;   // what was found of earlier runs; said as it was found
  std::string interrupted;          // by which signal, and after how many cases; empty: it was not
  int exit_code = kExitPass;
};

constexpr const char* kWithoutOracleNote =
    "judged by invariants and relations between outputs alone: no oracle was asked";

// Whether bytegate's own kernels were gated: they must take every case and every path.
bool is_production(const Report& report);

// States that the signal which came ended the runs before all of `num_cases` (0: not known).
void note_interrupted(int64_t num_cases, Report& report);

// How many cells of the op's products a gate promises, and in how many of them cases passed.
struct NumCells {
  int64_t promised = 0;
  int64_t reached = 0;
};
NumCells num_cells(const RunRow& row);

// Whether the candidate said of every case that it does not take it: the operation is not its.
bool is_foreign(const RunRow& row);

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
