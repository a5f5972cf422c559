// A Python file that shows a failure by itself, with PyTorch tensors.
#pragma once

#include <string>

#include "fuzz/reproducer/case_plan.h"

namespace bytegate {

// The plan must have no error.
std::string python_reproducer(const CasePlan& plan);

}  // namespace bytegate
