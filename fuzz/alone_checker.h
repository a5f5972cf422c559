// What a replay of a case will show: how it does alone, in a process of its own and with a
// candidate that has seen no other case. And the smallest case of which a replay shows the same
// failure.
#pragma once

#include <optional>
#include <string>

#include "fuzz/finding.h"
#include "fuzz/run.h"

namespace bytegate {

// The smallest case, and how it does alone.
struct Shown {
  MinimizeResult small;
  bool alone = false;     // it fails in a process of its own, or nobody could tell
  std::string note = {};  // what it does there instead
};

class AloneChecker {
 public:
  // Both must outlive it.
  AloneChecker(const OpProperties& properties, const RunOptions& options)
      : properties_(properties), options_(options) {}

  // Not alone: after whatever this candidate and backend ran before. Judged as the run judges, but
  // by no other relation than the one that the origin names.
  Verdict check_here(const Case& c, Candidate& candidate, Backend& backend) const;
  // Nothing where it cannot tell.
  [[nodiscard]] std::optional<Verdict> check(const Case& c) const;
  // The verdict, where it is of the flaw of the origin.
  [[nodiscard]] std::optional<Verdict> failure(const Case& c, const std::string& origin) const;

  // Of what a finding keeps. What needs an earlier launch gets one of its own: it is launched
  // twice.
  Shown minimize_shown(const Finding& finding, Candidate& candidate, Backend& backend) const;

 private:
  // Where what was made small fails here only, or not at all.
  [[nodiscard]] Shown minimize_kept(const Finding& finding, MinimizeResult small) const;
  // Each try in a process of its own.
  [[nodiscard]] Shown minimize_alone(const Case& c, const Verdict& verdict) const;
  [[nodiscard]] MinimizeOptions minimizing() const;
  [[nodiscard]] bool stopped() const { return options_.stop && options_.stop(); }

  const OpProperties& properties_;
  const RunOptions& options_;
};

}  // namespace bytegate
