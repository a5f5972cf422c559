// What a report says of runs under checking tools: a row each.
#pragma once

#include <ostream>
#include <string>

#include "ci/cli/report.h"

namespace bytegate::cli {

// Nothing where no row has a checker.
void print_checker_rows(const Report& report, std::ostream& out);
std::string checker_summary(const Report& report);

}  // namespace bytegate::cli
