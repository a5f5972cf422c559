// The small steps of the eager chain, each a kernel of its own: element i of a step's output is
// written by calling the step with i. Plain on purpose: this is what the fused kernels are gated
// against on the device.
#pragma once

#include <cstdint>

#include "kernels/dsa_metadata.h"
#include "kernels/simt/block_scan.h"
#include "kernels/simt/cuda_names.h"

namespace bytegate {

constexpr int kDsaEagerThreads = 256;

struct DsaReadVector {
  DsaVector vector;
  BYTEGATE_DEVICE int64_t operator[](int64_t i) const {
    const int64_t offset = i * vector.stride;
    return vector.is_int64 ? static_cast<const int64_t*>(vector.data)[offset]
                           : int64_t{static_cast<const int32_t*>(vector.data)[offset]};
  }
};

struct DsaCastStep {  // out = in, cut to int32
  DsaReadVector in;
  int32_t* out;
  BYTEGATE_DEVICE void operator()(int64_t i) const {
    out[i] = static_cast<int32_t>(static_cast<uint32_t>(in[i]));
  }
};

struct DsaAddStep {  // out = in + addend, wrapping
  const int32_t* in;
  int32_t addend;
  int32_t* out;
  BYTEGATE_DEVICE void operator()(int64_t i) const {
    out[i] = static_cast<int32_t>(static_cast<uint32_t>(in[i]) + static_cast<uint32_t>(addend));
  }
};

struct DsaFillStep {
  int32_t value;
  int32_t* out;
  BYTEGATE_DEVICE void operator()(int64_t i) const { out[i] = value; }
};

struct DsaFillCountsStep {
  int64_t value;
  int64_t* out;
  BYTEGATE_DEVICE void operator()(int64_t i) const { out[i] = value; }
};

// A negative count is outside the contract, and taken as none.
struct DsaCastCountsStep {
  DsaReadVector in;
  int64_t* out;
  BYTEGATE_DEVICE void operator()(int64_t i) const { out[i] = in[i] > 0 ? in[i] : 0; }
};

// Element i stands for request i, and writes all of its rows that there are.
struct DsaRepeatRequestsStep {
  const int64_t* counts;
  const int64_t* ends;
  int64_t num_rows;
  int32_t* request_of_row;
  BYTEGATE_DEVICE void operator()(int64_t i) const {
    for (int64_t row = ends[i] - counts[i]; row < ends[i] && row < num_rows; ++row) {
      request_of_row[row] = static_cast<int32_t>(i);
    }
  }
};

// 1, 2, .. within each request.
struct DsaPositionsStep {
  const int64_t* counts;
  const int64_t* ends;
  const int32_t* request_of_row;
  int32_t* positions;
  BYTEGATE_DEVICE void operator()(int64_t i) const {
    const int64_t b = request_of_row[i];
    positions[i] = b < 0 ? 0 : static_cast<int32_t>(i - (ends[b] - counts[b]) + 1);
  }
};

struct DsaGatherStep {  // out[i] = in[idx[i]]
  const int32_t* in;
  const int32_t* idx;
  int32_t* out;
  BYTEGATE_DEVICE void operator()(int64_t i) const { out[i] = idx[i] < 0 ? 0 : in[idx[i]]; }
};

struct DsaGatherPoolRowsStep {
  DsaReadVector in;
  const int32_t* idx;
  int64_t* out;
  BYTEGATE_DEVICE void operator()(int64_t i) const { out[i] = idx[i] < 0 ? -1 : in[idx[i]]; }
};

struct DsaAddVectorsStep {
  const int32_t* a;
  const int32_t* b;
  int32_t* out;
  BYTEGATE_DEVICE void operator()(int64_t i) const {
    out[i] = static_cast<int32_t>(static_cast<uint32_t>(a[i]) + static_cast<uint32_t>(b[i]));
  }
};

struct DsaSubtractCountsStep {  // out = in - counts of the row's request
  const int32_t* in;
  const int64_t* counts;
  const int32_t* request_of_row;
  int32_t* out;
  BYTEGATE_DEVICE void operator()(int64_t i) const {
    const int64_t count = request_of_row[i] < 0 ? 0 : counts[request_of_row[i]];
    out[i] = static_cast<int32_t>(static_cast<uint32_t>(in[i]) - static_cast<uint32_t>(count));
  }
};

struct DsaClampMinStep {
  const int32_t* in;
  int32_t min;
  int32_t* out;
  BYTEGATE_DEVICE void operator()(int64_t i) const { out[i] = in[i] < min ? min : in[i]; }
};

struct DsaClampMaxStep {
  const int32_t* in;
  int32_t max;
  int32_t* out;
  BYTEGATE_DEVICE void operator()(int64_t i) const { out[i] = in[i] > max ? max : in[i]; }
};

struct DsaExpandColumnsStep {  // out[i / columns, i % columns] = in[i / columns]
  const int32_t* in;
  int64_t num_columns;
  int32_t* out;
  int64_t row_stride;
  int64_t column_stride;
  BYTEGATE_DEVICE void operator()(int64_t i) const {
    const int64_t row = i / num_columns;
    out[row * row_stride + (i - row * num_columns) * column_stride] = in[row];
  }
};

struct DsaSlots {
  const int32_t* data;
  int64_t row_stride;
  int64_t column_stride;
  int64_t num_rows;
};

struct DsaTakeColumnsStep {  // out[r, c] = slots[rows[r], c * step]
  DsaSlots slots;
  const int64_t* rows;
  int64_t step;
  int64_t num_columns;
  int32_t* out;
  int64_t out_stride;
  BYTEGATE_DEVICE void operator()(int64_t i) const {
    const int64_t row = i / num_columns;
    const int64_t column = i - row * num_columns;
    // Written all the same, since the next step reads it.
    const bool is_row = rows[row] >= 0 && rows[row] < slots.num_rows;
    out[row * out_stride + column] =
        is_row ? slots.data[rows[row] * slots.row_stride + column * step * slots.column_stride] : 0;
  }
};

struct DsaFloorDivideStep {  // in place
  int32_t divisor;
  int64_t num_columns;
  int32_t* table;
  int64_t stride;
  BYTEGATE_DEVICE void operator()(int64_t i) const {
    const int64_t row = i / num_columns;
    int32_t& value = table[row * stride + i - row * num_columns];
    const int64_t wide = value;
    // Moved up by a multiple of the divisor, a negative value divides towards zero like a floor.
    const int64_t lift = (int64_t{INT32_MAX} + 1 + divisor - 1) / divisor;
    value = static_cast<int32_t>((wide + lift * divisor) / divisor - lift);
  }
};

template <typename Step>
BYTEGATE_DEVICE void dsa_eager_step(const Step& step, int64_t count) {
  const int64_t stride = int64_t{gridDim.x} * blockDim.x;
  for (int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += stride) step(i);
}

// out[i] = in[0] + .. + in[i], wrapping; one block.
template <typename T>
struct DsaCumulativeSum {
  const T* in;
  T* out;
  int64_t count;
};

template <typename T>
struct DsaCumulativeSumShared {
  typename simt::BlockScan<T, kDsaEagerThreads>::TempStorage scan;
};

template <typename T, typename Unsigned>
BYTEGATE_DEVICE void dsa_cumulative_sum(const DsaCumulativeSum<T>& sum,
                                        DsaCumulativeSumShared<Unsigned>& shared) {
  Unsigned before = 0;
  for (int64_t first = 0; first < sum.count; first += kDsaEagerThreads) {
    const int64_t i = first + threadIdx.x;
    const Unsigned value = i < sum.count ? static_cast<Unsigned>(sum.in[i]) : Unsigned{0};
    Unsigned upto = 0;
    Unsigned total = 0;
    simt::BlockScan<Unsigned, kDsaEagerThreads>(shared.scan).InclusiveSum(value, upto, total);
    if (i < sum.count) sum.out[i] = static_cast<T>(before + upto);
    before += total;
    __syncthreads();
  }
}

}  // namespace bytegate
