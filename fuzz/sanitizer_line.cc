#include "fuzz/sanitizer_line.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

namespace bytegate {
namespace {

constexpr std::string_view kPrefix = "=========";

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

std::string lower(std::string_view text) {
  std::string lowered(text);
  std::transform(lowered.begin(), lowered.end(), lowered.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lowered;
}

std::string_view trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

// The number behind `label`, 0 if there is none.
int64_t count_behind(std::string_view text, std::string_view label) {
  text = trimmed(text.substr(text.find(label) + label.size()));
  int64_t count = 0;
  std::string digits;
  for (const char c : text) {
    if (c == ',' && !digits.empty()) continue;
    if (std::isdigit(static_cast<unsigned char>(c)) == 0) break;
    digits += c;
  }
  std::from_chars(digits.data(), digits.data() + digits.size(), count);
  return count;
}

struct Head {
  std::string_view part;  // in lower case; the first that is found decides
  ToolLine::Kind kind;
  VerdictKind verdict = VerdictKind::kCrashed;
  bool follows = false;
};

using Kind = ToolLine::Kind;

constexpr std::array kHeads = {
    // The tool itself.
    Head{"no attachable process found", Kind::kBroken},
    Head{"injection library", Kind::kBroken},
    Head{"inject", Kind::kBroken},
    Head{"device not supported", Kind::kBroken},
    Head{"internal sanitizer error", Kind::kBroken},
    Head{"internal error", Kind::kBroken},
    Head{"before first instrumented", Kind::kBroken},
    Head{"unable to launch", Kind::kBroken},
    Head{"failed to launch", Kind::kBroken},
    Head{"unable to initialize", Kind::kBroken},
    Head{"failed to initialize", Kind::kBroken},
    Head{"out of resources", Kind::kBroken},
    // How the program ended: its own lines say that better.
    Head{"target application returned an error", Kind::kNote},
    Head{"process didn't terminate successfully", Kind::kNote},
    // What the tools see. "Misaligned" before the accesses, whose head such a line may share.
    Head{"race reported", Kind::kFinding, VerdictKind::kRace},
    Head{"hazard detected", Kind::kFinding, VerdictKind::kRace},
    Head{"barrier error", Kind::kFinding},
    Head{"misaligned", Kind::kFinding},
    Head{"uninitialized", Kind::kFinding, VerdictKind::kUnstable},
    Head{"program hit", Kind::kFinding, VerdictKind::kCrashed, true},
    Head{" read of size", Kind::kFinding, VerdictKind::kOverread},
    Head{" write of size", Kind::kFinding, VerdictKind::kOverrun},
    Head{" atomic of size", Kind::kFinding, VerdictKind::kOverrun},
    Head{" reduction of size", Kind::kFinding, VerdictKind::kOverrun},
};

constexpr std::array<std::string_view, 14> kErrorWords = {
    "error",  "invalid",       "illegal", "fail",      "hazard",    "race",   "fault",
    "unable", "not supported", "abort",   "exception", "violation", "unsupp", "leaked"};

ToolLine read_summary(std::string_view text) {
  const int64_t count = count_behind(text, "SUMMARY:");
  if (contains(text, "not printed")) {
    return {.kind = Kind::kUnprinted, .count = count, .text = text};
  }
  // Of a leak check that is not asked for.
  if (contains(text, "LEAK SUMMARY")) return {.kind = Kind::kNote, .text = text};
  return {.kind = Kind::kSummary, .count = count, .text = text};
}

ToolLine read_head(std::string_view text) {
  if (text == "COMPUTE-SANITIZER") return {.kind = Kind::kBanner, .text = text};
  if (contains(text, "SUMMARY:")) return read_summary(text);
  const std::string lowered = lower(text);
  for (const Head& head : kHeads) {
    if (!contains(lowered, head.part)) continue;
    return {.kind = head.kind, .verdict = head.verdict, .follows = head.follows, .text = text};
  }
  const bool is_error = std::any_of(kErrorWords.begin(), kErrorWords.end(),
                                    [&](std::string_view word) { return contains(lowered, word); });
  return {.kind = is_error ? Kind::kFinding : Kind::kNote, .text = text};
}

// "file.cu:12:kernel(int)" behind an offset, as CUDA 11 wrote it: the place before the name goes.
std::string_view without_place(std::string_view text) {
  const size_t in = text.find(" in ");
  if (in == std::string_view::npos) return {};
  text.remove_prefix(in + 4);
  for (size_t colon = text.find(':'); colon != std::string_view::npos;
       colon = text.find(':', colon + 1)) {
    size_t end = colon + 1;
    while (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end])) != 0) ++end;
    if (end > colon + 1 && end < text.size() && text[end] == ':') return text.substr(end + 1);
  }
  return text;
}

// What stands before the parameters, without what stands in angle brackets.
std::string bare_name(std::string_view signature) {
  constexpr std::string_view kUnnamed = "(anonymous namespace)::";
  std::string name;
  int depth = 0;
  for (size_t i = 0; i < signature.size(); ++i) {
    const char c = signature[i];
    if (depth == 0 && signature.substr(i).rfind(kUnnamed, 0) == 0) {
      i += kUnnamed.size() - 1;
    } else if (c == '<') {
      ++depth;
    } else if (c == '>') {
      depth = std::max(depth - 1, 0);
    } else if (depth == 0) {
      if (c == '(' || c == '+' || c == '[') break;
      name += c;
    }
  }
  return name;
}

}  // namespace

ToolLine read_tool_line(std::string_view line) {
  const size_t begin = line.find(kPrefix);
  if (begin == std::string_view::npos) return {};
  const std::string_view behind = line.substr(begin + kPrefix.size());
  const std::string_view text = trimmed(behind);
  if (text.empty()) return {.kind = Kind::kBlank};
  // Heads stand one blank behind the "=".
  if (behind.rfind("   ", 0) == 0) return {.kind = Kind::kDetail, .text = text};
  return read_head(text);
}

std::string kernel_of(std::string_view text) {
  size_t at = text.rfind("at ", 0) == 0 ? 0 : text.find(" access at ");
  if (at == std::string_view::npos) return {};
  text = trimmed(text.substr(text.find("at ", at) + 3));
  if (text.rfind("0x", 0) == 0) text = without_place(text);
  std::string name = bare_name(text);
  const std::string_view kept = trimmed(name);
  std::string word;
  for (const char c : kept.substr(std::min(kept.find_last_of(" :") + 1, kept.size()))) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
    word += plain ? c : '_';
  }
  constexpr size_t kMaxName = 80;
  return word.substr(0, kMaxName);
}

bool says_misaligned(std::string_view detail) {
  return contains(lower(detail), "misaligned");
}

bool says_where(std::string_view detail) {
  return contains(detail, "nearest allocation") || contains(detail, "out of bounds");
}

}  // namespace bytegate
