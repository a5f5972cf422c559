#include "properties/check_relations.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <string_view>
#include <utility>

namespace bytegate {
namespace {

constexpr std::string_view kRelationOrigin = "invariant:";
// Of a relation that is named: a case that was made smaller may break it in one draw only.
constexpr uint64_t kDrawsOfNamed = 8;

uint64_t mixed(uint64_t hash, uint64_t word) {
  return (hash ^ word) * 0x100000001b3 ^ hash >> 29;
}

uint64_t mixed(uint64_t hash, std::string_view text) {
  for (const char c : text) hash = mixed(hash, static_cast<unsigned char>(c));
  return hash;
}

// Of what shrinking keeps as long as it can: no strides, no mode.
uint64_t seed_of(const Case& c) {
  constexpr int64_t kMaxElements = 256;  // of a tensor; those of the rest may be any
  uint64_t hash = mixed(0xcbf29ce484222325, c.op->name);
  for (const int64_t scalar : c.scalars) hash = mixed(hash, static_cast<uint64_t>(scalar));
  for (const int64_t dim : c.dims) hash = mixed(hash, static_cast<uint64_t>(dim));
  for (const Tensor& tensor : c.tensors) {
    const int64_t count = std::min(tensor.elements.size(), kMaxElements);
    for (int64_t i = 0; i < count; ++i) {
      hash = mixed(hash, static_cast<uint64_t>(tensor.elements.at(i)));
    }
  }
  return hash;
}

// The relation that an origin names; empty: none.
std::string_view named_relation(std::string_view origin) {
  const std::string_view flaw = flaw_of_origin(origin);
  if (flaw.substr(0, kRelationOrigin.size()) != kRelationOrigin) return {};
  return flaw.substr(kRelationOrigin.size());
}

bool is_followed(const Case& c) {
  if (c.expect != Expect::kBytes || !c.later_steps.empty() || invalid_reason(c)) return false;
  int64_t count = 0;
  for (const Tensor& tensor : c.tensors) {
    if (!tensor.present) continue;
    count += num_elements(tensor.shape).value_or(kMaxFollowedElements + 1);
    if (count > kMaxFollowedElements) return false;
  }
  return true;
}

// Of operations other than that of the run: their invariants are asked where they are run, so that
// here the relation alone speaks of them.
const OpProperties* other_properties(const Op& op) {
  static const std::vector<OpProperties> table = [] {
    std::vector<OpProperties> all(all_properties().begin(), all_properties().end());
    for (OpProperties& properties : all) properties.broken_invariant = nullptr;
    return all;
  }();
  return find_properties(table, op);
}

Verdict broken(const Case& c, std::string_view relation, std::string message) {
  Verdict verdict = {.kind = VerdictKind::kInvariant,
                     .origin = std::string(kRelationOrigin) + std::string(relation),
                     .message = std::move(message)};
  if (c.mode != Mode::kPlain) verdict.origin += "@" + std::string(mode_name(c.mode));
  return verdict;
}

}  // namespace

PendingChecks::PendingChecks(std::span<const Case> cases, Candidate& candidate, Backend& backend,
                             const OpProperties& properties, const Checks& checks)
    : cases_(cases), properties_(properties), checks_(checks) {
  for (size_t i = 0; i < cases.size(); ++i) {
    const std::string_view name = named_relation(cases[i].origin);
    if (name.empty() && checks.follow_one_in == 0) continue;
    const uint64_t seed = seed_of(cases[i]);
    const auto& relations = properties.relations;
    const auto named = std::find_if(relations.begin(), relations.end(),
                                    [&](const Relation& one) { return one.name == name; });
    if (!name.empty() && named == relations.end()) unknown_[i] = name;
    const bool drawn = checks.follow_one_in > 0 && Draw(seed).one_in(checks.follow_one_in);
    if ((!drawn && named == relations.end()) || !is_followed(cases[i])) continue;
    if (named != relations.end()) {
      ask_named(i, seed, static_cast<size_t>(named - relations.begin()));
    }
    if (drawn) ask_some(i, seed);
  }
  check_.emplace(cases, candidate, backend, properties, checks.yardstick);
  for (const auto& group : groups_) {
    group->check.emplace(group->cases, candidate, backend, *group->properties, checks.yardstick);
  }
}

void PendingChecks::ask_named(size_t case_idx, uint64_t seed, size_t relation) {
  for (uint64_t draw = 0; draw < kDrawsOfNamed; ++draw) {
    ask(case_idx, relation, case_seed(seed, draw));
  }
}

void PendingChecks::ask_some(size_t case_idx, uint64_t seed) {
  std::vector<size_t> order(properties_.relations.size());
  std::iota(order.begin(), order.end(), size_t{0});
  Draw draw(case_seed(seed, 0));
  int num_asked = 0;
  for (size_t i = 0; i < order.size() && num_asked < checks_.num_relations; ++i) {
    const int64_t last = static_cast<int64_t>(order.size()) - 1;
    std::swap(order[i], order[static_cast<size_t>(draw.between(static_cast<int64_t>(i), last))]);
    if (ask(case_idx, order[i], case_seed(seed, 0))) ++num_asked;
  }
}

// False where the relation does not apply to the case.
bool PendingChecks::ask(size_t case_idx, size_t relation, uint64_t draw_seed) {
  const Relation& asked = properties_.relations[relation];
  Draw draw(mixed(draw_seed, asked.name));
  std::optional<Case> related = asked.follow_up(cases_[case_idx], draw);
  if (!related) return false;
  related->origin.clear();
  const Op* op = related->op;
  auto group = std::find_if(groups_.begin(), groups_.end(),
                            [&](const auto& one) { return one->properties->op == op; });
  if (group == groups_.end()) {
    const OpProperties* properties = op == properties_.op ? &properties_ : other_properties(*op);
    if (properties == nullptr) return false;
    groups_.push_back(std::make_unique<Group>());
    groups_.back()->properties = properties;
    group = groups_.end() - 1;
  }
  (*group)->cases.push_back(std::move(*related));
  (*group)->asked.push_back({.case_idx = case_idx, .relation = relation});
  return true;
}

void PendingChecks::settle(const Asked& asked, const Group& group, const Case& related,
                           const CheckedRun& related_run, CheckedRun& run) {
  const Verdict& own = related_run.verdict;
  if (!run.verdict.passed() || says_nothing(own.kind)) return;
  // What fails of another operation, and what that takes with it, is for a run of that one to find.
  const bool same_op = group.properties == &properties_;
  if (!own.passed() && !same_op && group.has_flaw) return;
  if (!own.passed()) {
    run.verdict = own;
    if (same_op) failing_.insert_or_assign(asked.case_idx, related);
    return;
  }
  const Case& c = cases_[asked.case_idx];
  const Relation& relation = properties_.relations[asked.relation];
  if (auto message = relation.broken(c, run.outputs, related, related_run.outputs)) {
    std::string path = run.verdict.path;
    run.verdict = broken(c, relation.name, std::move(*message));
    run.verdict.path = std::move(path);
    return;
  }
  std::vector<int>& held = run.verdict.relations;
  const int idx = static_cast<int>(asked.relation);
  if (std::find(held.begin(), held.end(), idx) == held.end()) held.push_back(idx);
}

std::vector<Verdict> PendingChecks::collect() {
  std::vector<CheckedRun> runs = check_->collect_runs();
  for (const auto& [case_idx, name] : unknown_) {
    if (!runs[case_idx].verdict.passed()) continue;
    runs[case_idx].verdict = {.kind = VerdictKind::kUntested,
                              .origin = std::string(verdict_name(VerdictKind::kUntested)),
                              .message = "the operation has no relation " + name};
  }
  for (const auto& group : groups_) {
    const std::vector<CheckedRun> related = group->check->collect_runs();
    group->has_flaw = std::any_of(related.begin(), related.end(), [](const CheckedRun& run) {
      const VerdictKind kind = run.verdict.kind;
      return !run.verdict.passed() && kind != VerdictKind::kUntested && !says_nothing(kind);
    });
    for (size_t i = 0; i < related.size(); ++i) {
      const Asked& asked = group->asked[i];
      settle(asked, *group, group->cases[i], related[i], runs[asked.case_idx]);
    }
  }
  std::vector<Verdict> verdicts;
  for (CheckedRun& run : runs) verdicts.push_back(std::move(run.verdict));
  return verdicts;
}

const Case& PendingChecks::case_of(size_t idx) const {
  const auto failing = failing_.find(idx);
  return failing == failing_.end() ? cases_[idx] : failing->second;
}

std::vector<Verdict> check(std::span<const Case> cases, Candidate& candidate, Backend& backend,
                           const OpProperties& properties, const Checks& checks) {
  return PendingChecks(cases, candidate, backend, properties, checks).collect();
}

}  // namespace bytegate
