// The waist: every case of every source passes through this one function.
#pragma once

#include <span>
#include <vector>

#include "kernels/backend.h"
#include "properties/op_properties.h"
#include "properties/verdict.h"

namespace bytegate {

// One verdict per case, in order: runs the candidate, the oracle and the invariants, and compares
// bytes. Cases of one call share an operation. Of a case that is to be survived nothing is
// compared: it passes when it ended, with success or a refusal, and touched nothing else. A case
// that is malformed, or outside the contract in what it does not say, is an error of the caller and
// comes back as `untested` with the reason.
std::vector<Verdict> check(std::span<const Case> cases, Candidate& candidate, Backend& backend,
                           const OpProperties& properties);

// What the bytes of a valid case are judged by.
enum class Yardstick : uint8_t {
  kOracle,      // the oracle's bytes, then the invariants
  kInvariants,  // the invariants, and what an earlier launch gave; no oracle is asked
};

struct CheckedRun {
  Verdict verdict;
  Outputs outputs;  // of the first launch; empty where there was none
};

// The same in two halves, so that the device works while the host prepares the next span. All that
// is handed over must outlive it.
class PendingCheck {
 public:
  PendingCheck(std::span<const Case> cases, Candidate& candidate, Backend& backend,
               const OpProperties& properties, Yardstick yardstick = Yardstick::kOracle);
  // Either of them, once.
  std::vector<Verdict> collect();
  std::vector<CheckedRun> collect_runs();

 private:
  std::span<const Case> cases_;
  const OpProperties& properties_;
  Yardstick yardstick_;
  std::vector<CheckedRun> runs_;    // so far of the cases that are not run
  std::vector<Case> subset_;        // copies of those that are, as their modes want them
  std::vector<size_t> subset_idx_;  // their places in cases_
  std::unique_ptr<Submission> submission_;
};

// Compares what one step gave with what the contract states. Exposed because it is tested by itself
// with outputs known to be bad.
Verdict judge_step(const Case& at_step, size_t step_idx, const StepResult& result,
                   const OpProperties& properties);

}  // namespace bytegate
