#include "properties/dsa_layouts.h"

#include <algorithm>

namespace bytegate {
namespace {

// Where an offset in 32 bits is wrong.
constexpr int64_t kFarApart = int64_t{1} << 31;
constexpr int64_t kMaxFarRows = 12;
constexpr int64_t kOneInFar = 36;

// Mostly a multiple of 4 elements, so that rows are as aligned as engines have them.
int64_t draw_padding(int64_t width, Draw& draw) {
  if (draw.one_in(3)) return width;
  const int64_t padded = width + draw.between(0, 12);
  return draw.one_in(2) ? (padded + 3) / 4 * 4 : padded;
}

}  // namespace

bool repeats(const Tensor& tensor) {
  for (int axis = 0; axis < tensor.shape.rank(); ++axis) {
    if (tensor.shape[axis] > 1 && tensor.strides[axis] == 0) return true;
  }
  return false;
}

void draw_vector_layout(Tensor& vector, bool may_repeat, Draw& draw) {
  if (draw.one_in(2)) return;
  if (!may_repeat || !draw.one_in(6)) {
    vector.strides = {draw.between(2, 6)};
    return;
  }
  vector.strides = {0};
  for (int64_t i = 1; i < vector.elements.size(); ++i) {
    vector.elements.set(i, vector.elements.at(0));
  }
}

void draw_slots_layout(Tensor& slots, Draw& draw) {
  const int64_t rows = slots.shape[0];
  const int64_t columns = slots.shape[1];
  if (rows <= kMaxFarRows && columns > 0 && draw.one_in(kOneInFar)) {
    slots.strides = {kFarApart + draw.between(0, 8), 1};
    return;
  }
  switch (draw.between(0, 9)) {
    case 0: {  // a column stride
      const int64_t stride = draw.between(2, 3);
      slots.strides = {draw_padding(columns * stride, draw), stride};
      return;
    }
    case 1:  // columns first
      slots.strides = {1, draw_padding(std::max<int64_t>(rows, 1), draw)};
      return;
    case 2:  // one row for all
      slots.strides = {0, 1};
      for (int64_t i = columns; i < slots.elements.size(); ++i) {
        slots.elements.set(i, slots.elements.at(i % columns));
      }
      return;
    case 3:
    case 4:
    case 5:
      slots.strides = {draw_padding(columns, draw), 1};
      return;
    default:
      return;
  }
}

void draw_table_layout(Tensor& table, int64_t columns_written, Draw& draw) {
  if (table.shape[0] <= kMaxFarRows && table.shape[1] > 0 && draw.one_in(kOneInFar)) {
    table.strides = {kFarApart + draw.between(0, 8), 1};
    return;
  }
  if (draw.one_in(8)) {
    table.strides = {columns_written, 1};
  } else if (draw.one_in(2)) {
    table.strides = {draw_padding(table.shape[1], draw), 1};
  }
}

void draw_ctx_lens_layout(Tensor& table, Draw& draw) {
  if (draw.one_in(2)) return;
  const int64_t column_stride = draw.between(1, 3);
  const int64_t width = std::max<int64_t>(table.shape[1] - 1, 0) * column_stride + 1;
  table.strides = {width + draw.between(0, 5), column_stride};
}

}  // namespace bytegate
