// What somebody needs who has to act on a finding and has never heard of bytegate: what differs, in
// which versions, how to replay it, and programs that show it by themselves.
#pragma once

#include <optional>
#include <string>

#include "fuzz/finding.h"
#include "fuzz/run.h"
#include "properties/op_properties.h"

namespace bytegate {

struct FindingContext {
  std::string candidate;            // as RunOptions::candidate
  std::string backend_description;  // "NVIDIA H200, CUDA 13.0"
  std::string program_version;
  BackendOptions backend_options = {};
};

// The folder of the case file `DIR/STEM.case` is `DIR/STEM`.
std::string finding_folder_path(const std::string& case_file);

// Writes the folder of a saved finding: each file whole or not at all, the same bytes for the same
// finding and context. Runs the case once more, in a worker, for the bytes that came out. Returns
// what went wrong; the case file is never touched.
std::optional<std::string> write_finding_folder(const Finding& finding,
                                                const OpProperties& properties,
                                                const FindingContext& context);

}  // namespace bytegate
