// The cases of one operation under one of compute-sanitizer's tools.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ci/cli/options.h"
#include "ci/cli/report.h"
#include "ci/cli/sanitizer_tool.h"
#include "fuzz/bare_cases.h"
#include "fuzz/sanitizer_log.h"

namespace bytegate::cli {

constexpr int64_t kCheckerCases = 1000;  // generated, per operation, when the caller does not say

class CheckerGate {
 public:
  // `corpus` and `options` must outlive this.
  CheckerGate(const OpProperties& properties, const LoadedCases& corpus, const Options& options,
              const FoundTool& tool);

  // Every case, in as many processes as it takes.
  void run();
  RunRow& row() { return row_; }
  // Why the row says less than it should, a sentence each.
  [[nodiscard]] const std::vector<std::string>& problems() const { return problems_; }
  [[nodiscard]] bool backend_is_absent() const { return backend_is_absent_; }
  [[nodiscard]] int64_t num_too_large() const { return cases_.num_too_large(); }

 private:
  struct Span {
    int64_t first = 0;
    int64_t count = 0;
  };

  SanitizerRun launch(const Span& span);
  std::optional<int64_t> next_after(const SanitizerRun& run, const Span& span);
  void end_last_case(SanitizerRun& run);
  void settle(const CaseLog& log, bool alone);
  void fail(const CaseLog& log, const Verdict& verdict, BareCases::Numbered numbered, bool alone);
  bool shows_alone(int64_t number, const std::string& origin);
  std::vector<std::string> program(const std::string& name) const;
  void complain_of(const std::string& problem);

  const OpProperties& properties_;
  const Options& options_;
  const CheckerSpec& checker_;
  std::vector<std::string> tool_;
  BareCases cases_;
  RunRow row_;
  ChildEnd end_;  // of the last process
  std::map<std::string, size_t> finding_of_origin_;
  std::vector<std::string> problems_;
  std::function<void(int64_t, int64_t)> progress_;
  bool backend_is_absent_ = false;
};

}  // namespace bytegate::cli
