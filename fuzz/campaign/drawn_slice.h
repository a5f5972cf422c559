// A slice of cases that the generator draws.
#pragma once

#include <string>

#include "fuzz/campaign/campaign.h"
#include "fuzz/campaign/findings.h"
#include "fuzz/campaign/slice.h"

namespace bytegate {

// What came of a slice that was run.
struct SliceResult {
  std::optional<SliceRecord> record;  // nothing: it was not finished
  std::string error = {};             // why it never can be
  bool others_go_on = false;          // it is a matter of this chain alone
};

// Ends early, without a record, once `stop` is true.
SliceResult run_drawn_slice(const OpProperties& properties, const Chain& chain, int64_t idx,
                            const CampaignOptions& options, CampaignFindings& findings,
                            const std::function<bool()>& stop);

}  // namespace bytegate
