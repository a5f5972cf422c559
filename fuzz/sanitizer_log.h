// What compute-sanitizer and the program under it printed, sorted by case.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/bare_marks.h"
#include "fuzz/sanitizer_line.h"
#include "properties/verdict.h"

namespace bytegate {

struct ToolFinding {
  VerdictKind kind = VerdictKind::kCrashed;
  std::string origin;   // "overread:memcheck/paged_mqa_metadata_tiny_kernel"
  std::string message;  // the tool's first line, and how far outside which allocation
  bool follows = false;
};

struct CaseLog {
  int64_t idx = -1;
  std::optional<Verdict> verdict = std::nullopt;  // of the program; none: it did not come to it
  std::vector<ToolFinding> findings = {};         // the first kMaxToolFindings
};
constexpr size_t kMaxToolFindings = 8;

// What the tool saw comes before what the program compared; a pass only if both did.
Verdict verdict_of(const CaseLog& log);

// One run of the tool, as far as it went.
struct SanitizerRun {
  bool banner = false;
  bool finished = false;  // the program said that it ran all it was to run
  bool stopped = false;   // the program said that nothing more can run in its process
  std::string backend;
  std::string absent_reason;  // of the backend; empty: it was there
  std::vector<CaseLog> cases;
  CaseLog outside;                         // findings before the first case or behind the last one
  std::vector<std::string> broken;         // the tool's words for why it could not work
  std::vector<std::string> notes;          // lines of it that say nothing known
  std::optional<int64_t> num_stated = {};  // errors in its own summary
  int64_t num_found = 0;                   // findings that were read
  int64_t num_unprinted = 0;
};

class SanitizerLog {
 public:
  // `tool` is what origins name.
  explicit SanitizerLog(std::string tool) : tool_(std::move(tool)) {}

  // Any bytes, cut anywhere.
  void feed(std::string_view bytes);
  // The end of the stream.
  SanitizerRun finish();
  // Of the program's marks, so far.
  [[nodiscard]] int64_t num_marks() const { return num_marks_; }

 private:
  void line(std::string_view text);
  void mark(const BareMark& mark);
  void tool_line(const ToolLine& line);
  void detail(std::string_view text);
  void close();
  CaseLog& current();

  std::string tool_;
  std::string rest_;  // of a line that has not ended
  SanitizerRun run_;
  bool in_case_ = false;
  int64_t num_marks_ = 0;
  std::optional<ToolFinding> open_;  // waits for its details
  std::string kernel_;
};

// Why the run says less than it should, a sentence each; empty: it is to be believed.
std::vector<std::string> flaws_of(const SanitizerRun& run);

}  // namespace bytegate
