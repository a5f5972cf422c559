// The check of cases and of those that follow from them: what a relation states of two outputs
// needs no oracle.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "properties/check.h"

namespace bytegate {

// How cases are judged. A case whose origin names a relation ("invariant:NAME") is always held to
// that one, so that what broke it is seen again wherever the case is run.
struct Checks {
  Yardstick yardstick = Yardstick::kOracle;
  int64_t follow_one_in = 0;  // one case in so many is held to relations; 0: none but the above
  int num_relations = 1;      // to how many of those that apply
};

// By invariants and relations alone.
constexpr Checks kWithoutOracle = {
    .yardstick = Yardstick::kInvariants, .follow_one_in = 1, .num_relations = 4};

// By the oracle, and a share by a relation: what oracle and candidate have in common is seen, too.
constexpr Checks kFollowSome = {.follow_one_in = 16};

// Cases with more input and output elements are not followed up: memory would be short.
constexpr int64_t kMaxFollowedElements = int64_t{1} << 24;

// As PendingCheck. Which relations a case is held to, and by which case that follows from it, is a
// function of its scalars, dimensions and elements. Only valid cases of a single step have any.
class PendingChecks {
 public:
  PendingChecks(std::span<const Case> cases, Candidate& candidate, Backend& backend,
                const OpProperties& properties, const Checks& checks);
  // One verdict per case, in order; once.
  std::vector<Verdict> collect();
  // What verdict `idx` is of, once collected: the case itself, or one of the same operation that
  // followed from it and fails by itself.
  [[nodiscard]] const Case& case_of(size_t idx) const;

 private:
  struct Asked {
    size_t case_idx = 0;
    size_t relation = 0;
  };
  // Follow-ups of one operation.
  struct Group {
    const OpProperties* properties = nullptr;
    std::vector<Case> cases;
    std::vector<Asked> asked;
    std::optional<PendingCheck> check;
    bool has_flaw = false;  // one of them failed by itself
  };

  void ask_named(size_t case_idx, uint64_t seed, size_t relation);
  void ask_some(size_t case_idx, uint64_t seed);
  bool ask(size_t case_idx, size_t relation, uint64_t draw_seed);
  void settle(const Asked& asked, const Group& group, const Case& related,
              const CheckedRun& related_run, CheckedRun& run);

  std::span<const Case> cases_;
  const OpProperties& properties_;
  Checks checks_;
  std::map<size_t, std::string> unknown_;  // by case: the relation that its origin names
  std::optional<PendingCheck> check_;
  std::vector<std::unique_ptr<Group>> groups_;
  std::map<size_t, Case> failing_;  // by the case that they follow from
};

std::vector<Verdict> check(std::span<const Case> cases, Candidate& candidate, Backend& backend,
                           const OpProperties& properties, const Checks& checks);

}  // namespace bytegate
