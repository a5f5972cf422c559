// Calls of `paged_mqa_metadata` for tests that may not know its oracle.
#pragma once

#include <vector>

#include "oracles/case.h"
#include "oracles/paged_mqa_metadata_contract.h"

namespace bytegate {

struct ScheduleCall {
  std::vector<int32_t> lens;
  int64_t num_sm = 1;
  Remainder remainder = Remainder::kLast;
};

// A case of a description that has names and shapes, but no oracle.
Case make_schedule_case(const ScheduleCall& call);

}  // namespace bytegate
