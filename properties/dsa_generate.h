// Random cases of the DSA metadata operations.
#pragma once

#include "oracles/dsa_metadata.h"
#include "properties/draw.h"

namespace bytegate {

// A valid case of one of dsa_ops().
Case generate_dsa_case(const Op& op, Draw& draw);

}  // namespace bytegate
