// Keeps what fails: one finding per origin, on disk before anything else is done with it.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "fuzz/finding.h"
#include "fuzz/run.h"

namespace bytegate {

// For any number of threads, each with a candidate and a backend of its own.
class Keeper {
 public:
  // Both must outlive it.
  Keeper(const OpProperties& properties, const RunOptions& options)
      : properties_(properties), options_(options) {}

  // The finding, where it is the first of its origin.
  std::optional<Finding> keep(FailedCase failed, Candidate& candidate, Backend& backend);
  // An origin that has a finding already, of an earlier run.
  void know(Finding finding);
  // Whether a failure of this origin would only be counted.
  [[nodiscard]] bool knows(const std::string& origin);

  // Once all threads are done.
  std::vector<Finding> take_findings() { return std::move(findings_); }
  [[nodiscard]] int64_t num_unkept() const { return num_unkept_; }

 private:
  void blame(FailedCase& failed, Candidate& candidate, Backend& backend);
  Finding save(FailedCase failed, Candidate& candidate, Backend& backend);
  void make_small(Finding& finding, Candidate& candidate, Backend& backend);
  bool fails_alone(const Case& c);
  Verdict check_one(const Case& c, Candidate& candidate, Backend& backend) const;
  [[nodiscard]] bool stopped() const { return options_.stop && options_.stop(); }

  const OpProperties& properties_;
  const RunOptions& options_;
  std::mutex mutex_;
  std::vector<Finding> findings_;
  std::map<std::string, size_t> finding_of_origin_;
  // Origins with a mode, and whether a plain launch fails alike.
  std::map<std::string, bool> is_plain_;
  int64_t num_unkept_ = 0;
};

}  // namespace bytegate
