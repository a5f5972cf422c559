#include "properties/op_properties.h"

#include <utility>

#include "properties/dsa_metadata.h"
#include "properties/paged_mqa_metadata.h"

namespace bytegate {

const OpProperties* find_properties(PropertyTable table, const Op& op) {
  for (const OpProperties& properties : table) {
    if (properties.op == &op) return &properties;
  }
  return nullptr;
}

PropertyTable all_properties() {
  static const std::vector<OpProperties> table = [] {
    std::vector<OpProperties> all = {paged_mqa_metadata_properties()};
    for (OpProperties& properties : dsa_properties()) all.push_back(std::move(properties));
    return all;
  }();
  return table;
}

OpTable all_ops() {
  static const std::vector<const Op*> ops = [] {
    std::vector<const Op*> all;
    for (const OpProperties& properties : all_properties()) all.push_back(properties.op);
    return all;
  }();
  return ops;
}

}  // namespace bytegate
