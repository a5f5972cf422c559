#include "oracles/dsa_test_batch.h"

#include <numeric>

#include "oracles/dsa_metadata.h"

namespace bytegate {
namespace {

Elements elements(DType dtype, const std::vector<int64_t>& values) {
  Elements made(dtype, static_cast<int64_t>(values.size()));
  for (size_t i = 0; i < values.size(); ++i) made.set(static_cast<int64_t>(i), values[i]);
  return made;
}

void set_scalars(Case& c, const DsaTestBatch& batch) {
  const auto set = [&](std::string_view name, int64_t value) {
    if (c.op->scalar_index(name) >= 0) scalar_of(c, name) = value;
  };
  const bool is_static = batch.form == DsaExtendForm::kStatic;
  set("max_len", batch.max_len);
  set("topk", batch.topk);
  set("page_size", batch.page_size);
  set("tail", static_cast<int64_t>(batch.tail));
  set("next_n", batch.next_n);
  set("form", static_cast<int64_t>(batch.form));
  set("extend_len", batch.extend_len);
  set("total_len", is_static ? batch.extend_len * static_cast<int64_t>(batch.seq_lens.size())
                             : std::accumulate(batch.extend_seq_lens.begin(),
                                               batch.extend_seq_lens.end(), int64_t{0}));
  set("expanded_min", static_cast<int64_t>(batch.expanded_min));
  set("num_sm", batch.num_sm);
  set("remainder", batch.remainder);
}

void set_dims(Case& c, const DsaTestBatch& batch) {
  const bool empty = batch.req_to_token.empty();
  dim_of(c, "B") = static_cast<int64_t>(batch.seq_lens.size());
  dim_of(c, "R") = static_cast<int64_t>(batch.req_to_token.size());
  dim_of(c, "C") = empty ? 0 : static_cast<int64_t>(batch.req_to_token.front().size());
  if (c.op->dim_index("page_table_width") < 0) return;
  dim_of(c, "page_table_width") = batch.max_len;
  dim_of(c, "real_page_table_width") = (batch.max_len + batch.page_size - 1) / batch.page_size;
}

}  // namespace

int64_t& scalar_of(Case& c, std::string_view scalar) {
  return c.scalars.at(static_cast<size_t>(c.op->scalar_index(scalar)));
}
int64_t& dim_of(Case& c, std::string_view dim) {
  return c.dims.at(static_cast<size_t>(c.op->dim_index(dim)));
}
Tensor& tensor_of(Case& c, std::string_view tensor) {
  return c.tensors.at(static_cast<size_t>(c.op->tensor_index(tensor)));
}

Case make_dsa_test_case(const DsaTestBatch& batch) {
  Case c = make_case(*batch.op);
  set_scalars(c, batch);
  set_dims(c, batch);
  for (const std::string_view name : {"seq_lens", "req_pool_indices"}) {
    tensor_of(c, name).dtype = batch.dtype;
    tensor_of(c, name).elements =
        elements(batch.dtype, name == "seq_lens" ? batch.seq_lens : batch.req_pool_indices);
  }
  std::vector<int32_t> slots;
  for (const auto& row : batch.req_to_token) slots.insert(slots.end(), row.begin(), row.end());
  tensor_of(c, "req_to_token").elements = Elements(slots);
  if (c.op->tensor_index("extend_seq_lens") >= 0) {
    tensor_of(c, "extend_seq_lens").elements = Elements(batch.extend_seq_lens);
  }
  tensor_of(c, "page_table").present = batch.with_page_table;
  if (c.op->tensor_index("paged_mqa_ctx_lens") >= 0) {
    tensor_of(c, "paged_mqa_ctx_lens").present = batch.with_ctx_lens;
  }
  fit_tensors(c);
  return c;
}

std::vector<DsaTestBatch> varied_dsa_test_batches() {
  std::vector<DsaTestBatch> batches;
  for (const Op* op : dsa_ops()) {
    DsaTestBatch full = {.op = op,
                         .seq_lens = {3, 300, 0, 6},
                         .req_pool_indices = {2, 0, 2, 1},
                         .req_to_token = {{40, 41, 42, 43, -1, -5, 99},
                                          {0, 1, 2, 3, 64, 65, 97},
                                          {-8, -9, 10, 11, INT32_MIN, INT32_MAX, 98}},
                         .max_len = 6,
                         .topk = 4,
                         .page_size = 4,
                         .expanded_min = DsaExpandedMin::kZero,
                         .next_n = 2,
                         .extend_seq_lens = {1, 3, 0, 2},
                         .num_sm = 3};
    batches.push_back(full);
    DsaTestBatch live = full;
    live.tail = DsaTail::kLive;
    live.expanded_min = DsaExpandedMin::kOne;
    live.remainder = 1;
    batches.push_back(live);
    DsaTestBatch unpaged = full;
    unpaged.page_size = 1;
    unpaged.with_ctx_lens = false;
    unpaged.extend_seq_lens = {};
    unpaged.form = DsaExtendForm::kStatic;
    unpaged.extend_len = 2;
    batches.push_back(unpaged);
    DsaTestBatch empty = {.op = op};
    batches.push_back(empty);
    if (describe_dsa(*op).entry == DsaEntry::kRefresh) continue;
    // Lengths that no schedule takes, and that wrap.
    DsaTestBatch negative = full;
    negative.dtype = DType::kInt64;
    negative.seq_lens = {(int64_t{1} << 32) + 5, -2, INT32_MAX, int64_t{1} << 31};
    negative.expanded_min = DsaExpandedMin::kNone;
    negative.topk = INT32_MAX;
    negative.tail = DsaTail::kLive;
    negative.with_page_table = describe_dsa(*op).entry == DsaEntry::kPrecompute;
    batches.push_back(negative);
  }
  return batches;
}

}  // namespace bytegate
