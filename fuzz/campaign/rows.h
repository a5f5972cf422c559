// What the slices of a campaign come to.
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "fuzz/campaign/campaign.h"

namespace bytegate {

class CampaignRows {
 public:
  // A row that is shown even if it stays empty.
  void add_row(const Chain& chain, const OpProperties* properties);
  // A slice of this process, or of another one. One of an operation that is not known is left out.
  void add(const SliceRecord& record, bool now, double seconds);

  [[nodiscard]] CampaignProgress progress() const;
  std::vector<CampaignRow> take();

 private:
  using Key = std::tuple<std::string, SliceKind, BackendKind>;
  std::map<Key, CampaignRow> rows_;
};

// Whether a slice found the candidate without the operation: so will all others.
bool has_nothing_for(const SliceRecord& record, const std::string& candidate);

}  // namespace bytegate
