// The small operations of an eager framework, one function each, on Eigen arrays: what the fused
// DSA kernels replace. int32 arithmetic wraps.
#pragma once

#include <Eigen/Core>
#include <cstdint>

namespace bytegate::eager {

using Ints = Eigen::Array<int32_t, Eigen::Dynamic, 1>;
using Longs = Eigen::Array<int64_t, Eigen::Dynamic, 1>;
using Table = Eigen::Array<int32_t, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
// Somebody else's values.
using IntsView = Eigen::Map<const Ints>;
using LongsView = Eigen::Map<const Longs>;
using TableView = Eigen::Map<const Table>;

// The low 32 bits of each.
Ints cast_to_int32(const Eigen::Ref<const Longs>& values);
Longs cast_to_int64(const Eigen::Ref<const Ints>& values);

Ints arange(int64_t count);  // 0, 1, .. count - 1
Ints full(int64_t count, int32_t value);

Ints add(const Ints& a, const Ints& b);
Ints add(const Ints& values, int32_t addend);
Ints subtract(const Ints& a, const Ints& b);
Ints clamp_min(const Ints& values, int32_t min);
Ints clamp_max(const Ints& values, int32_t max);

// out[i] = in[0] + .. + in[i]
Ints cumulative_sum(const Ints& values);
// A zero, then the values.
Ints pad_front(const Ints& values);

// Each value counts[i] times in a row. Counts are not negative.
Ints repeat_interleave(const Ints& values, const Longs& counts);
Longs repeat_interleave(const Longs& values, const Longs& counts);
// 0 .. counts[0]-1, 0 .. counts[1]-1, ..
Ints concatenated_aranges(const Longs& counts);

// The first `num_columns` columns of the rows that `indices` names, in its order.
Table gather_rows(const Eigen::Ref<const Table>& table, const Eigen::Ref<const Longs>& indices,
                  int64_t num_columns);
// Columns 0, step, 2 step, ..
Table take_columns(const Table& table, int64_t step);
// Towards minus infinity. `divisor` > 0.
Table floor_divide(const Table& table, int32_t divisor);
// Column vectors next to each other: [n] to [n, count].
Table expand_columns(const Ints& values, int64_t count);

}  // namespace bytegate::eager
