// Small worlds of the schedule.
#pragma once

#include <vector>

#include "properties/world.h"

namespace bytegate {

std::vector<World> paged_mqa_metadata_worlds();

}  // namespace bytegate
