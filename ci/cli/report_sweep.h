// What a report says of sweeps: a line for each world.
#pragma once

#include <ostream>
#include <string>

#include "ci/cli/report.h"

namespace bytegate::cli {

// "paged_mqa_metadata batches-4" of a sweep, "paged_mqa_metadata guided" of a campaign; else the
// operation alone.
std::string label_of(const RunRow& row);

// Whether each case that was asked for has a verdict, in this sweep or in one before it.
bool is_complete(const SweepRow& sweep);

// "717,056 of 717,056 cases ran"; and what of it ran before, and what a shard leaves to others.
std::string sweep_text(const SweepRow& sweep);

// Nothing where no row has a sweep.
void print_sweep_rows(const Report& report, std::ostream& out);
std::string sweep_summary(const Report& report);

}  // namespace bytegate::cli
