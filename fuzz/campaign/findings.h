// Findings of a campaign: one for each operation, backend and origin, minimised, in the state.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "fuzz/campaign/campaign.h"
#include "fuzz/campaign/state_folder.h"
#include "fuzz/keeper.h"

namespace bytegate {

// A case says nothing of another backend or candidate than those that it failed on.
std::string found_folder_name(BackendKind backend, const std::string& candidate);

// For any number of threads.
class CampaignFindings {
 public:
  // All must outlive it. What is being minimised is kept in a folder of `work` until it is a
  // finding: found_folder_name().
  CampaignFindings(const StateFolder& state, const CampaignOptions& options, std::string work);

  // Runs what the state holds. What still fails is a finding of this campaign.
  void replay();
  // A failure that a run has seen, with the candidate and backend that showed it. False: what it
  // comes to could not be saved, or the run was stopped before; the slice must be run again.
  bool keep(const OpProperties& properties, BackendKind backend, FailedCase failed,
            Candidate& candidate, Backend& running);
  // Cases that something else has seen fail: each is checked in a worker first.
  struct Suspect {
    Case input;
    std::string source;
    // What a failure is to be called that no worker shows: else the case is let go.
    std::string origin_if_it_passes = {};
  };
  // False: the backend could not be had, it was told to stop, or something was not saved; some are
  // left.
  bool check(const std::vector<Suspect>& suspects, BackendKind backend);
  [[nodiscard]] bool knows(const OpProperties& properties, BackendKind backend,
                           const std::string& origin);

  void note_error(const std::string& error);
  [[nodiscard]] int64_t num_findings();
  // Once all threads are done.
  void move_into(CampaignOutcome& outcome);

 private:
  // A keeper refers to its options.
  struct Entry {
    explicit Entry(const OpProperties& of, RunOptions with)
        : options(std::move(with)), keeper(of, options) {}
    RunOptions options;
    Keeper keeper;
  };
  Entry& entry(const OpProperties& properties, BackendKind backend);
  bool publish(Finding finding, const OpProperties& properties);
  std::optional<std::string> save(Finding& finding, const OpProperties& properties);
  bool replay_on(BackendKind backend, const OpProperties& properties,
                 const std::vector<std::pair<std::string, Case>>& found,
                 std::map<std::string, bool>& fails);
  [[nodiscard]] std::string work_of(BackendKind backend) const;
  [[nodiscard]] bool stopped() const { return options_.run.stop && options_.run.stop(); }

  const StateFolder& state_;
  const CampaignOptions& options_;
  std::string work_;
  std::mutex mutex_;  // of all that follows
  std::map<std::pair<std::string, BackendKind>, std::unique_ptr<Entry>> entries_;
  std::vector<Finding> findings_;
  std::vector<std::string> no_longer_;
  std::vector<std::string> errors_;
};

}  // namespace bytegate
