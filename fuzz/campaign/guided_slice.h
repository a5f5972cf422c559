// A slice of a coverage-guided target: so many executions from a seed and from the inputs that its
// chain has. fuzz/guided/op_target.h is the target's side.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "fuzz/campaign/campaign.h"
#include "fuzz/campaign/drawn_slice.h"
#include "fuzz/campaign/findings.h"
#include "fuzz/campaign/state_folder.h"

namespace bytegate {

struct GuidedSlice {
  const OpProperties& properties;
  Chain chain;
  int64_t idx = 0;
  std::string target;               // the program
  std::vector<std::string> inputs;  // digests, in the order in which it gets them
};

// As run_drawn_slice. A target that something else ended is run again, a few times at most.
SliceResult run_guided_slice(const GuidedSlice& slice, const StateFolder& state,
                             const CampaignOptions& options, CampaignFindings& findings,
                             const std::function<bool()>& stop);

// What the work folder of a slice holds that may fail: cases that the target kept, what its engine
// kept at its end, and the input that was running.
struct Suspects {
  std::vector<CampaignFindings::Suspect> cases;
  std::vector<std::string> errors;  // of files that hold no case, which are set aside
};
Suspects suspects_in(const StateFolder& state, const std::string& work,
                     const OpProperties& properties, bool with_last_input);

}  // namespace bytegate
