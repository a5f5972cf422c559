#include "oracles/dsa_eager.h"

#include <cstring>

#include "oracles/dsa_eager_steps.h"
#include "oracles/dsa_metadata.h"
#include "oracles/paged_mqa_metadata.h"

namespace bytegate {
namespace {

using eager::Ints;
using eager::Longs;
using eager::Table;

Longs as_longs(const Elements& values) {
  if (values.dtype() == DType::kInt64) {
    return eager::LongsView(values.int64().data(), values.size());
  }
  return eager::cast_to_int64(eager::IntsView(values.int32().data(), values.size()));
}

template <typename Values>
void put(Outputs& outputs, int tensor, const Values& values) {
  if (tensor < 0 || values.size() == 0) return;
  // Empty where the tensor is absent.
  std::vector<int32_t>& out = outputs[static_cast<size_t>(tensor)].int32_vector();
  if (out.empty()) return;
  std::memcpy(out.data(), values.data(), out.size() * sizeof(int32_t));
}

// How many rows each request gets.
Longs rows_per_request(const DsaCase& c) {
  switch (c.mode) {
    case DsaMode::kDecode:
      return Longs::Constant(c.num_requests, 1);
    case DsaMode::kTargetVerify:
      return Longs::Constant(c.num_requests, c.next_n);
    case DsaMode::kDraftExtend:
      break;
  }
  if (c.extend_len) return Longs::Constant(c.num_requests, *c.extend_len);
  return eager::cast_to_int64(eager::IntsView(c.extend_seq_lens.data(), c.num_requests));
}

// seqlens_expanded, before it is clamped.
Ints expand(const DsaCase& c, const Ints& seq_lens, const Longs& counts) {
  if (c.mode == DsaMode::kDecode) return seq_lens;
  const Ints positions = eager::add(eager::concatenated_aranges(counts), 1);
  if (c.mode == DsaMode::kTargetVerify) {
    return eager::add(eager::repeat_interleave(seq_lens, counts), positions);
  }
  const Ints prefix_lens = eager::subtract(seq_lens, eager::cast_to_int32(counts));
  return eager::add(eager::repeat_interleave(prefix_lens, counts), positions);
}

Ints clamp(const DsaCase& c, const Ints& expanded) {
  if (c.mode == DsaMode::kDecode || c.expanded_min == DsaExpandedMin::kNone) return expanded;
  return eager::clamp_min(expanded, c.expanded_min == DsaExpandedMin::kZero ? 0 : 1);
}

void run_tables(const DsaCase& c, const Longs& counts, Outputs& outputs) {
  const eager::TableView req_to_token(c.req_to_token.data(), c.num_pool_rows, c.num_columns);
  // Indices are repeated rather than rows: requests may be many where rows are few and wide.
  const Longs pool_rows = eager::repeat_interleave(as_longs(*c.req_pool_indices), counts);
  const Table slots = eager::gather_rows(req_to_token, pool_rows, c.max_len);
  put(outputs, c.tensors.page_table, slots);
  if (c.page_size == 1) return;
  put(outputs, c.tensors.real_page_table,
      eager::floor_divide(eager::take_columns(slots, c.page_size),
                          static_cast<int32_t>(c.page_size)));
}

void run_schedule(const Case& c, const DsaCase& view, Outputs& outputs) {
  const DsaScalars& scalars = describe_dsa(*c.op).scalars;
  const int lens =
      view.mode == DsaMode::kDecode ? view.tensors.cache_seqlens : view.tensors.seqlens_expanded;
  paged_mqa_metadata_oracle(
      {.context_lens = outputs[static_cast<size_t>(lens)].int32(),
       .num_sm = c.scalars[static_cast<size_t>(scalars.num_sm)],
       .remainder = static_cast<Remainder>(c.scalars[static_cast<size_t>(scalars.remainder)])},
      outputs[static_cast<size_t>(view.tensors.schedule_metadata)].int32_vector());
}

}  // namespace

void dsa_eager_oracle(const Case& c, Outputs& outputs) {
  const DsaCase view = view_dsa(c);
  const Ints seq_lens = eager::cast_to_int32(as_longs(*view.seq_lens));
  const Ints cache_seqlens = view.mode == DsaMode::kTargetVerify
                                 ? eager::add(seq_lens, static_cast<int32_t>(view.next_n))
                                 : seq_lens;
  put(outputs, view.tensors.cache_seqlens, cache_seqlens);
  put(outputs, view.tensors.cu_seqlens_k, eager::pad_front(eager::cumulative_sum(cache_seqlens)));
  if (view.tensors.paged_mqa_ctx_lens >= 0) {
    put(outputs, view.tensors.paged_mqa_ctx_lens,
        eager::expand_columns(cache_seqlens, view.next_n));
  }

  const Longs counts = rows_per_request(view);
  const Ints expanded = clamp(view, expand(view, seq_lens, counts));
  put(outputs, view.tensors.seqlens_expanded, expanded);
  const Ints dsa_cache_seqlens = eager::clamp_max(expanded, static_cast<int32_t>(view.topk));
  put(outputs, view.tensors.dsa_cache_seqlens, dsa_cache_seqlens);
  put(outputs, view.tensors.dsa_cu_seqlens_k,
      eager::pad_front(eager::cumulative_sum(dsa_cache_seqlens)));
  run_tables(view, counts, outputs);
  if (view.entry == DsaEntry::kRefresh) run_schedule(c, view, outputs);
}

}  // namespace bytegate
