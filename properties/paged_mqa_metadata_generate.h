// Random cases of paged_mqa_metadata, aimed at the edges of its dimensions and at their products.
#pragma once

#include "oracles/case.h"
#include "properties/draw.h"

namespace bytegate {

Case generate_paged_mqa_metadata(Draw& draw);

// Whether the path that the case forces takes so many requests.
bool paged_mqa_metadata_path_takes(const Case& c);
// Whether it sums up its tiles in a workspace.
bool paged_mqa_metadata_takes_workspace(const Case& c);

}  // namespace bytegate
