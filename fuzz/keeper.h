// Keeps what fails: one finding per origin, on disk before it is made small. A flaw is named as a
// replay shows it: one that all modes show without a mode, one that an earlier launch
// has to bring about as that of mode `again`.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "fuzz/alone_checker.h"
#include "fuzz/finding.h"
#include "fuzz/run.h"

namespace bytegate {

// For any number of threads, each with a candidate and a backend of its own.
class Keeper {
 public:
  // Both must outlive it.
  Keeper(const OpProperties& properties, const RunOptions& options)
      : properties_(properties), options_(options), alone_(properties, options) {}

  // The finding, where it is the first of its origin.
  std::optional<Finding> keep(FailedCase failed, Candidate& candidate, Backend& backend);
  // An origin that has a finding already, of an earlier run.
  void know(Finding finding);
  // Whether a failure of this origin would only be counted.
  [[nodiscard]] bool knows(const std::string& origin);

  // Once all threads are done.
  std::vector<Finding> take_findings();
  [[nodiscard]] int64_t num_unkept() const { return num_unkept_; }

 private:
  // Gives a case without a verdict the one that it has alone. False: there is nothing to keep.
  bool judge_untested(FailedCase& failed);
  void blame(FailedCase& failed, Candidate& candidate, Backend& backend);
  // False: another finding, as which it fails alone, answers for it.
  bool save(FailedCase failed, size_t place, Candidate& candidate, Backend& backend,
            Finding& finding);
  bool make_small(Finding& finding, size_t place, Candidate& candidate, Backend& backend);
  bool claim(const std::string& origin, size_t place);
  bool is_another(const FailedCase& failed);
  [[nodiscard]] bool stopped() const { return options_.stop && options_.stop(); }

  const OpProperties& properties_;
  const RunOptions& options_;
  AloneChecker alone_;
  std::mutex mutex_;
  std::vector<Finding> findings_;
  std::map<std::string, size_t> finding_of_origin_;
  std::set<size_t> merged_;  // of findings_: those that another one answers for
  // Origins with a mode, and whether a plain launch fails alike.
  std::map<std::string, bool> is_plain_;
  int64_t num_untested_ = 0;
  bool has_failures_ = false;  // of this run, that have a verdict
  int64_t num_unkept_ = 0;
};

}  // namespace bytegate
