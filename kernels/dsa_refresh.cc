#include "kernels/dsa_refresh.h"

#include <array>

namespace bytegate {
namespace {

// The schedule takes any page size of the tables: its own is fixed.
PagedMqaMetadataParams schedule_params(const DsaRefreshParams& params, DsaChain chain) {
  const DsaParams& metadata = params.metadata;
  const bool decode = metadata.mode == DsaMode::kDecode;
  PagedMqaMetadataParams schedule;
  schedule.context_lens = decode ? metadata.cache_seqlens : metadata.seqlens_expanded;
  schedule.num_rows = dsa_num_rows(metadata);
  schedule.num_sm = params.num_sm;
  schedule.page_size = kPagedMqaPageSize;
  schedule.remainder = params.remainder;
  schedule.schedule_metadata = params.schedule_metadata;
  schedule.workspace_bytes =
      paged_mqa_metadata_workspace_bytes(schedule.num_rows, choose_path(schedule.num_rows));
  if (schedule.workspace_bytes > 0) {
    schedule.workspace =
        static_cast<unsigned char*>(metadata.workspace) + dsa_workspace_bytes(metadata, chain);
  }
  return schedule;
}

}  // namespace

size_t dsa_refresh_workspace_bytes(const DsaRefreshParams& params, DsaChain chain) {
  const int64_t num_rows = dsa_num_rows(params.metadata);
  return dsa_workspace_bytes(params.metadata, chain) +
         paged_mqa_metadata_workspace_bytes(num_rows, choose_path(num_rows));
}

std::optional<std::string> dsa_refresh_error(const DsaRefreshParams& params, DsaChain chain) {
  if (auto error = dsa_call_error(params.metadata)) return error;
  if (auto error = range_error("num_sm", params.num_sm, 1, kMaxNumSm)) return error;
  const std::array<ByteRange, 1> table = {
      ByteRange{"schedule_metadata", params.schedule_metadata,
                static_cast<size_t>(params.num_sm + 1) * 2 * sizeof(int32_t)}};
  if (auto error =
          dsa_buffers_error(params.metadata, dsa_refresh_workspace_bytes(params, chain), table)) {
    return error;
  }
  const PagedMqaMetadataParams schedule = schedule_params(params, chain);
  return paged_mqa_metadata_error(schedule, choose_path(schedule.num_rows));
}

DsaScheduleCall dsa_schedule_call(const DsaRefreshParams& params, DsaChain chain) {
  const PagedMqaMetadataParams schedule = schedule_params(params, chain);
  return {.args = kernel_args(schedule), .path = choose_path(schedule.num_rows)};
}

}  // namespace bytegate
