// A C++ file that shows a failure by itself: no bytegate, no test framework, nothing to install.
#pragma once

#include <string>
#include <vector>

#include "fuzz/reproducer/case_plan.h"

namespace bytegate {

// The plan must have no error.
std::string cpp_reproducer(const CasePlan& plan);

// The lines of both languages that say what the file is, how to run it, and what it does not do,
// without comment signs.
std::vector<std::string> reproducer_heading(const CasePlan& plan, const std::string& how_to_run,
                                            const std::vector<std::string>& notes);

// The text as a string literal of C++ and Python.
std::string quoted_text(const std::string& text);

}  // namespace bytegate
