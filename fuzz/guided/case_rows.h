// Rows along a free dimension: taken out, repeated, put in another order, or new.
#pragma once

#include <cstdint>
#include <vector>

#include "oracles/case.h"

namespace bytegate {

inline constexpr int64_t kNewRow = -1;  // of simplest values

// Gives the dimension as many rows as `from` has entries: row k is what row from[k] was. In every
// tensor that has the dimension, and in later steps.
void arrange_rows(Case& c, int dim, const std::vector<int64_t>& from);

// Gives the tensors the shapes that scalars and dimensions now ask for. Elements that have a place
// in both keep it; strides stay where they were not compact.
void reshape_tensors(Case& c);

}  // namespace bytegate
