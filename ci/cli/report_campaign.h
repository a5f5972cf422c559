// What a campaign says of itself: while it runs, and at its end.
#pragma once

#include <chrono>
#include <ostream>
#include <string>

#include "ci/cli/options.h"
#include "ci/cli/report.h"
#include "fuzz/campaign/campaign.h"

namespace bytegate::cli {

// On a terminal a line that is rewritten, elsewhere a line each minute.
class CampaignProgressLine {
 public:
  CampaignProgressLine();
  void show(const CampaignProgress& progress);
  void clear();

 private:
  bool on_terminal_;
  bool shown_ = false;
  double said_at_ = 0;
  double last_seconds_ = 0;
  int64_t last_cases_ = 0;
  double rate_ = 0;  // cases a second, of late
};
std::string progress_text(const CampaignProgress& progress, double cases_per_second);

// Adds the rows, findings and whatever is wrong.
void enter_campaign(CampaignOutcome outcome, const CampaignOptions& options,
                    const ChosenBackends& backends, Report& report);

// Not met unless a slice of that backend ended in this process.
void demand_slices_now(BackendKind backend, Report& report);

// Nothing where the report is of no campaign.
void print_campaign_rows(const Report& report, std::ostream& out);
std::string campaign_summary(const Report& report);

}  // namespace bytegate::cli
