// What a campaign starts from: everything that its slices follow from.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "fuzz/campaign/state_folder.h"

namespace bytegate {

struct CampaignStart {
  std::string build;  // digest of the program and of the candidate's file
  uint64_t seed = 1;
  int64_t slice_runs = 0;   // executions of a guided slice
  int64_t slice_cases = 0;  // cases of a drawn one; 0: what a gate of the operation asks for
  int arch = 90;            // whose limits the host's executor applies
  // By operation; empty: a campaign without guided slices.
  std::map<std::string, std::string> targets;              // digests of their files
  std::map<std::string, std::vector<std::string>> inputs;  // digests, ascending

  friend bool operator==(const CampaignStart&, const CampaignStart&) = default;
};

std::string campaign_start_text(const CampaignStart& start);
// The id of the campaign, by which it is called in the state.
std::string campaign_id(const CampaignStart& start);

// The campaign of the state that starts from the same but for its inputs, or a new one that starts
// from those of `wanted` and from all that the state holds; its start is then kept there.
struct ChosenStart {
  CampaignStart start;
  bool is_new = false;
  std::vector<std::string> damaged;  // starts that were set aside
  std::string error;
};
ChosenStart choose_start(const StateFolder& state, const CampaignStart& wanted);

}  // namespace bytegate
