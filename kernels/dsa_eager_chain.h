// The eager chain: its steps in their order, for whatever launches them. `launch` has
//
//   template <typename Step> void step(const char* name, const Step& step, int64_t count);
//   template <typename T> void cumulative_sum(const char* name, const DsaCumulativeSum<T>& sum);
//
// and keeps the first error to itself; a step of no elements is not launched.
#pragma once

#include "kernels/dsa_eager_kernels.h"

namespace bytegate {

template <typename Launch>
void run_dsa_eager_lengths(const DsaArgs& args, const DsaEagerWorkspace& workspace,
                           Launch& launch) {
  const int64_t num_requests = args.num_requests;
  launch.step("dsa_eager_cast", DsaCastStep{{args.seq_lens}, workspace.seq_lens}, num_requests);
  launch.step("dsa_eager_add",
              DsaAddStep{workspace.seq_lens, args.cache_addend, args.cache_seqlens}, num_requests);
  launch.step("dsa_eager_pad", DsaFillStep{0, args.cu_seqlens_k}, 1);
  launch.cumulative_sum(
      "dsa_eager_cumulative_sum",
      DsaCumulativeSum<int32_t>{args.cache_seqlens, args.cu_seqlens_k + 1, num_requests});
  if (args.paged_mqa_ctx_lens != nullptr) {
    launch.step(
        "dsa_eager_expand_columns",
        DsaExpandColumnsStep{args.cache_seqlens, args.rows_per_request, args.paged_mqa_ctx_lens,
                             args.ctx_lens_row_stride, args.ctx_lens_column_stride},
        num_requests * args.rows_per_request);
  }
}

// Which request each row belongs to.
template <typename Launch>
void run_dsa_eager_requests_of_rows(const DsaArgs& args, const DsaEagerWorkspace& workspace,
                                    Launch& launch) {
  if (args.extend_seq_lens != nullptr) {
    const DsaVector lens = {.data = args.extend_seq_lens, .stride = args.extend_stride};
    launch.step("dsa_eager_cast_counts", DsaCastCountsStep{{lens}, workspace.counts},
                args.num_requests);
  } else {
    launch.step("dsa_eager_fill_counts", DsaFillCountsStep{args.rows_per_request, workspace.counts},
                args.num_requests);
  }
  launch.cumulative_sum(
      "dsa_eager_cumulative_counts",
      DsaCumulativeSum<int64_t>{workspace.counts, workspace.ends, args.num_requests});
  // Rows that the counts do not reach belong to nobody.
  launch.step("dsa_eager_fill", DsaFillStep{-1, workspace.request_of_row}, args.num_rows);
  launch.step("dsa_eager_repeat_interleave",
              DsaRepeatRequestsStep{workspace.counts, workspace.ends, args.num_rows,
                                    workspace.request_of_row},
              args.num_requests);
}

template <DsaMode kMode, typename Launch>
void run_dsa_eager_rows(const DsaArgs& args, const DsaEagerWorkspace& workspace, Launch& launch) {
  const int64_t num_rows = args.num_rows;
  launch.step("dsa_eager_gather",
              DsaGatherStep{workspace.seq_lens, workspace.request_of_row, workspace.lens_of_row},
              num_rows);
  if constexpr (kMode != DsaMode::kDecode) {
    launch.step("dsa_eager_positions",
                DsaPositionsStep{workspace.counts, workspace.ends, workspace.request_of_row,
                                 workspace.positions},
                num_rows);
    launch.step(
        "dsa_eager_add_positions",
        DsaAddVectorsStep{workspace.lens_of_row, workspace.positions, workspace.lens_of_row},
        num_rows);
    if constexpr (kMode == DsaMode::kDraftExtend) {
      launch.step("dsa_eager_subtract_counts",
                  DsaSubtractCountsStep{workspace.lens_of_row, workspace.counts,
                                        workspace.request_of_row, workspace.lens_of_row},
                  num_rows);
    }
    launch.step("dsa_eager_clamp_min",
                DsaClampMinStep{workspace.lens_of_row, args.expanded_min, args.seqlens_expanded},
                num_rows);
  }
  const int32_t* lens = kMode == DsaMode::kDecode ? workspace.lens_of_row : args.seqlens_expanded;
  launch.step("dsa_eager_clamp_max", DsaClampMaxStep{lens, args.topk, args.dsa_cache_seqlens},
              num_rows);
  launch.step("dsa_eager_pad", DsaFillStep{0, args.dsa_cu_seqlens_k}, 1);
  launch.cumulative_sum(
      "dsa_eager_cumulative_sum",
      DsaCumulativeSum<int32_t>{args.dsa_cache_seqlens, args.dsa_cu_seqlens_k + 1, num_rows});
}

template <typename Launch>
void run_dsa_eager_tables(const DsaArgs& args, const DsaEagerWorkspace& workspace, Launch& launch) {
  const DsaSlots slots = {args.req_to_token, args.req_to_token_row_stride,
                          args.req_to_token_column_stride, args.num_pool_rows};
  launch.step(
      "dsa_eager_gather_pool_rows",
      DsaGatherPoolRowsStep{{args.req_pool_indices}, workspace.request_of_row, workspace.pool_rows},
      args.num_rows);
  if (args.page_table != nullptr) {
    launch.step("dsa_eager_gather_rows",
                DsaTakeColumnsStep{slots, workspace.pool_rows, 1, args.max_len, args.page_table,
                                   args.page_table_stride},
                args.num_rows * args.max_len);
  }
  if (args.real_page_table == nullptr) return;
  launch.step("dsa_eager_take_columns",
              DsaTakeColumnsStep{slots, workspace.pool_rows, args.page_size, args.num_pages,
                                 args.real_page_table, args.real_page_table_stride},
              args.num_rows * args.num_pages);
  launch.step("dsa_eager_floor_divide",
              DsaFloorDivideStep{args.page_size, args.num_pages, args.real_page_table,
                                 args.real_page_table_stride},
              args.num_rows * args.num_pages);
}

template <typename Launch>
void run_dsa_eager_chain(DsaMode mode, const DsaArgs& args, const DsaEagerWorkspace& workspace,
                         Launch& launch) {
  run_dsa_eager_lengths(args, workspace, launch);
  run_dsa_eager_requests_of_rows(args, workspace, launch);
  switch (mode) {
    case DsaMode::kDecode:
      run_dsa_eager_rows<DsaMode::kDecode>(args, workspace, launch);
      break;
    case DsaMode::kTargetVerify:
      run_dsa_eager_rows<DsaMode::kTargetVerify>(args, workspace, launch);
      break;
    case DsaMode::kDraftExtend:
      run_dsa_eager_rows<DsaMode::kDraftExtend>(args, workspace, launch);
      break;
  }
  run_dsa_eager_tables(args, workspace, launch);
}

}  // namespace bytegate
