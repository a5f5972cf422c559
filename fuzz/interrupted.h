// What runs left behind that ended before their cases had verdicts.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "fuzz/journal_file.h"
#include "fuzz/run.h"
#include "oracles/case.h"

namespace bytegate {

// Source of such cases.
constexpr const char* kInterruptedSource = "interrupted";

struct InterruptedBatch {
  std::vector<Case> cases;
  std::function<void()> forget;  // takes it off the disk; until then it is found again
};

struct InterruptedRun {
  JournalOwner owner;
  const Op* op = nullptr;
  std::vector<InterruptedBatch> batches;
  std::vector<std::string> files;  // their cases were on their way, too, and are kept there
  std::shared_ptr<void> claim;     // as long as it lives, no other run takes these up

  [[nodiscard]] int64_t num_cases() const;
};

struct PickedUp {
  std::vector<InterruptedRun> runs;  // those that left a case
  // Journals that could not be read, each by where it was moved to.
  std::vector<std::string> errors;
  // The same of those that another version of bytegate wrote, which is nobody's fault.
  std::vector<std::string> foreign = {};
};

// Takes up the journals below the folder whose process is gone. No journal of this process may be
// open there.
PickedUp pick_up(const std::string& findings_dir, const std::string& version, OpTable ops);

// "16 cases that were running when a run ended (pid 123, candidate production, host)"; of the
// `num_cases` of some of it.
std::string describe(const InterruptedRun& run, int64_t num_cases);

// The cases of these runs; each batch is forgotten when it is settled. `runs` must outlive it.
CaseSource source_of_interrupted(const std::vector<const InterruptedRun*>& runs);

// Saves each case of the run as <findings>/<op>/interrupted/<digest>.case and forgets it. What
// could not be saved is told, and stays where it is.
std::vector<std::string> save_interrupted(const std::string& findings_dir,
                                          const InterruptedRun& run);
std::string interrupted_folder(const std::string& findings_dir, const Op& op);

}  // namespace bytegate
