// What a case is kept for.
#pragma once

#include <string>
#include <vector>

#include "properties/op_properties.h"
#include "properties/verdict.h"

namespace bytegate {

// Each is a few words that say all of it, and begin with the operation: "OP class lone zero first",
// "OP path tiny", "OP refused num_sm: # is outside # .. #". What the case is as it was run:
// classes, cells, path, states of a consumer, mode, variants, types, layouts, what it expects,
// faults, steps, and the failure that it was kept for.
std::vector<std::string> features_of(const OpProperties& properties, const Case& c,
                                     const Verdict& verdict);

}  // namespace bytegate
