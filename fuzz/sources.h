// Where cases come from: files, request traces, generators.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fuzz/run.h"
#include "properties/op_properties.h"
#include "properties/trace/slots.h"

namespace bytegate {

// Case files below a folder, in the order of their names; or the file itself. An error when there
// is no such path, or a folder without a single case.
struct CaseFiles {
  std::vector<std::string> paths;
  std::string error;
};
// Whether the file is in a folder `large`, for cases that take gigabytes.
bool is_large_case(const std::string& path);
CaseFiles find_case_files(const std::string& file_or_dir);

// Loaded cases. What cannot be read is listed; nothing is left out silently.
struct LoadedCases {
  std::vector<Case> cases;
  std::vector<std::string> files;
  std::vector<std::string> errors;
};
LoadedCases load_case_files(const std::vector<std::string>& paths, OpTable ops);

bool runs_on(const Case& c, BackendKind backend);
// "trace" for files in a folder of that name, else "corpus".
std::string source_of_path(const std::string& path);

// How many cases of the operation are for another backend only.
int64_t num_for_other_backends(const LoadedCases& loaded, const Op& op, BackendKind backend);

// The cases of one operation that may run on `backend`, a few at a time. `loaded` must outlive the
// source.
CaseSource source_of_files(const LoadedCases& loaded, const Op& op, BackendKind backend);

// Cases `shard`, shard + num_shards, ... below num_cases of the stream that `seed` begins, counted
// from its case `first`.
struct GeneratedRange {
  uint64_t seed = 1;
  int64_t num_cases = 0;
  int64_t shard = 0;
  int64_t num_shards = 1;
  int64_t first = 0;
};
CaseSource source_of_generator(const OpProperties& properties, const GeneratedRange& range,
                               BackendKind backend);

// Every batch that the simulation emits.
CaseSource source_of_trace(const OpProperties& properties, trace::ServedRun served, uint64_t seed);

// One source after the other.
CaseSource joined(std::vector<CaseSource> sources);

}  // namespace bytegate
