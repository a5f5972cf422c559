// What the kernels get, computed from a call that has been checked.
#include <algorithm>

#include "kernels/dsa_metadata.h"

namespace bytegate {
namespace {

int64_t ceil_div(int64_t a, int64_t b) {
  return a / b + (a % b != 0 ? 1 : 0);
}

int32_t min_of(const DsaParams& params) {
  if (params.mode == DsaMode::kDecode) return INT32_MIN;
  switch (static_cast<DsaExpandedMin>(params.expanded_min)) {
    case DsaExpandedMin::kZero:
      return 0;
    case DsaExpandedMin::kOne:
      return 1;
    case DsaExpandedMin::kNone:
      break;
  }
  return INT32_MIN;
}

int32_t rows_per_request(const DsaParams& params) {
  switch (params.mode) {
    case DsaMode::kDecode:
      return 1;
    case DsaMode::kTargetVerify:
      return static_cast<int32_t>(params.next_n);
    case DsaMode::kDraftExtend:
      break;
  }
  return static_cast<int32_t>(params.extend_len);
}

int32_t sum_blocks(int64_t num_lens) {
  return static_cast<int32_t>(
      std::clamp<int64_t>(ceil_div(num_lens, kDsaTile), 1, kDsaMaxSumBlocks));
}

// Few where there is little to copy, so that all multiprocessors have a part in it.
int64_t elements_per_lane(int64_t num_elements) {
  constexpr int64_t kManyThreads = int64_t{1} << 15;
  int64_t elements = kDsaMinElementsPerLane;
  while (elements < kDsaMaxElementsPerLane && elements * kManyThreads < num_elements) elements *= 2;
  return elements;
}

DsaGrid grid_of(const DsaParams& params) {
  const int64_t num_rows = dsa_num_rows(params);
  DsaGrid grid{};
  grid.num_request_blocks = sum_blocks(params.num_requests);
  grid.num_row_blocks = sum_blocks(num_rows);
  grid.columns_per_unit = 1;
  if (num_rows == 0 || params.max_len == 0) return grid;
  // As many lanes for a row as have something to do; then as many as there are rows to share.
  const int64_t width = params.page_table.present ? params.max_len : dsa_num_pages(params);
  int32_t num_lanes = 1;
  const auto double_lanes = [&] {
    num_lanes *= 2;
    ++grid.log2_lanes;
  };
  while (num_lanes < kDsaMaxLanesPerRow && num_lanes * int64_t{4} < width) double_lanes();
  while (num_lanes < kDsaThreads && kDsaThreads / num_lanes > num_rows) double_lanes();
  grid.columns_per_unit = int64_t{num_lanes} * elements_per_lane(num_rows * width);
  // Without page_table only one column of each page is read.
  if (!params.page_table.present) grid.columns_per_unit *= params.page_size;
  grid.num_row_groups = ceil_div(num_rows, kDsaThreads / num_lanes);
  grid.num_units = grid.num_row_groups * ceil_div(params.max_len, grid.columns_per_unit);
  const bool walks = params.mode == DsaMode::kDraftExtend &&
                     params.form == static_cast<int64_t>(DsaExtendForm::kRagged) &&
                     params.num_requests > kDsaWindow;
  const int64_t max_blocks = walks ? kDsaMaxWalkingBlocks : kDsaMaxTableBlocks;
  grid.units_per_block = ceil_div(grid.num_units, max_blocks);
  grid.num_table_blocks = static_cast<int32_t>(ceil_div(grid.num_units, grid.units_per_block));
  return grid;
}

// Hands out 16-byte aligned sections, one after the other, with a red zone between them.
class Sections {
 public:
  explicit Sections(void* base) : base_(static_cast<unsigned char*>(base)) {}

  template <typename T>
  T* take(const char* name, int64_t count) {
    if (bytes_ > 0 && count > 0) bytes_ += kRedZoneBytes;
    T* section = base_ == nullptr ? nullptr : reinterpret_cast<T*>(base_ + bytes_);
    const size_t bytes = static_cast<size_t>(count) * sizeof(T);
    if (count > 0) taken_.push_back({name, bytes_, bytes});
    bytes_ += (bytes + 15) / 16 * 16;
    return section;
  }
  [[nodiscard]] size_t bytes() const { return bytes_; }
  [[nodiscard]] const std::vector<DsaSection>& taken() const { return taken_; }

