// What two schedules have to do with each other when one batch follows from the other.
#pragma once

#include <vector>

#include "properties/relation.h"

namespace bytegate {

std::vector<Relation> paged_mqa_metadata_relations();

}  // namespace bytegate
