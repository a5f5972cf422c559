// A consumer of the schedule: walks it SM by SM as an attention kernel would, and says what is
// wrong with it. It needs no oracle: only that every split of every request is visited exactly
// once, in order, and that every SM gets the share the contract gives it.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "oracles/paged_mqa_metadata.h"

namespace bytegate {

// What is wrong with `table` ([num_sm + 1][2]) as a schedule of `c`, or nothing.
std::optional<std::string> walk_schedule(const PagedMqaMetadataCase& c,
                                         std::span<const int32_t> table);

}  // namespace bytegate