 private:
  unsigned char* base_;
  size_t bytes_ = 0;
  std::vector<DsaSection> taken_;
};
static_assert(kRedZoneBytes % 16 == 0, "sections are 16-byte aligned");

DsaEagerWorkspace take_eager_sections(const DsaParams& params, Sections& sections) {
  const int64_t num_requests = params.num_requests;
  const int64_t num_rows = dsa_num_rows(params);
  DsaEagerWorkspace workspace{};
  workspace.seq_lens = sections.take<int32_t>("seq_lens", num_requests);
  workspace.counts = sections.take<int64_t>("counts", num_requests);
  workspace.ends = sections.take<int64_t>("ends", num_requests);
  workspace.request_of_row = sections.take<int32_t>("request_of_row", num_rows);
  workspace.positions = sections.take<int32_t>("positions", num_rows);
  workspace.lens_of_row = sections.take<int32_t>("lens_of_row", num_rows);
  workspace.pool_rows = sections.take<int64_t>("pool_rows", num_rows);
  return workspace;
}

}  // namespace

size_t dsa_workspace_bytes(const DsaParams& params, DsaChain chain) {
  if (chain == DsaChain::kFused) return 0;
  Sections sections(nullptr);
  take_eager_sections(params, sections);
  return sections.bytes();
}

std::vector<DsaSection> dsa_workspace_sections(const DsaParams& params, DsaChain chain) {
  if (chain == DsaChain::kFused) return {};
  Sections sections(nullptr);
  take_eager_sections(params, sections);
  return sections.taken();
}

DsaEagerWorkspace dsa_eager_workspace(const DsaParams& params) {
  Sections sections(params.workspace);
  return take_eager_sections(params, sections);
}

DsaArgs dsa_kernel_args(const DsaParams& params) {
  const bool ragged = params.mode == DsaMode::kDraftExtend &&
                      params.form == static_cast<int64_t>(DsaExtendForm::kRagged);
  return {.seq_lens = params.seq_lens,
          .req_pool_indices = params.req_pool_indices,
          .req_to_token = params.req_to_token,
          .req_to_token_row_stride = params.req_to_token_row_stride,
          .req_to_token_column_stride = params.req_to_token_column_stride,
          .extend_seq_lens =
              ragged ? static_cast<const int32_t*>(params.extend_seq_lens.data) : nullptr,
          .extend_stride = params.extend_seq_lens.stride,
          .num_requests = params.num_requests,
          .num_rows = dsa_num_rows(params),
          .num_pool_rows = params.num_pool_rows,
          .max_len = params.max_len,
          .num_pages = dsa_num_pages(params),
          .topk = static_cast<int32_t>(params.topk),
          .page_size = static_cast<int32_t>(params.page_size),
          .rows_per_request = rows_per_request(params),
          .cache_addend =
              params.mode == DsaMode::kTargetVerify ? static_cast<int32_t>(params.next_n) : 0,
          .expanded_min = min_of(params),
          .live_tail = params.tail == static_cast<int64_t>(DsaTail::kLive),
          .cache_seqlens = params.cache_seqlens,
          .cu_seqlens_k = params.cu_seqlens_k,
          .page_table = params.page_table.data,
          .page_table_stride = params.page_table.row_stride,
          .seqlens_expanded = params.seqlens_expanded,
          .dsa_cache_seqlens = params.dsa_cache_seqlens,
          .dsa_cu_seqlens_k = params.dsa_cu_seqlens_k,
          .real_page_table = params.real_page_table.data,
          .real_page_table_stride = params.real_page_table.row_stride,
          .paged_mqa_ctx_lens = params.paged_mqa_ctx_lens.data,
          .ctx_lens_row_stride = params.paged_mqa_ctx_lens.row_stride,
          .ctx_lens_column_stride = params.paged_mqa_ctx_lens_column_stride,
          .grid = grid_of(params)};
}

}  // namespace bytegate
