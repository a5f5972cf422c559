// How a world is divided, for shards and for a record of what was done: into parts of consecutive
// cases. The division follows from the world alone.
#pragma once

#include <cstdint>
#include <vector>

#include "properties/world.h"

namespace bytegate {

constexpr int64_t kMaxWorldParts = 1024;

struct WorldParts {
  int64_t num_cases = 0;
  int64_t batch_cases = 1;  // that are checked together
  int64_t part_cases = 1;   // a multiple of it; the last part may have fewer

  [[nodiscard]] int64_t num_parts() const { return (num_cases + part_cases - 1) / part_cases; }
  [[nodiscard]] int64_t first_case(int64_t part) const { return part * part_cases; }
  [[nodiscard]] int64_t cases_of(int64_t part) const;
};
WorldParts divide(const World& world);

// Which parts are done.
class PartSet {
 public:
  PartSet() = default;
  explicit PartSet(int64_t num_parts) : has_(static_cast<size_t>(num_parts)) {}

  [[nodiscard]] int64_t num_parts() const { return static_cast<int64_t>(has_.size()); }
  [[nodiscard]] bool has(int64_t part) const { return has_[static_cast<size_t>(part)]; }
  void add(int64_t part) { has_[static_cast<size_t>(part)] = true; }
  // The other one must be of the same world.
  void add_all(const PartSet& other);

  friend bool operator==(const PartSet&, const PartSet&) = default;

 private:
  std::vector<bool> has_;
};

// Cases of the parts that are in the set.
int64_t num_cases_of(const WorldParts& parts, const PartSet& set);

// Parts first, first + count, ...: shards of the same count have no part in common, and all of them
// have every part.
struct PartShard {
  int64_t first = 0;
  int64_t count = 1;
};
PartSet parts_of_shard(const WorldParts& parts, const PartShard& shard);

}  // namespace bytegate
