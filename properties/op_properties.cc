#include "properties/op_properties.h"

#include <array>

#include "oracles/paged_mqa_metadata.h"
#include "properties/paged_mqa_metadata.h"

namespace bytegate {

const OpProperties* find_properties(PropertyTable table, const Op& op) {
  for (const OpProperties& properties : table) {
    if (properties.op == &op) return &properties;
  }
  return nullptr;
}

PropertyTable all_properties() {
  static const std::array<OpProperties, 1> table = {paged_mqa_metadata_properties()};
  return table;
}

OpTable all_ops() {
  static const std::array<const Op*, 1> ops = {&paged_mqa_metadata_op()};
  return ops;
}

}  // namespace bytegate
