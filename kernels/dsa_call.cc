#include "kernels/dsa_call.h"

namespace bytegate {
namespace {

DsaVector read_vector(CallReader& call, const char* name, const DLTensor* tensor, int64_t count) {
  if (tensor == nullptr) return {};
  if (tensor->shape[0] != count) {
    call.fail(std::string(name) + " has " + std::to_string(tensor->shape[0]) +
              " elements, must have one for each of the " + std::to_string(count) + " requests");
  }
  return {.data = tensor->data, .stride = tensor->strides[0], .is_int64 = tensor->dtype.bits == 64};
}

// Rows of the table must be contiguous unless a column stride is asked for, or there are none.
DsaTable read_table(CallReader& call, const char* name, int64_t num_rows, int64_t* column_stride) {
  const DLTensor* tensor = call.optional_tensor(name, 2, 32);
  if (tensor == nullptr) return {};
  if (tensor->shape[0] != num_rows) {
    call.fail(std::string(name) + " has " + std::to_string(tensor->shape[0]) + " rows, must have " +
              std::to_string(num_rows));
  }
  if (column_stride != nullptr) {
    *column_stride = tensor->strides[1];
  } else if (tensor->shape[0] > 0 && tensor->shape[1] > 1 && tensor->strides[1] != 1) {
    call.fail("the rows of " + std::string(name) + " must be contiguous");
  }
  return {.data = static_cast<int32_t*>(tensor->data),
          .num_columns = tensor->shape[1],
          .row_stride = tensor->strides[0],
          .present = true};
}

int32_t* read_output(CallReader& call, const char* name, int64_t count) {
  return call.contiguous_int32(call.tensor(name, 1, 32), name, count);
}

void read_mode_scalars(CallReader& call, DsaParams& params) {
  if (params.mode == DsaMode::kTargetVerify) params.next_n = call.scalar("next_n");
  if (params.mode == DsaMode::kDraftExtend) {
    params.form = call.scalar("form");
    params.total_len = call.scalar("total_len");
    params.extend_len = call.scalar("extend_len");
  }
  if (params.mode != DsaMode::kDecode) params.expanded_min = call.scalar("expanded_min");
}

}  // namespace

DsaParams read_dsa_inputs(CallReader& call, DsaMode mode) {
  DsaParams params;
  params.mode = mode;
  params.max_len = call.scalar("max_len");
  params.topk = call.scalar("topk");
  params.page_size = call.scalar("page_size");
  params.tail = call.scalar("tail");
  read_mode_scalars(call, params);
  const DLTensor* seq_lens = call.integer_tensor("seq_lens", 1);
  params.num_requests = seq_lens == nullptr ? 0 : seq_lens->shape[0];
  params.seq_lens = read_vector(call, "seq_lens", seq_lens, params.num_requests);
  params.req_pool_indices = read_vector(
      call, "req_pool_indices", call.integer_tensor("req_pool_indices", 1), params.num_requests);
  if (const DLTensor* slots = call.tensor("req_to_token", 2, 32)) {
    params.req_to_token = static_cast<const int32_t*>(slots->data);
    params.num_pool_rows = slots->shape[0];
    params.num_columns = slots->shape[1];
    params.req_to_token_row_stride = slots->strides[0];
    params.req_to_token_column_stride = slots->strides[1];
  }
  if (mode != DsaMode::kDraftExtend) return params;
  const DLTensor* extend = call.optional_tensor("extend_seq_lens", 1, 32);
  if (extend == nullptr && params.form == static_cast<int64_t>(DsaExtendForm::kRagged)) {
    call.fail("tensor extend_seq_lens is missing");
  }
  if (extend != nullptr && params.form == static_cast<int64_t>(DsaExtendForm::kStatic)) {
    call.fail("extend_seq_lens is for the ragged form only");
  }
  params.extend_seq_lens = read_vector(call, "extend_seq_lens", extend, params.num_requests);
  return params;
}

void read_dsa_outputs(CallReader& call, DsaParams& params, DsaEntry entry) {
  const int64_t num_rows = dsa_num_rows(params);
  params.cache_seqlens = read_output(call, "cache_seqlens", params.num_requests);
  params.cu_seqlens_k = read_output(call, "cu_seqlens_k", params.num_requests + 1);
  params.page_table = read_table(call, "page_table", num_rows, nullptr);
  if (params.mode != DsaMode::kDecode) {
    params.seqlens_expanded = read_output(call, "seqlens_expanded", num_rows);
  }
  params.dsa_cache_seqlens = read_output(call, "dsa_cache_seqlens", num_rows);
  params.dsa_cu_seqlens_k = read_output(call, "dsa_cu_seqlens_k", num_rows + 1);
  params.real_page_table = read_table(call, "real_page_table", num_rows, nullptr);
  if (params.mode == DsaMode::kTargetVerify && entry != DsaEntry::kPrecompute) {
    params.paged_mqa_ctx_lens = read_table(call, "paged_mqa_ctx_lens", params.num_requests,
                                           &params.paged_mqa_ctx_lens_column_stride);
    if (params.paged_mqa_ctx_lens.present &&
        params.paged_mqa_ctx_lens.num_columns != params.next_n) {
      call.fail("paged_mqa_ctx_lens must be [B, next_n]");
    }
  }
  params.workspace = call.call().workspace;
  params.workspace_bytes = call.call().workspace_bytes;
}

void read_dsa_schedule(CallReader& call, DsaRefreshParams& params) {
  params.num_sm = call.scalar("num_sm");
  params.remainder = call.scalar("remainder");
  const DLTensor* table = call.tensor("schedule_metadata", 2, 32);
  params.schedule_metadata = call.contiguous_int32(table, "schedule_metadata");
  // Said only when num_sm itself is right: it would be blamed on the wrong argument.
  if (table != nullptr && params.num_sm >= 1 && params.num_sm <= kMaxNumSm &&
      (table->shape[0] != params.num_sm + 1 || table->shape[1] != 2)) {
    call.fail("schedule_metadata must be [num_sm + 1, 2]");
  }
}

DsaChain read_dsa_chain(CallReader& call) {
  const char* forced = call.call().forced_path;
  if (forced == nullptr) return DsaChain::kFused;
  const std::optional<DsaChain> chain = chain_of_name(forced);
  if (!chain) call.fail("no dispatch path is called " + std::string(forced));
  return chain.value_or(DsaChain::kFused);
}

}  // namespace bytegate
