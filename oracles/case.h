// One input of one operation, by value, and how it is to be launched.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "oracles/launch_mode.h"
#include "oracles/op.h"
#include "oracles/tensor.h"

namespace bytegate {

enum class Expect : uint8_t {
  kBytes,     // a valid call: the outputs are compared
  kRefused,   // an invalid call: an error status is the right answer
  kSurvived,  // inputs that no contract allows and no host sees: it ends, and touches nothing else
};
enum class BackendKind : uint8_t { kAny, kHost, kCuda };

std::string_view expect_name(Expect expect);
std::string_view backend_name(BackendKind backend);

// A defect of the call itself, which no value of a scalar or tensor can express.
enum class CallFaultKind : uint8_t {
  kNull,            // the tensor's data pointer is null
  kOverlap,         // the tensor's data pointer is that of `other`
  kShortWorkspace,  // the workspace is one byte shorter than asked for
};
struct CallFault {
  CallFaultKind kind = CallFaultKind::kNull;
  int tensor = -1;
  int other = -1;

  friend bool operator==(const CallFault&, const CallFault&) = default;
};

// Inputs of a later launch into the same buffers: same shapes and strides, new values.
struct Step {
  struct Change {
    int tensor = -1;
    Elements elements;
    friend bool operator==(const Change&, const Change&) = default;
  };
  std::vector<Change> changes;

  friend bool operator==(const Step&, const Step&) = default;
};

struct Case {
  const Op* op = nullptr;
  std::vector<int64_t> scalars;  // as in op->scalars
  std::vector<int64_t> dims;     // as in op->dims
  std::vector<Tensor> tensors;   // as in op->tensors
  std::vector<Step> later_steps;

  Expect expect = Expect::kBytes;
  Mode mode = Mode::kPlain;
  BackendKind backend = BackendKind::kAny;
  std::string forced_path;  // empty: the candidate chooses
  uint64_t seed = 0;        // interleaving on the host; 0 is the natural order
  std::vector<CallFault> call_faults;

  std::string origin;  // of the failure this case was kept for
  std::string note;    // one line of free text

  friend bool operator==(const Case&, const Case&) = default;
};

// A case with every scalar at `simplest`, every dimension at its minimum and compact tensors.
Case make_case(const Op& op);

// Recomputes shapes from scalars and dimensions: compact strides, inputs resized (zeros appended),
// tensors absent exactly where the contract forbids them.
void fit_tensors(Case& c);

// The shape that the description gives to a tensor.
Dims shape_of(const Case& c, int tensor);

// The part of an output that is its result: its shape, or fewer columns of it.
Dims written_shape(const Case& c, int tensor);

// Why the case is outside the contract, naming the field; nothing when it is inside. Call faults
// are outside by their nature.
std::optional<std::string> invalid_reason(const Case& c);

// The same as far as the host sees it in a call: whatever the inputs' elements are.
std::optional<std::string> invalid_call_reason(const Case& c);

// Why a call fault leaves the call as it was, or as right as it was, naming what it finds in its
// way; nothing when it spoils the call. Whether there is a workspace to shorten, the candidate
// alone knows.
std::optional<std::string> idle_reason(const Case& c, const CallFault& fault);

// Why the case cannot even be represented (sizes that do not fit, element counts that disagree with
// the shape): such a case is never run, whatever it expects.
std::optional<std::string> malformed_reason(const Case& c);

// The case with the inputs of step `step_idx` (0 is the case itself) and no later steps.
Case at_step(const Case& c, size_t step_idx);

// Runs the oracle on a valid case.
Outputs expected_outputs(const Case& c);

}  // namespace bytegate
