// The oracle of the DSA metadata operations: the chain of small steps that an eager framework runs,
// each materialised before the next, none fused.
#pragma once

#include "oracles/case.h"

namespace bytegate {

// Op::oracle of all of dsa_ops().
void dsa_eager_oracle(const Case& c, Outputs& outputs);

}  // namespace bytegate
