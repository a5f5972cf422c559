// What a process that runs cases one at a time says of them, a line each. It goes through the same
// pipe as what a checking tool prints, so everything between the start of a case and that of the
// next one is about that case.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "properties/verdict.h"

namespace bytegate {

struct BareMark {
  enum class Kind : uint8_t {
    kBegin,    // text: what runs the cases
    kAbsent,   // text: why nothing can
    kCase,     // number: of the case that starts
    kVerdict,  // number, verdict (without its difference) and `text`, which describes it
    kStop,     // number: of the case after which nothing can run in this process any more
    kDone,     // number: how many cases ran
  } kind = Kind::kBegin;
  int64_t number = 0;
  Verdict verdict = {};
  std::string text = {};
};

// The mark with a newline at both ends: what stands before it may not have ended its line.
std::string line_of(const BareMark& mark);

// The mark that a line holds (without newline), or nothing.
std::optional<BareMark> read_mark(std::string_view line);

}  // namespace bytegate
