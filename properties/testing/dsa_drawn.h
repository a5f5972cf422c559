// What the tests of DSA candidates draw their cases from.
#pragma once

#include <algorithm>
#include <cstdint>

#include "oracles/dsa_metadata.h"
#include "properties/dsa_metadata.h"

namespace bytegate {

inline const OpProperties& dsa_properties_of(DsaMode mode, DsaEntry entry) {
  static const auto all = dsa_properties();
  return *std::find_if(all.begin(), all.end(), [&](const OpProperties& properties) {
    const DsaDescription& description = describe_dsa(*properties.op);
    return description.mode == mode && description.entry == entry;
  });
}

inline Case drawn_case(const OpProperties& properties, uint64_t run_seed, uint64_t case_idx) {
  Draw draw(case_seed(run_seed, case_idx));
  return properties.generate(draw);
}

}  // namespace bytegate
