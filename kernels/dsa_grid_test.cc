// The fused DSA kernels under launch geometries that only huge calls have: each gives the bytes of
// the eager chain, whatever shares the work.
#include <gtest/gtest.h>

#include <vector>

#include "kernels/dsa_metadata.h"
#include "kernels/dsa_metadata_host.h"

namespace bytegate {
namespace {

struct Shape {
  DsaMode mode = DsaMode::kDecode;
  DsaExtendForm form = DsaExtendForm::kStatic;
  int64_t num_requests = 0;
  int64_t rows_per_request = 1;
  int64_t max_len = 0;
};

constexpr int64_t kPoolRows = 7;
constexpr int64_t kPageSize = 4;
constexpr int32_t kPoison = 0x5a5a5a5a;
// Any order but the natural one, in which a missing barrier would not show.
constexpr uint64_t kSeed = 5;

// A call with all its buffers. Rows of both tables are multiples of 16 bytes long.
class Call {
 public:
  explicit Call(const Shape& shape) : shape_(shape) {
    int64_t num_rows = 0;
    for (int64_t b = 0; b < shape.num_requests; ++b) {
      seq_lens_.push_back(b * 37 % 5000 - 3);
      pool_rows_.push_back(static_cast<int32_t>(b * 3 % kPoolRows));
      extend_lens_.push_back(static_cast<int32_t>(b * 5 % 7 % 4));
      num_rows += ragged() ? extend_lens_.back() : shape.rows_per_request;
    }
    for (int64_t i = 0; i < kPoolRows * shape.max_len; ++i) {
      slots_.push_back(static_cast<int32_t>(i * 2654435761));
    }
    num_rows_ = num_rows;
    num_pages_ = (shape.max_len + kPageSize - 1) / kPageSize;
  }

  // All outputs, end to end, of the fused launch under `grid`.
  std::vector<int32_t> fused(const DsaGrid& grid) {
    DsaArgs args = dsa_kernel_args(params());
    args.grid = grid;
    simt::Executor executor(simt::ExecutorOptions{.seed = kSeed});
    const simt::Status status = launch_dsa_fused_on_host(executor, shape_.mode, args);
    EXPECT_TRUE(status.ok()) << status.message;
    return outputs_;
  }

  std::vector<int32_t> eager() {
    DsaParams call = params();
    std::vector<int64_t> workspace(dsa_workspace_bytes(call, DsaChain::kEager) / 8 + 2);
    call.workspace = workspace.data();
    simt::Executor executor(simt::ExecutorOptions{.seed = kSeed});
    const simt::Status status = launch_dsa_eager_on_host(
        executor, shape_.mode, dsa_kernel_args(call), dsa_eager_workspace(call));
    EXPECT_TRUE(status.ok()) << status.message;
    return outputs_;
  }

  DsaGrid grid() { return dsa_kernel_args(params()).grid; }

 private:
  bool ragged() const {
    return shape_.mode == DsaMode::kDraftExtend && shape_.form == DsaExtendForm::kRagged;
  }

  int32_t* take(int64_t count) {
    int32_t* section = outputs_.data() + taken_;
    taken_ += (count + 3) / 4 * 4;
    return section;
  }

  // Over poisoned outputs.
  DsaParams params() {
    const int64_t padded = num_rows_ * (shape_.max_len + num_pages_ + 8 + 3);
    outputs_.assign(static_cast<size_t>(padded + 2 * shape_.num_requests + 64), kPoison);
    taken_ = 0;
    DsaParams params;
    params.mode = shape_.mode;
    params.seq_lens = {.data = seq_lens_.data(), .is_int64 = true};
    params.req_pool_indices = {.data = pool_rows_.data()};
    params.req_to_token = slots_.data();
    params.req_to_token_row_stride = shape_.max_len;
    params.req_to_token_column_stride = 1;
    if (ragged()) params.extend_seq_lens = {.data = extend_lens_.data()};
    params.num_requests = shape_.num_requests;
    params.num_pool_rows = kPoolRows;
    params.num_columns = shape_.max_len;
    params.max_len = shape_.max_len;
    params.topk = 2048;
    params.page_size = kPageSize;
    params.next_n = shape_.rows_per_request;
    params.form = static_cast<int64_t>(shape_.form);
    params.extend_len = ragged() ? 0 : shape_.rows_per_request;
    params.total_len = num_rows_;
    // First, so that they are as aligned as the vector's memory.
    params.page_table = table(shape_.max_len);
    params.real_page_table = table(num_pages_);
    params.cache_seqlens = take(shape_.num_requests);
    params.cu_seqlens_k = take(shape_.num_requests + 1);
    if (shape_.mode != DsaMode::kDecode) params.seqlens_expanded = take(num_rows_);
    params.dsa_cache_seqlens = take(num_rows_);
    params.dsa_cu_seqlens_k = take(num_rows_ + 1);
    return params;
  }

