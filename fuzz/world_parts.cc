#include "fuzz/world_parts.h"

#include <algorithm>

namespace bytegate {
namespace {

constexpr int64_t kMostCasesAtOnce = 512;
constexpr int64_t kMostElementsAtOnce = int64_t{1} << 20;

int64_t num_input_elements(const Case& c) {
  int64_t count = 0;
  for (const Tensor& tensor : c.tensors) count += tensor.elements.size();
  return count;
}

}  // namespace

int64_t WorldParts::cases_of(int64_t part) const {
  return std::min(part_cases, num_cases - first_case(part));
}

// Cases grow with their index, so that the last one tells how many fit into a batch.
WorldParts divide(const World& world) {
  WorldParts parts;
  parts.num_cases = world.num_cases;
  if (world.num_cases == 0) return parts;
  const int64_t num_elements = 1 + num_input_elements(world.case_at(world.num_cases - 1));
  const int64_t share = (world.num_cases + kMaxWorldParts - 1) / kMaxWorldParts;
  parts.batch_cases = std::clamp<int64_t>(kMostElementsAtOnce / num_elements, 1, kMostCasesAtOnce);
  parts.part_cases = (share + parts.batch_cases - 1) / parts.batch_cases * parts.batch_cases;
  return parts;
}

void PartSet::add_all(const PartSet& other) {
  for (int64_t part = 0; part < num_parts(); ++part) {
    if (other.has(part)) add(part);
  }
}

int64_t num_cases_of(const WorldParts& parts, const PartSet& set) {
  int64_t num_cases = 0;
  for (int64_t part = 0; part < set.num_parts(); ++part) {
    if (set.has(part)) num_cases += parts.cases_of(part);
  }
  return num_cases;
}

PartSet parts_of_shard(const WorldParts& parts, const PartShard& shard) {
  PartSet set(parts.num_parts());
  for (int64_t part = shard.first; part < parts.num_parts(); part += shard.count) set.add(part);
  return set;
}

}  // namespace bytegate
