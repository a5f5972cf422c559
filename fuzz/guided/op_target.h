// What the coverage-guided target of an operation does with an input: reads it as a case, checks
// the case in this very process, and tells what came of it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "fuzz/guided/feedback.h"
#include "fuzz/guided/last_input.h"
#include "fuzz/guided/target_report.h"
#include "kernels/backend.h"
#include "kernels/candidate_handle.h"
#include "kernels/fault_map.h"
#include "properties/check.h"

namespace bytegate {

struct OpTargetOptions {
  std::string candidate = {};   // path of a shared library; empty: the production kernels
  std::string failures = {};    // folder for the first failing case of each origin; empty: none
  std::string report = {};      // file that finish() writes; empty: none
  std::string last_input = {};  // file that holds the input which is being run; empty: none

  // BYTEGATE_FUZZ_CANDIDATE, _FAILURES, _REPORT and _LAST_INPUT.
  static OpTargetOptions of_environment();
};

class OpTarget {
 public:
  struct Result {
    std::unique_ptr<OpTarget> target;  // null on error
    std::string error;
  };
  // `counters` are set to what the last input reached.
  static Result make(const OpProperties& properties, OpTargetOptions options,
                     std::span<uint8_t> counters);

  // Nothing where the verdict is no failure, or is kept in the failures folder; else the verdict
  // and the case, for whoever ends the process.
  std::optional<std::string> run(std::span<const uint8_t> input);
  // At a normal end: writes the report. Returns what went wrong.
  [[nodiscard]] std::optional<std::string> finish() const;

  [[nodiscard]] const TargetReport& report() const { return report_; }

 private:
  OpTarget(const OpProperties& properties, OpTargetOptions options, std::span<uint8_t> counters);
  std::optional<std::string> keep_failure(Case c, const Verdict& verdict);

  const OpProperties& properties_;
  OpTargetOptions options_;
  FaultMap faults_;
  std::unique_ptr<Backend> backend_;
  std::unique_ptr<Candidate> candidate_;
  LastInput last_input_;
  TargetReport report_;
  Feedback feedback_;
};

}  // namespace bytegate
