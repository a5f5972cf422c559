// Random cases of paged_mqa_metadata, aimed at the edges of its dimensions and at their products.
#pragma once

#include "oracles/case.h"
#include "properties/draw.h"

namespace bytegate {

Case generate_paged_mqa_metadata(Draw& draw);

}  // namespace bytegate
