// A fixed list of cases: what somebody else's test suite runs for an operation.
#pragma once

#include <string_view>
#include <vector>

#include "oracles/case.h"

namespace bytegate {

struct CaseList {
  std::string_view name;    // "sglang-gate", unique within its operation
  std::string_view source;  // whose suite, and of when
  std::vector<Case> (*cases)() = nullptr;
};

}  // namespace bytegate
