// What a stand-alone reproducer holds of a case, whatever language it is written in.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernels/backend.h"
#include "oracles/case.h"

namespace bytegate {

// Elements begin, begin + 1, .. of a tensor: value, value + step, ..
struct ValueRun {
  int64_t begin = 0;
  int64_t count = 0;
  int64_t value = 0;
  int64_t step = 0;

  friend bool operator==(const ValueRun&, const ValueRun&) = default;
};

// Of an input: its pattern, and the runs over it. Of an output: what is looked at.
struct PlannedValues {
  int64_t step = 0;
  int tensor = -1;
  std::optional<Pattern> pattern = std::nullopt;
  std::vector<ValueRun> runs = {};
};

struct PlannedLaunch {
  int64_t step = 0;
  bool stale = false;  // finds in its outputs what the one before it has left
};

struct CasePlan {
  Case c;  // with the strides that it is run with
  BackendKind backend = BackendKind::kHost;
  std::string flaw;       // what it must show: an origin without its mode
  std::string origin;     // with it
  std::string candidate;  // path of a shared library; empty: a built-in one
  int arch = 90;
  bool breaks_invariant = false;  // the outputs held are wrong ones that no oracle contradicts
  uint64_t salt = 0;              // of the poison
  std::vector<size_t> skews;      // per tensor: bytes past a boundary of 64
  std::vector<bool> sparse;       // per tensor: mostly gaps, which are not watched
  size_t workspace_skew = 0;
  std::vector<PlannedLaunch> launches;
  std::vector<PlannedValues> values;
  // What the reproducer does not do as bytegate did, each a sentence.
  std::vector<std::string> notes;
  std::string error;  // why there can be no reproducer; empty: there can
};

// Runs that hold the elements for which `held` says so; all of them without it.
std::vector<ValueRun> value_runs(const Elements& elements, const std::vector<uint8_t>& held = {});

// `outputs` are those that came out of each launch, and are asked for where the flaw is a broken
// invariant; `origin` is the verdict's.
CasePlan plan_reproducer(const Case& c, const std::string& origin, BackendKind backend,
                         const std::vector<StepResult>& outcome);

}  // namespace bytegate
