// What processes left in a state that ended in the middle of a slice.
#pragma once

#include <string>
#include <vector>

#include "fuzz/campaign/findings.h"
#include "fuzz/campaign/state_folder.h"

namespace bytegate {

// Checks what is left in the work folders of a stream, which this process must have locked, and
// removes them. Says what was found.
std::vector<std::string> take_up_left_work(const StateFolder& state, int64_t stream,
                                           const CampaignOptions& options,
                                           CampaignFindings& findings);

}  // namespace bytegate
