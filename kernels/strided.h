// Walks the elements of a strided tensor in row-major order, in runs that are contiguous in memory.
#pragma once

#include <cstdint>

#include "oracles/tensor.h"

namespace bytegate {

// Calls visit(offset, first_idx, count): `count` elements from the row-major index `first_idx` on
// lie contiguously from the element offset `offset`. Never called with count 0.
template <typename Visit>
void for_each_run(const Dims& shape, const Dims& strides, Visit&& visit) {
  const int64_t total = num_elements(shape).value_or(0);
  if (total == 0) return;
  // The innermost axes that are contiguous together form one run.
  int outer_rank = shape.rank();
  int64_t run = 1;
  while (outer_rank > 0 && (shape[outer_rank - 1] == 1 || strides[outer_rank - 1] == run)) {
    run *= shape[--outer_rank];
  }
  Dims place;
  for (int axis = 0; axis < outer_rank; ++axis) place.push_back(0);
  int64_t offset = 0;
  for (int64_t first_idx = 0; first_idx < total; first_idx += run) {
    visit(offset, first_idx, run);
    for (int axis = outer_rank - 1; axis >= 0; --axis) {
      offset += strides[axis];
      if (++place[axis] < shape[axis]) break;
      offset -= shape[axis] * strides[axis];
      place[axis] = 0;
    }
  }
}

}  // namespace bytegate
