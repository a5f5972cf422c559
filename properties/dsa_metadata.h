// How the DSA metadata operations are searched.
#pragma once

#include <array>

#include "properties/op_properties.h"

namespace bytegate {

// In the order of dsa_ops().
std::array<OpProperties, 8> dsa_properties();

}  // namespace bytegate
