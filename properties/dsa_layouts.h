// Random strides for the DSA metadata operations' tensors.
#pragma once

#include "oracles/tensor.h"
#include "properties/draw.h"

namespace bytegate {

// Whether elements of the tensor share an address.
bool repeats(const Tensor& tensor);

// An input vector: compact, any stride, or, if it may, one value repeated (which its elements then
// are).
void draw_vector_layout(Tensor& vector, bool may_repeat, Draw& draw);
// req_to_token: padded rows, a column stride, columns first, or one row repeated; seldom rows that
// lie 2^31 elements apart.
void draw_slots_layout(Tensor& slots, Draw& draw);
// An output table of which so many columns are written: padded rows, rows as near as they may be;
// seldom rows that lie 2^31 elements apart.
void draw_table_layout(Tensor& table, int64_t columns_written, Draw& draw);
// An output of which both axes have strides.
void draw_ctx_lens_layout(Tensor& table, Draw& draw);

}  // namespace bytegate
