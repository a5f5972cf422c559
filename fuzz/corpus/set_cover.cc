#include "fuzz/corpus/set_cover.h"

#include <algorithm>
#include <set>

#include "fuzz/corpus/bits.h"

namespace bytegate {
namespace {

// What is still to be decided.
struct Rest {
  Bits sets;      // that may be chosen
  Bits features;  // that nothing chosen has
  std::vector<size_t> chosen;
};

class Search {
 public:
  Search(const std::vector<std::vector<size_t>>& sets, size_t num_features,
         const CoverLimits& limits)
      : limits_(limits) {
    holders_.assign(num_features, Bits(sets.size()));
    for (size_t i = 0; i < sets.size(); ++i) {
      features_.emplace_back(num_features);
      for (const size_t feature : sets[i]) {
        features_.back().add(feature);
        holders_[feature].add(i);
      }
    }
  }

  SetCover run(const std::vector<size_t>& kept) {
    Rest rest = {.sets = Bits(features_.size()), .features = Bits(holders_.size()), .chosen = {}};
    for (size_t i = 0; i < features_.size(); ++i) rest.sets.add(i);
    std::set<Bits> seen;
    for (size_t i = 0; i < holders_.size(); ++i) {
      // What the same sets have is one feature; a number that no set has is none.
      if (!holders_[i].empty() && seen.insert(holders_[i]).second) rest.features.add(i);
    }
    for (const size_t set : kept) {
      if (rest.sets.has(set)) choose(rest, set);
    }
    reduce(rest);
    best_ = greedy(rest);
    branch(rest);
    std::sort(best_.begin(), best_.end());
    return {.chosen = best_, .smallest = num_nodes_ < limits_.max_nodes};
  }

 private:
  void choose(Rest& rest, size_t set) const {
    rest.chosen.push_back(set);
    rest.sets.remove(set);
    rest.features.remove_all(features_[set]);
  }

  void reduce(Rest& rest) const {
    while (take_essential(rest) || drop_sets(rest) || drop_features(rest)) {
    }
  }

  // What only one set has.
  bool take_essential(Rest& rest) const {
    bool took = false;
    for (const size_t feature : rest.features.list()) {
      if (!rest.features.has(feature)) continue;
      if (holders_[feature].count_common(rest.sets) != 1) continue;
      for (const size_t set : rest.sets.list()) {
        if (!features_[set].has(feature)) continue;
        choose(rest, set);
        break;
      }
      took = true;
    }
    return took;
  }

  // A set all of whose features another one has.
  bool drop_sets(Rest& rest) const {
    const std::vector<size_t> sets = rest.sets.list();
    bool dropped = false;
    for (const size_t set : sets) {
      if (features_[set].meets(rest.features)) continue;
      rest.sets.remove(set);
      dropped = true;
    }
    if (sets.size() > limits_.max_compared) return dropped;
    for (const size_t set : sets) {
      if (!rest.sets.has(set)) continue;
      for (const size_t other : sets) {
        if (other == set || !rest.sets.has(other)) continue;
        if (!features_[set].is_within(features_[other], rest.features)) continue;
        const bool equal = features_[other].is_within(features_[set], rest.features);
        if (equal && set < other) continue;
        rest.sets.remove(set);
        dropped = true;
        break;
      }
    }
    return dropped;
  }

  // A feature that whatever has some other one has, too.
  bool drop_features(Rest& rest) const {
    const std::vector<size_t> features = rest.features.list();
    if (features.size() > limits_.max_compared) return false;
    bool dropped = false;
    for (const size_t feature : features) {
      for (const size_t other : features) {
        if (other == feature || !rest.features.has(other)) continue;
        if (!holders_[other].is_within(holders_[feature], rest.sets)) continue;
        const bool equal = holders_[feature].is_within(holders_[other], rest.sets);
        if (equal && feature < other) continue;
        rest.features.remove(feature);
        dropped = true;
        break;
      }
    }
    return dropped;
  }

  std::vector<size_t> greedy(Rest rest) const {
    while (!rest.features.empty()) {
      size_t best = 0;
      size_t most = 0;
      for (const size_t set : rest.sets.list()) {
        const size_t count = features_[set].count_common(rest.features);
        if (count <= most) continue;
        most = count;
        best = set;
      }
      choose(rest, best);
    }
    return rest.chosen;
  }

  // Features no two of which are in one set: each takes a set of its own.
  size_t lower_bound(const Rest& rest) const {
    std::vector<std::pair<size_t, size_t>> order;
    for (const size_t feature : rest.features.list()) {
      order.emplace_back(holders_[feature].count_common(rest.sets), feature);
    }
    std::sort(order.begin(), order.end());
    Bits used(features_.size());
    size_t count = 0;
    for (const auto& [num_holders, feature] : order) {
      const Bits holders = holders_[feature].common(rest.sets);
      if (holders.meets(used)) continue;
      used.add_all(holders);
      ++count;
    }
    return count;
  }

  // Tries each set that has the feature which the fewest have.
  void branch(const Rest& start) {
    if (num_nodes_ >= limits_.max_nodes) return;
    ++num_nodes_;
    Rest rest = start;
    reduce(rest);
    const std::vector<size_t> features = rest.features.list();
    if (features.empty()) {
      if (rest.chosen.size() < best_.size()) best_ = rest.chosen;
      return;
    }
    if (rest.chosen.size() + lower_bound(rest) >= best_.size()) return;
    const auto holders = [&](size_t feature) { return holders_[feature].count_common(rest.sets); };
    const size_t rarest =
        *std::min_element(features.begin(), features.end(),
                          [&](size_t a, size_t b) { return holders(a) < holders(b); });
    for (const size_t set : rest.sets.list()) {
      if (!features_[set].has(rarest)) continue;
      Rest with = rest;
      choose(with, set);
      branch(with);
      rest.sets.remove(set);
      // Without the set, a feature may have none left; then so has every later choice.
      for (const size_t feature : features) {
        if (!holders_[feature].meets(rest.sets)) return;
      }
    }
  }

  const CoverLimits limits_;
  std::vector<Bits> features_;  // of each set
  std::vector<Bits> holders_;   // of each feature: the sets that have it
  std::vector<size_t> best_;
  int64_t num_nodes_ = 0;
};

}  // namespace

SetCover smallest_cover(const std::vector<std::vector<size_t>>& sets,
                        const std::vector<size_t>& kept, const CoverLimits& limits) {
  size_t num_features = 0;
  for (const std::vector<size_t>& features : sets) {
    for (const size_t feature : features) num_features = std::max(num_features, feature + 1);
  }
  return Search(sets, num_features, limits).run(kept);
}

}  // namespace bytegate
