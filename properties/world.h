// A small world: a finite set of cases of one operation, every one of which can be checked.
#pragma once

#include <cstdint>
#include <string_view>

#include "oracles/case.h"

namespace bytegate {

struct World {
  std::string_view name;   // "batches-4", unique within its operation
  std::string_view holds;  // one line: what its cases are
  int64_t num_cases = 0;
  // Case `idx` of 0 .. num_cases - 1: valid, and the same on every machine.
  Case (*case_at)(int64_t idx) = nullptr;
  // Too many to be swept by default: only where --world names it.
  bool large = false;
};

}  // namespace bytegate