  DsaTable table(int64_t columns) {
    const int64_t stride = (columns + 3) / 4 * 4;
    return {.data = take(num_rows_ * stride),
            .num_columns = columns,
            .row_stride = stride,
            .present = true};
  }

  Shape shape_;
  int64_t num_rows_ = 0;
  int64_t num_pages_ = 0;
  std::vector<int64_t> seq_lens_;
  std::vector<int32_t> pool_rows_;
  std::vector<int32_t> extend_lens_;
  std::vector<int32_t> slots_;
  std::vector<int32_t> outputs_;
  int64_t taken_ = 0;
};

const std::vector<Shape>& modes_of_many_rows() {
  // More rows than three tiles of the sums, more requests than four windows of the walk.
  static const std::vector<Shape> shapes = {
      {.mode = DsaMode::kDecode, .num_requests = 6500, .max_len = 5},
      {.mode = DsaMode::kTargetVerify, .num_requests = 2200, .rows_per_request = 3, .max_len = 5},
      {.mode = DsaMode::kDraftExtend, .num_requests = 2200, .rows_per_request = 3, .max_len = 5},
      {.mode = DsaMode::kDraftExtend,
       .form = DsaExtendForm::kRagged,
       .num_requests = 4500,
       .max_len = 5}};
  return shapes;
}

TEST(DsaGrid, OneBlockMaySumUpEveryTile) {
  for (const Shape& shape : modes_of_many_rows()) {
    Call call(shape);
    DsaGrid grid = call.grid();
    ASSERT_GT(grid.num_row_blocks, 2);
    for (const int32_t num_blocks : {1, 2, 3}) {
      grid.num_request_blocks = num_blocks;
      grid.num_row_blocks = num_blocks;
      EXPECT_EQ(call.fused(grid), call.eager()) << static_cast<int>(shape.mode) << num_blocks;
    }
  }
}

TEST(DsaGrid, OneBlockMayCopyManyUnits) {
  for (const Shape& shape : modes_of_many_rows()) {
    Call call(shape);
    DsaGrid grid = call.grid();
    ASSERT_GT(grid.num_units, 8);
    for (const int32_t num_blocks : {1, 2, 5}) {
      grid.num_table_blocks = num_blocks;
      grid.units_per_block = (grid.num_units + num_blocks - 1) / num_blocks;
      EXPECT_EQ(call.fused(grid), call.eager()) << static_cast<int>(shape.mode) << num_blocks;
    }
  }
}

TEST(DsaGrid, OneBlockMayCopySeveralChunksOfItsRows) {
  for (Shape shape : modes_of_many_rows()) {
    shape.num_requests = 40;
    shape.max_len = 700;
    Call call(shape);
    DsaGrid grid = call.grid();
    grid.log2_lanes = 5;
    grid.columns_per_unit = 128;
    const int64_t num_rows = shape.mode == DsaMode::kDecode ? 40 : 120;
    grid.num_row_groups = (num_rows + 7) / 8;
    grid.num_units = grid.num_row_groups * 6;
    for (const int64_t num_blocks : {int64_t{1}, int64_t{4}, grid.num_units}) {
      grid.units_per_block = (grid.num_units + num_blocks - 1) / num_blocks;
      grid.num_table_blocks = static_cast<int32_t>(num_blocks);
      EXPECT_EQ(call.fused(grid), call.eager()) << static_cast<int>(shape.mode) << num_blocks;
    }
  }
}

TEST(DsaGrid, AThreadMayCopyAsMuchAsItEverDoes) {
  Call call({.mode = DsaMode::kDecode, .num_requests = 11, .max_len = 4097});
  DsaGrid grid = call.grid();
  for (const int64_t elements : {kDsaMinElementsPerLane, int64_t{16}, kDsaMaxElementsPerLane}) {
    grid.log2_lanes = 5;
    grid.columns_per_unit = 32 * elements;
    grid.num_row_groups = 2;
    grid.num_units = 2 * ((4097 + grid.columns_per_unit - 1) / grid.columns_per_unit);
    grid.units_per_block = 1;
    grid.num_table_blocks = static_cast<int32_t>(grid.num_units);
    EXPECT_EQ(call.fused(grid), call.eager()) << elements;
  }
}

}  // namespace
}  // namespace bytegate
