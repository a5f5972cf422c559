// What one line of NVIDIA's compute-sanitizer says. Its lines begin with nine "="; what belongs to
// the line before is indented further. Formats as of CUDA 12 and 13.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "properties/verdict.h"

namespace bytegate {

struct ToolLine {
  enum class Kind : uint8_t {
    kForeign,    // not the tool's
    kBanner,     // it is there
    kSummary,    // count: the errors or hazards that it saw
    kUnprinted,  // count: those that it did not print
    kFinding,    // something wrong with the program: `verdict`
    kDetail,     // more of the finding before it
    kBroken,     // the tool could not do its work
    kNote,       // anything else
    kBlank,
  } kind = Kind::kForeign;
  VerdictKind verdict = VerdictKind::kCrashed;
  bool follows = false;  // what an earlier finding leads to, as a failed call after a fault
  int64_t count = 0;
  std::string_view text = {};  // without the "=" and the blanks around it
};

// A head that is not known, but speaks of an error, is a finding: nothing is lost for its wording.
ToolLine read_tool_line(std::string_view line);

// The kernel or device function that a head or a detail speaks of, without its namespace, template
// arguments and parameters, so that it is the same in every build; empty: none.
std::string kernel_of(std::string_view text);

// Whether the detail says that the access before it was aligned badly.
bool says_misaligned(std::string_view detail);
// Whether the detail says how far outside which allocation the access was.
bool says_where(std::string_view detail);

}  // namespace bytegate
