// The fewest sets that have together what all of them have.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bytegate {

struct SetCover {
  std::vector<size_t> chosen;  // indices of sets, ascending; those that had to be among them
  bool smallest = false;       // proven: no choice with fewer sets does
};

struct CoverLimits {
  int64_t max_nodes = 20000;   // of the search, once nothing more can be said by looking
  size_t max_compared = 4096;  // sets, or features, that are compared with each other
};

// `sets[i]` are the features that set i has, numbered from 0, in any order; a set of `kept` is
// chosen whatever it has. Of equals, the one that stands first is chosen. What no other set has, is
// taken; sets and features that others imply are dropped; what is left is covered greedily and then
// searched by branch and bound.
SetCover smallest_cover(const std::vector<std::vector<size_t>>& sets,
                        const std::vector<size_t>& kept, const CoverLimits& limits = {});

}  // namespace bytegate
