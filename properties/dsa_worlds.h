// Small worlds of the DSA metadata operations.
#pragma once

#include <vector>

#include "properties/world.h"

namespace bytegate {

// Of each of dsa_ops(), by the function that names it.
template <const Op& (*kOp)()>
std::vector<World> dsa_worlds();

}  // namespace bytegate
