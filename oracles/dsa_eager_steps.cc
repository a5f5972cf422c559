#include "oracles/dsa_eager_steps.h"

namespace bytegate::eager {
namespace {

// Eigen adds int32 as C++ does, where overflow is undefined; unsigned arithmetic wraps.
using Bits = Eigen::Array<uint32_t, Eigen::Dynamic, 1>;

int64_t sum_of(const Longs& counts) {
  int64_t sum = 0;
  for (const int64_t count : counts) sum += count;
  return sum;
}

template <typename Values>
Values repeated(const Values& values, const Longs& counts) {
  Values out(sum_of(counts));
  int64_t next = 0;
  for (Eigen::Index i = 0; i < values.size(); ++i) {
    out.segment(next, counts[i]).setConstant(values[i]);
    next += counts[i];
  }
  return out;
}

}  // namespace

Ints cast_to_int32(const Eigen::Ref<const Longs>& values) {
  return values.cast<uint32_t>().cast<int32_t>();
}

Longs cast_to_int64(const Eigen::Ref<const Ints>& values) {
  return values.cast<int64_t>();
}

Ints arange(int64_t count) {
  Ints out(count);
  for (Eigen::Index i = 0; i < count; ++i) out[i] = static_cast<int32_t>(i);
  return out;
}

Ints full(int64_t count, int32_t value) {
  return Ints::Constant(count, value);
}

Ints add(const Ints& a, const Ints& b) {
  return (a.cast<uint32_t>() + b.cast<uint32_t>()).cast<int32_t>();
}

Ints add(const Ints& values, int32_t addend) {
  return add(values, full(values.size(), addend));
}

Ints subtract(const Ints& a, const Ints& b) {
  return (a.cast<uint32_t>() - b.cast<uint32_t>()).cast<int32_t>();
}

Ints clamp_min(const Ints& values, int32_t min) {
  return values.max(min);
}

Ints clamp_max(const Ints& values, int32_t max) {
  return values.min(max);
}

Ints cumulative_sum(const Ints& values) {
  Bits sums = values.cast<uint32_t>();
  for (Eigen::Index i = 1; i < sums.size(); ++i) sums[i] += sums[i - 1];
  return sums.cast<int32_t>();
}

Ints pad_front(const Ints& values) {
  Ints out(values.size() + 1);
  out[0] = 0;
  out.tail(values.size()) = values;
  return out;
}

Ints repeat_interleave(const Ints& values, const Longs& counts) {
  return repeated(values, counts);
}

Longs repeat_interleave(const Longs& values, const Longs& counts) {
  return repeated(values, counts);
}

Ints concatenated_aranges(const Longs& counts) {
  Ints out(sum_of(counts));
  int64_t next = 0;
  for (const int64_t count : counts) {
    out.segment(next, count) = arange(count);
    next += count;
  }
  return out;
}

Table gather_rows(const Eigen::Ref<const Table>& table, const Eigen::Ref<const Longs>& indices,
                  int64_t num_columns) {
  Table out(indices.size(), num_columns);
  for (Eigen::Index i = 0; i < indices.size(); ++i) {
    out.row(i) = table.row(indices[i]).head(num_columns);
  }
  return out;
}

Table take_columns(const Table& table, int64_t step) {
  const int64_t count = table.cols() == 0 ? 0 : (table.cols() - 1) / step + 1;
  Table out(table.rows(), count);
  // Element by element: a whole column of a table without rows would begin beside a null pointer.
  for (Eigen::Index row = 0; row < out.rows(); ++row) {
    for (Eigen::Index i = 0; i < count; ++i) out(row, i) = table(row, i * step);
  }
  return out;
}

Table floor_divide(const Table& table, int32_t divisor) {
  // Without its non-negative remainder a value divides evenly.
  return table.unaryExpr([divisor](int32_t value) {
    const int64_t wide = value;
    const int64_t remainder = (wide % divisor + divisor) % divisor;
    return static_cast<int32_t>((wide - remainder) / divisor);
  });
}

Table expand_columns(const Ints& values, int64_t count) {
  return values.replicate(1, count);
}

}  // namespace bytegate::eager
