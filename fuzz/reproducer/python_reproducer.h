// A Python file that shows a failure by itself, with PyTorch tensors.
#pragma once

#include <string>
#include <vector>

#include "fuzz/reproducer/case_plan.h"

namespace bytegate {

// The plan must have no error.
std::string python_reproducer(const CasePlan& plan);

// The plan's notes, and what only this language does not do.
std::vector<std::string> python_notes(const CasePlan& plan);

}  // namespace bytegate
