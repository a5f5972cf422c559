#include "kernels/dsa_metadata.h"

#include <algorithm>
#include <array>
#include <vector>

namespace bytegate {
namespace {

constexpr std::array<std::string_view, 2> kChainNames = {"fused", "eager"};

using Error = std::optional<std::string>;

// One past the largest element offset; nothing when its bytes do not fit an int64.
std::optional<int64_t> extent(int64_t rows, int64_t row_stride, int64_t columns,
                              int64_t column_stride) {
  if (rows <= 0 || columns <= 0) return 0;
  int64_t last_row = 0;
  int64_t last_column = 0;
  int64_t last = 0;
  constexpr int64_t kMax = INT64_MAX / static_cast<int64_t>(sizeof(int64_t));
  if (__builtin_mul_overflow(rows - 1, row_stride, &last_row) ||
      __builtin_mul_overflow(columns - 1, column_stride, &last_column) ||
      __builtin_add_overflow(last_row, last_column, &last) || last >= kMax) {
    return std::nullopt;
  }
  return last + 1;
}

Error null_error(std::string_view name, const void* data, bool has_elements) {
  if ((data != nullptr) == has_elements) return std::nullopt;
  return has_elements ? std::string(name) + " is null"
                      : std::string(name) + " must be null: it has no elements";
}

bool is_ragged(const DsaParams& params) {
  return params.mode == DsaMode::kDraftExtend &&
         params.form == static_cast<int64_t>(DsaExtendForm::kRagged);
}

// ---- the call

Error scalar_error(const DsaParams& params) {
  if (auto error = range_error("max_len", params.max_len, 0, INT32_MAX)) return error;
  if (auto error = range_error("topk", params.topk, 1, INT32_MAX)) return error;
  if (auto error = range_error("page_size", params.page_size, 1, INT32_MAX)) return error;
  if (auto error = range_error("tail", params.tail, 0, 1)) return error;
  if (auto error = range_error("number of requests", params.num_requests, 0, kDsaMaxRows)) {
    return error;
  }
  if (params.num_pool_rows < 0 || params.num_columns < 0) return "req_to_token has a negative size";
  if (params.max_len > params.num_columns) {
    return "max_len is " + std::to_string(params.max_len) + ", but req_to_token has " +
           std::to_string(params.num_columns) + " columns";
  }
  if (params.mode == DsaMode::kDecode) return std::nullopt;
  return range_error("expanded_min", params.expanded_min, 0, 2);
}

Error rows_error(const DsaParams& params) {
  if (params.mode == DsaMode::kTargetVerify) {
    if (auto error = range_error("next_n", params.next_n, 1, INT32_MAX)) return error;
    if (params.num_requests > kDsaMaxRows / params.next_n) {
      return std::to_string(params.num_requests) + " requests of next_n " +
             std::to_string(params.next_n) + " are more than " + std::to_string(kDsaMaxRows) +
             " rows";
    }
  }
  if (params.mode != DsaMode::kDraftExtend) return std::nullopt;
  if (auto error = range_error("form", params.form, 0, 1)) return error;
  if (auto error = range_error("total_len", params.total_len, 0, kDsaMaxRows)) return error;
  if (is_ragged(params)) {
    if (params.extend_len != 0) {
      return "extend_len is " + std::to_string(params.extend_len) +
             ", must be 0 in the ragged form";
    }
    if (params.num_requests > 0 || params.total_len == 0) return std::nullopt;
    return "total_len is " + std::to_string(params.total_len) + ", but there is no request";
  }
  if (auto error = range_error("extend_len", params.extend_len, 0, INT32_MAX)) return error;
  const int64_t num_rows = params.num_requests * params.extend_len;
  if (params.total_len == num_rows) return std::nullopt;
  return "total_len is " + std::to_string(params.total_len) + ", but " +
         std::to_string(params.num_requests) + " requests of extend_len " +
         std::to_string(params.extend_len) + " have " + std::to_string(num_rows) + " rows";
}

Error vector_error(std::string_view name, const DsaVector& vector, int64_t count) {
  if (vector.stride < 0) return "the stride of " + std::string(name) + " is negative";
  if (!extent(count, vector.stride, 1, 0)) return std::string(name) + " is too large";
  return null_error(name, vector.data, count > 0);
}

Error inputs_error(const DsaParams& params) {
  if (auto error = vector_error("seq_lens", params.seq_lens, params.num_requests)) return error;
  if (auto error = vector_error("req_pool_indices", params.req_pool_indices, params.num_requests)) {
    return error;
  }
  if (params.req_to_token_row_stride < 0 || params.req_to_token_column_stride < 0) {
    return "a stride of req_to_token is negative";
  }
  if (!extent(params.num_pool_rows, params.req_to_token_row_stride, params.num_columns,
              params.req_to_token_column_stride)) {
    return "req_to_token is too large";
  }
  if (auto error = null_error("req_to_token", params.req_to_token,
                              params.num_pool_rows > 0 && params.num_columns > 0)) {
    return error;
  }
  if (is_ragged(params)) {
    return vector_error("extend_seq_lens", params.extend_seq_lens, params.num_requests);
  }
  if (params.extend_seq_lens.data == nullptr) return std::nullopt;
  return "extend_seq_lens is for the ragged form of draft_extend only";
}

// ---- the buffers

Error table_error(std::string_view name, const DsaTable& table, int64_t num_rows,
                  int64_t num_written) {
  if (!table.present) return null_error(name, table.data, false);
  if (table.num_columns < num_written) {
    return std::string(name) + " has " + std::to_string(table.num_columns) +
           " columns, must have " + std::to_string(num_written);
  }
  if (num_rows > 1 && table.row_stride < num_written) {
    return "the row stride of " + std::string(name) + " is " + std::to_string(table.row_stride) +
           ", below the " + std::to_string(num_written) + " columns written";
  }
  if (table.row_stride < 0) return "the row stride of " + std::string(name) + " is negative";
  if (!extent(num_rows, table.row_stride, table.num_columns, 1)) {
    return std::string(name) + " is too large";
  }
  return null_error(name, table.data, num_rows > 0 && table.num_columns > 0);
}

Error tables_error(const DsaParams& params) {
  if (!params.page_table.present && params.page_size == 1) {
    return "page_table may be left out only when page_size > 1";
  }
  if (params.real_page_table.present != (params.page_size > 1)) {
    return params.page_size > 1 ? "real_page_table is missing"
                                : "real_page_table exists only when page_size > 1";
  }
  const int64_t num_rows = dsa_num_rows(params);
  if (auto error = table_error("page_table", params.page_table, num_rows, params.max_len)) {
    return error;
  }
  return table_error("real_page_table", params.real_page_table, num_rows, dsa_num_pages(params));
}

Error ctx_lens_error(const DsaParams& params) {
  const DsaTable& table = params.paged_mqa_ctx_lens;
  if (!table.present) return null_error("paged_mqa_ctx_lens", table.data, false);
  if (params.mode != DsaMode::kTargetVerify) return "paged_mqa_ctx_lens is for target_verify only";
  const int64_t column_stride = params.paged_mqa_ctx_lens_column_stride;
  if (params.next_n > 1 && column_stride < 1) {
    return "the column stride of paged_mqa_ctx_lens is " + std::to_string(column_stride) +
           ", must be positive";
  }
  const std::optional<int64_t> row = extent(1, 0, params.next_n, column_stride);
  if (!row || !extent(params.num_requests, table.row_stride, params.next_n, column_stride)) {
    return "paged_mqa_ctx_lens is too large";
  }
  if (table.row_stride < 0 || (params.num_requests > 1 && table.row_stride < *row)) {
    return "the row stride of paged_mqa_ctx_lens is " + std::to_string(table.row_stride) +
           ", below the " + std::to_string(*row) + " that a row reaches";
  }
  return null_error("paged_mqa_ctx_lens", table.data, params.num_requests > 0);
}

Error vectors_error(const DsaParams& params) {
  const int64_t num_rows = dsa_num_rows(params);
  struct Output {
    std::string_view name;
    const void* data;
    bool has_elements;
  };
  const std::array<Output, 5> outputs = {{
      {"cache_seqlens", params.cache_seqlens, params.num_requests > 0},
      {"cu_seqlens_k", params.cu_seqlens_k, true},
      {"seqlens_expanded", params.seqlens_expanded,
       num_rows > 0 && params.mode != DsaMode::kDecode},
      {"dsa_cache_seqlens", params.dsa_cache_seqlens, num_rows > 0},
      {"dsa_cu_seqlens_k", params.dsa_cu_seqlens_k, true},
  }};
  for (const Output& output : outputs) {
    if (auto error = null_error(output.name, output.data, output.has_elements)) return error;
  }
  return std::nullopt;
}

size_t bytes_of(int64_t rows, int64_t row_stride, int64_t columns, int64_t column_stride,
                size_t element_bytes) {
  return static_cast<size_t>(extent(rows, row_stride, columns, column_stride).value_or(0)) *
         element_bytes;
}

ByteRange range_of(std::string_view name, const DsaVector& vector, int64_t count) {
  return {name, vector.data, bytes_of(count, vector.stride, 1, 0, vector.is_int64 ? 8 : 4)};
}
ByteRange range_of(std::string_view name, const int32_t* data, int64_t count) {
  return {name, data, data == nullptr ? 0 : static_cast<size_t>(count) * sizeof(int32_t)};
}
ByteRange range_of(std::string_view name, const DsaTable& table, int64_t rows,
                   int64_t column_stride) {
  return {name, table.data,
          table.data == nullptr
              ? 0
              : bytes_of(rows, table.row_stride, table.num_columns, column_stride, 4)};
}

Error overlaps_error(const DsaParams& params, std::span<const ByteRange> more_outputs) {
  const int64_t num_rows = dsa_num_rows(params);
  const int64_t num_requests = params.num_requests;
  const std::array<ByteRange, 4> inputs = {
      range_of("seq_lens", params.seq_lens, num_requests),
      range_of("req_pool_indices", params.req_pool_indices, num_requests),
      ByteRange{"req_to_token", params.req_to_token,
                bytes_of(params.num_pool_rows, params.req_to_token_row_stride, params.num_columns,
                         params.req_to_token_column_stride, sizeof(int32_t))},
      range_of("extend_seq_lens", params.extend_seq_lens, is_ragged(params) ? num_requests : 0)};
  std::vector<ByteRange> outputs = {
      range_of("cache_seqlens", params.cache_seqlens, num_requests),
      range_of("cu_seqlens_k", params.cu_seqlens_k, num_requests + 1),
      range_of("page_table", params.page_table, num_rows, 1),
      range_of("seqlens_expanded", params.seqlens_expanded, num_rows),
      range_of("dsa_cache_seqlens", params.dsa_cache_seqlens, num_rows),
      range_of("dsa_cu_seqlens_k", params.dsa_cu_seqlens_k, num_rows + 1),
      range_of("real_page_table", params.real_page_table, num_rows, 1),
      range_of("paged_mqa_ctx_lens", params.paged_mqa_ctx_lens, num_requests,
               params.paged_mqa_ctx_lens_column_stride),
      ByteRange{"the workspace", params.workspace, params.workspace_bytes}};
  outputs.insert(outputs.end(), more_outputs.begin(), more_outputs.end());
  return overlap_error(outputs, inputs);
}

}  // namespace

std::string_view chain_name(DsaChain chain) {
  return kChainNames[static_cast<size_t>(chain)];
}

std::optional<DsaChain> chain_of_name(std::string_view name) {
  for (size_t i = 0; i < kChainNames.size(); ++i) {
    if (kChainNames[i] == name) return static_cast<DsaChain>(i);
  }
  return std::nullopt;
}

int64_t dsa_num_rows(const DsaParams& params) {
  if (params.mode == DsaMode::kDecode) return params.num_requests;
  if (params.mode == DsaMode::kTargetVerify) return params.num_requests * params.next_n;
  return params.total_len;
}

int64_t dsa_num_pages(const DsaParams& params) {
  return (params.max_len + params.page_size - 1) / params.page_size;
}

std::optional<std::string> dsa_sizes_error(const DsaParams& params) {
  if (auto error = scalar_error(params)) return error;
  return rows_error(params);
}

std::optional<std::string> dsa_call_error(const DsaParams& params) {
  if (auto error = dsa_sizes_error(params)) return error;
  return inputs_error(params);
}

std::optional<std::string> dsa_buffers_error(const DsaParams& params, size_t workspace_bytes,
                                             std::span<const ByteRange> more_outputs) {
  if (auto error = tables_error(params)) return error;
  if (auto error = ctx_lens_error(params)) return error;
  if (auto error = vectors_error(params)) return error;
  if (auto error = workspace_error(params.workspace, params.workspace_bytes, workspace_bytes))
    return error;
  return overlaps_error(params, more_outputs);
}

}  // namespace bytegate
