#include "kernels/paged_mqa_metadata.h"

#include <array>

#include "kernels/front_door_checks.h"

namespace bytegate {
namespace {

constexpr std::array<std::string_view, 3> kPathNames = {"tiny", "small", "multi_block"};

int64_t max_rows(PagedMqaMetadataPath path) {
  if (path == PagedMqaMetadataPath::kTiny) return kTinyMaxRows;
  return path == PagedMqaMetadataPath::kSmall ? kSmallMaxRows : INT32_MAX;
}

std::optional<std::string> scalar_error(const PagedMqaMetadataParams& params,
                                        PagedMqaMetadataPath path) {
  if (auto error = range_error("num_sm", params.num_sm, 1, kMaxNumSm)) return error;
  if (params.page_size != kPagedMqaPageSize) {
    return "page_size is " + std::to_string(params.page_size) + ", must be " +
           std::to_string(kPagedMqaPageSize);
  }
  if (auto error = range_error("remainder", params.remainder, 0, 1)) return error;
  if (auto error = range_error("number of rows", params.num_rows, 0, INT32_MAX)) return error;
  if (params.num_rows > max_rows(path)) {
    return "path " + std::string(path_name(path)) + " takes up to " +
           std::to_string(max_rows(path)) + " rows, not " + std::to_string(params.num_rows);
  }
  return std::nullopt;
}

}  // namespace

std::string_view path_name(PagedMqaMetadataPath path) {
  return kPathNames[static_cast<size_t>(path)];
}

std::optional<PagedMqaMetadataPath> path_of_name(std::string_view name) {
  for (size_t i = 0; i < kPathNames.size(); ++i) {
    if (kPathNames[i] == name) return static_cast<PagedMqaMetadataPath>(i);
  }
  return std::nullopt;
}

PagedMqaMetadataPath choose_path(int64_t num_rows) {
  if (num_rows <= kTinyMaxRows) return PagedMqaMetadataPath::kTiny;
  return num_rows <= kSmallMaxRows ? PagedMqaMetadataPath::kSmall
                                   : PagedMqaMetadataPath::kMultiBlock;
}

size_t paged_mqa_metadata_workspace_bytes(int64_t num_rows, PagedMqaMetadataPath path) {
  if (path != PagedMqaMetadataPath::kMultiBlock) return 0;
  return static_cast<size_t>(num_tiles(num_rows)) * sizeof(int64_t);
}

std::optional<std::string> paged_mqa_metadata_error(const PagedMqaMetadataParams& params,
                                                    PagedMqaMetadataPath path) {
  if (auto error = scalar_error(params, path)) return error;
  if ((params.context_lens == nullptr) != (params.num_rows == 0)) {
    return params.num_rows == 0 ? "context_lens must be null: it has no elements"
                                : "context_lens is null";
  }
  if (params.schedule_metadata == nullptr) return "schedule_metadata is null";
  const size_t workspace_bytes = paged_mqa_metadata_workspace_bytes(params.num_rows, path);
  if (auto error = workspace_error(params.workspace, params.workspace_bytes, workspace_bytes)) {
    return error;
  }
  const ByteRange lens = {"context_lens", params.context_lens,
                          static_cast<size_t>(params.num_rows) * sizeof(int32_t)};
  const ByteRange table = {"schedule_metadata", params.schedule_metadata,
                           static_cast<size_t>(params.num_sm + 1) * 2 * sizeof(int32_t)};
  const ByteRange workspace = {"the workspace", params.workspace, params.workspace_bytes};
  if (overlap(table, lens)) return "schedule_metadata overlaps context_lens";
  if (overlap(table, workspace)) return "schedule_metadata overlaps the workspace";
  if (overlap(lens, workspace)) return "context_lens overlaps the workspace";
  return std::nullopt;
}

PagedMqaMetadataArgs kernel_args(const PagedMqaMetadataParams& params) {
  return {.context_lens = params.context_lens,
          .schedule_metadata = params.schedule_metadata,
          .tile_sums = static_cast<int64_t*>(params.workspace),
          .num_rows = params.num_rows,
          .num_sm = static_cast<int32_t>(params.num_sm),
          .remainder = static_cast<Remainder>(params.remainder)};
}

}  // namespace bytegate
