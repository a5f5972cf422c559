// What a check found. A closed set of outcomes; nothing else exists, and the default is a failure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "oracles/case.h"

namespace bytegate {

enum class VerdictKind : uint8_t {
  kUntested,     // nobody looked: the default
  kPass,         // every stated byte is right and nothing else was touched
  kMismatch,     // a stated byte differs
  kUnwritten,    // a stated byte was not written
  kOverrun,      // a guard, a gap or an input changed
  kOverread,     // read outside its inputs
  kUnstable,     // another run, mode or poison gives other bytes
  kRace,         // a checker saw unordered accesses
  kInvariant,    // breaks an invariant of the contract
  kRefused,      // an error status on a valid call
  kAccepted,     // no error on an invalid call
  kCrashed,      // signal, abort, device fault, or what the executor names
  kExited,       // ended the process
  kHung,         // did not end
  kExhausted,    // memory
  kNoisy,        // wrote to stdout or stderr
  kUnloadable,   // the candidate could not be loaded
  kUnsupported,  // declared beforehand that it does not take the case
  kVacuous,      // nothing was compared
};
constexpr int kNumVerdictKinds = static_cast<int>(VerdictKind::kVacuous) + 1;

std::string_view verdict_name(VerdictKind kind);
std::optional<VerdictKind> verdict_of_name(std::string_view name);

// The first wrong element, in the user's words.
struct Difference {
  std::string field;   // tensor name
  std::string index;   // "[3, 1]"
  std::string expect;  // decimal; for the host to print, whatever the dtype
  std::string actual;
  int64_t num_different = 0;
  int64_t num_elements = 0;
  int64_t step_idx = 0;
};

struct Verdict {
  VerdictKind kind = VerdictKind::kUntested;
  // Short and stable under shrinking: "mismatch:schedule_metadata", or
  // "unstable:schedule_metadata@again" in a mode other than plain. Empty for a pass.
  std::string origin = {};
  std::string message = {};
  std::string path = {};  // dispatch path the candidate says it took
  std::optional<Difference> difference = std::nullopt;
  std::vector<int> relations = {};  // those of OpProperties::relations that the case was held to

  [[nodiscard]] bool passed() const { return kind == VerdictKind::kPass; }
};

// Whether the case says nothing of the candidate: it does not take such a case, or has nothing that
// the case could spoil. Counted and shown; red for bytegate's own kernels, which must take
// everything.
constexpr bool says_nothing(VerdictKind kind) {
  return kind == VerdictKind::kUnsupported || kind == VerdictKind::kVacuous;
}

// What failed, whatever the mode that it was seen in: the origin up to its "@".
std::string_view flaw_of_origin(std::string_view origin);

// One line: "mismatch:schedule_metadata at [1, 0]: expect 0, actual 1 (1 of 6 differ)".
std::string describe(const Verdict& verdict);

// Exit codes of the command line, worst last.
enum ExitCode : int {
  kExitPass = 0,
  kExitFailed = 1,
  kExitUsage = 2,
  kExitCrashed = 3,
  kExitNoBackend = 4,
};
ExitCode exit_code_of(VerdictKind kind);

}  // namespace bytegate
