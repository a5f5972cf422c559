#include "properties/verdict.h"

#include <array>

namespace bytegate {
namespace {

constexpr std::array<std::string_view, kNumVerdictKinds> kNames = {
    "untested",  "pass",      "mismatch",   "unwritten",   "overrun", "overread", "unstable",
    "race",      "invariant", "refused",    "accepted",    "crashed", "exited",   "hung",
    "exhausted", "noisy",     "unloadable", "unsupported", "vacuous"};

}  // namespace

std::string_view verdict_name(VerdictKind kind) {
  return kNames[static_cast<size_t>(kind)];
}

std::optional<VerdictKind> verdict_of_name(std::string_view name) {
  for (size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == name) return static_cast<VerdictKind>(i);
  }
  return std::nullopt;
}

std::string_view flaw_of_origin(std::string_view origin) {
  return origin.substr(0, origin.find('@'));
}

std::string describe(const Verdict& verdict) {
  std::string text =
      verdict.origin.empty() ? std::string(verdict_name(verdict.kind)) : verdict.origin;
  if (verdict.difference) {
    const Difference& difference = *verdict.difference;
    text += " at " + difference.field + difference.index;
    if (difference.step_idx > 0) text += " in step " + std::to_string(difference.step_idx);
    text += ": expect " + difference.expect + ", actual " + difference.actual + " (" +
            std::to_string(difference.num_different) + " of " +
            std::to_string(difference.num_elements) + " differ)";
  }
  if (!verdict.message.empty()) text += ": " + verdict.message;
  return text;
}

ExitCode exit_code_of(VerdictKind kind) {
  switch (kind) {
    case VerdictKind::kPass:
      return kExitPass;
    case VerdictKind::kCrashed:
    case VerdictKind::kExited:
    case VerdictKind::kHung:
    case VerdictKind::kExhausted:
      return kExitCrashed;
    case VerdictKind::kUnloadable:
      return kExitUsage;
    default:
      return kExitFailed;
  }
}

}  // namespace bytegate
