// Makes a failing case small. Knows a predicate and an order of simpler cases, nothing about any
// operation: the moves follow from the op's description.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "oracles/case.h"
#include "properties/verdict.h"

namespace bytegate {

// The verdict of a case; the search keeps to the origin that the first case has.
using Judge = std::function<Verdict(const Case&)>;

struct MinimizeOptions {
  std::chrono::milliseconds time_limit{2000};
  std::function<bool()> stop = nullptr;  // asked before each try; true is as the time limit
};

struct MinimizeResult {
  Case smallest;
  Verdict verdict;  // of `smallest`
  int64_t num_tried = 0;
  int64_t num_accepted = 0;
  bool minimal = false;  // no single move leads further; false: the time ran out
};

// `failing` must fail under `judge`; when it passes, or gets no verdict, the result holds it as it
// is.
MinimizeResult minimize(const Case& failing, const Judge& judge, const MinimizeOptions& options);

// One way to make a case simpler, or nothing when it does not apply; what it gives is settled
// (Op::settle). The moves of a case in the order they are tried: large cuts first.
using Move = std::function<std::optional<Case>(const Case&)>;
std::vector<Move> moves_of(const Case& c);

}  // namespace bytegate
