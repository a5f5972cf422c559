// The cases that a run has handed out and has no verdicts of yet, kept on disk: whatever ends the
// process, the next run finds them (fuzz/interrupted.h). A machine that stops may lose the last.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fuzz/journal_file.h"
#include "oracles/case.h"

namespace bytegate {

class Journal {
 public:
  struct Result {
    std::unique_ptr<Journal> journal;
    std::string error;  // names the path
  };
  // Below the folder, which is created unless it is there, for `num_slots` batches at a time.
  static Result open(const std::string& findings_dir, const JournalOwner& owner, size_t num_slots);

  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;
  // Leaves nothing behind, unless a slot still holds a batch.
  ~Journal();

  // Before a batch is handed out: cases, or the paths where they are kept already. What went wrong,
  // or nothing; the slot is then empty. Threads may use different slots at once.
  std::optional<std::string> write(size_t slot, std::span<const Case> cases);
  std::optional<std::string> write(size_t slot, std::span<const std::string> files);
  // Once each of its cases has a verdict, and what failed is saved.
  void clear(size_t slot);

 private:
  Journal() = default;
  std::optional<std::string> start(const std::string& findings_dir, const JournalOwner& owner);

  std::string findings_dir_;
  bool made_findings_dir_ = false;
  std::string folder_;
  int owner_file_ = -1;
  std::vector<std::unique_ptr<BatchFile>> slots_;
};

}  // namespace bytegate
