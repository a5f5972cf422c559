#include "kernels/dsa_refresh.h"

#include <array>

namespace bytegate {
namespace {

size_t schedule_bytes(const DsaRefreshParams& params) {
  const int64_t num_rows = dsa_num_rows(params.metadata);
  return paged_mqa_metadata_workspace_bytes(num_rows, choose_path(num_rows));
}

// Where the schedule's part of the workspace begins.
size_t schedule_offset(const DsaRefreshParams& params, DsaChain chain) {
  const size_t before = dsa_workspace_bytes(params.metadata, chain);
  return before > 0 && schedule_bytes(params) > 0 ? before + kRedZoneBytes : before;
}

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
  schedule.workspace_bytes = schedule_bytes(params);
  if (schedule.workspace_bytes > 0) {
    schedule.workspace =
        static_cast<unsigned char*>(metadata.workspace) + schedule_offset(params, chain);
  }
  return schedule;
}

}  // namespace

size_t dsa_refresh_workspace_bytes(const DsaRefreshParams& params, DsaChain chain) {
  return schedule_offset(params, chain) + schedule_bytes(params);
}

std::vector<DsaSection> dsa_refresh_sections(const DsaRefreshParams& params, DsaChain chain) {
  std::vector<DsaSection> sections = dsa_workspace_sections(params.metadata, chain);
  if (const size_t bytes = schedule_bytes(params); bytes > 0) {
    sections.push_back({"tile_sums", schedule_offset(params, chain), bytes});
  }
  return sections;
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
