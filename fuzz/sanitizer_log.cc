#include "fuzz/sanitizer_log.h"

#include <algorithm>
#include <utility>

namespace bytegate {
namespace {

constexpr size_t kMaxLine = 4096;  // of a longer one the rest is left out
constexpr size_t kMaxKept = 16;    // notes and complaints of the tool

void keep(std::vector<std::string>& kept, std::string_view text) {
  if (kept.size() < kMaxKept) kept.emplace_back(text);
}

std::string with_count(int64_t count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

}  // namespace

Verdict verdict_of(const CaseLog& log) {
  const auto first = std::find_if(log.findings.begin(), log.findings.end(),
                                  [](const ToolFinding& finding) { return !finding.follows; });
  Verdict verdict = log.verdict.value_or(Verdict{});
  if (log.findings.empty()) return verdict;
  const ToolFinding& finding = first == log.findings.end() ? log.findings.front() : *first;
  return {.kind = finding.kind,
          .origin = finding.origin,
          .message = finding.message,
          .path = verdict.path};
}

void SanitizerLog::feed(std::string_view bytes) {
  while (!bytes.empty()) {
    const size_t end = bytes.find('\n');
    const std::string_view part = bytes.substr(0, end);
    rest_ += part.substr(0, kMaxLine - std::min(rest_.size(), kMaxLine));
    if (end == std::string_view::npos) return;
    line(rest_);
    rest_.clear();
    bytes.remove_prefix(end + 1);
  }
}

SanitizerRun SanitizerLog::finish() {
  if (!rest_.empty()) line(rest_);
  rest_.clear();
  close();
  return std::move(run_);
}

CaseLog& SanitizerLog::current() {
  return in_case_ && !run_.cases.empty() ? run_.cases.back() : run_.outside;
}

void SanitizerLog::line(std::string_view text) {
  if (const std::optional<BareMark> found = read_mark(text)) {
    close();
    ++num_marks_;
    mark(*found);
    return;
  }
  tool_line(read_tool_line(text));
}

void SanitizerLog::mark(const BareMark& mark) {
  switch (mark.kind) {
    case BareMark::Kind::kBegin:
      run_.backend = mark.text;
      break;
    case BareMark::Kind::kAbsent:
      run_.absent_reason = mark.text;
      break;
    case BareMark::Kind::kCase:
      run_.cases.push_back({.idx = mark.number});
      in_case_ = true;
      break;
    case BareMark::Kind::kVerdict:
      // Of another case than the one that runs it would be somebody else's word.
      if (in_case_ && run_.cases.back().idx == mark.number && !run_.cases.back().verdict) {
        run_.cases.back().verdict = mark.verdict;
        run_.cases.back().verdict->message = mark.text;
      } else {
        keep(run_.broken, "a verdict came for a case that was not running");
      }
      break;
    case BareMark::Kind::kStop:
      run_.stopped = true;
      break;
    case BareMark::Kind::kDone:
      run_.finished = mark.number == static_cast<int64_t>(run_.cases.size());
      in_case_ = false;
      break;
  }
}

void SanitizerLog::tool_line(const ToolLine& line) {
  using Kind = ToolLine::Kind;
  if (line.kind == Kind::kForeign) return;
  if (line.kind == Kind::kDetail) return detail(line.text);
  close();
  switch (line.kind) {
    case Kind::kBanner:
      run_.banner = true;
      break;
    case Kind::kSummary:
      run_.num_stated = run_.num_stated.value_or(0) + line.count;
      break;
    case Kind::kUnprinted:
      run_.num_unprinted += line.count;
      break;
    case Kind::kFinding:
      open_ = {.kind = line.verdict,
               .origin = "",
               .message = std::string(line.text),
               .follows = line.follows};
      kernel_ = kernel_of(line.text);
      break;
    case Kind::kBroken:
      keep(run_.broken, line.text);
      break;
    case Kind::kNote:
      keep(run_.notes, line.text);
      break;
    case Kind::kForeign:
    case Kind::kDetail:
    case Kind::kBlank:
      break;
  }
}

void SanitizerLog::detail(std::string_view text) {
  if (!open_) return;
  if (kernel_.empty()) kernel_ = kernel_of(text);
  if (says_misaligned(text)) open_->kind = VerdictKind::kCrashed;
  if (says_where(text) || says_misaligned(text)) open_->message += "; " + std::string(text);
}

// The finding is complete once another line follows that is none of its details.
void SanitizerLog::close() {
  if (!open_) return;
  open_->origin =
      std::string(verdict_name(open_->kind)) + ":" + tool_ + (kernel_.empty() ? "" : "/" + kernel_);
  ++run_.num_found;
  std::vector<ToolFinding>& findings = current().findings;
  // A flood of what a fault leads to must not hide the fault.
  if (findings.size() < kMaxToolFindings || !open_->follows) {
    if (findings.size() >= kMaxToolFindings) {
      const auto later =
          std::find_if(findings.begin(), findings.end(), [](const auto& f) { return f.follows; });
      if (later != findings.end()) *later = std::move(*open_);
    } else {
      findings.push_back(std::move(*open_));
    }
  }
  open_.reset();
  kernel_.clear();
}

std::vector<std::string> flaws_of(const SanitizerRun& run) {
  std::vector<std::string> flaws;
  for (const std::string& words : run.broken) flaws.push_back("the tool says: " + words);
  if (!run.banner) flaws.emplace_back("the tool's banner never came: it did not run");
  if (run.banner && !run.num_stated) {
    flaws.emplace_back("the tool's summary never came: it did not end its work");
  }
  if (run.num_unprinted > 0) {
    flaws.push_back("the tool left " + with_count(run.num_unprinted, "error") + " unprinted");
  }
  if (run.num_stated.value_or(0) > run.num_found) {
    flaws.push_back("the tool's summary says " + with_count(*run.num_stated, "error") +
                    ", but only " + std::to_string(run.num_found) + " could be read");
  }
  for (const ToolFinding& finding : run.outside.findings) {
    flaws.push_back("outside any case: " + finding.origin + ": " + finding.message);
  }
  return flaws;
}

}  // namespace bytegate
