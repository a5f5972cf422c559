#include <algorithm>
#include <utility>

#include "oracles/dsa_walker.h"
#include "oracles/paged_mqa_metadata.h"
#include "properties/dsa_relations.h"
#include "properties/dsa_requests.h"
#include "properties/same_outputs.h"
#include "properties/schedule_starts.h"

namespace bytegate {
namespace {

const Op& dsa_op(DsaMode mode, DsaEntry entry) {
  for (const Op* op : dsa_ops()) {
    const DsaDescription& description = describe_dsa(*op);
    if (description.mode == mode && description.entry == entry) return *op;
  }
  return dsa_decode_metadata_op();
}

// The same call of another operation, as far as it has the same names; compact, and launched alike
// but for its path.
Case as_op(const Case& c, const Op& op) {
  Case made = make_case(op);
  for (size_t i = 0; i < op.scalars.size(); ++i) {
    const int from = c.op->scalar_index(op.scalars[i].name);
    if (from >= 0) made.scalars[i] = c.scalars[static_cast<size_t>(from)];
  }
  for (size_t i = 0; i < op.dims.size(); ++i) {
    const int from = c.op->dim_index(op.dims[i].name);
    if (from >= 0) made.dims[i] = c.dims[static_cast<size_t>(from)];
  }
  for (size_t i = 0; i < op.tensors.size(); ++i) {
    const int from = c.op->tensor_index(op.tensors[i].name);
    if (from >= 0) made.tensors[i] = c.tensors[static_cast<size_t>(from)];
  }
  const DsaDims& dims = describe_dsa(op).dims;
  if (dims.page_table_width >= 0 && c.op->dim_index("page_table_width") < 0) {
    const DsaCase view = view_dsa(c);
    made.dims[static_cast<size_t>(dims.page_table_width)] = view.max_len;
    made.dims[static_cast<size_t>(dims.real_page_table_width)] =
        dsa_num_pages(view.max_len, view.page_size);
  }
  made.mode = c.mode;
  made.backend = c.backend;
  made.seed = c.seed;
  fit_tensors(made);
  return made;
}

std::optional<Case> metadata_alone(const Case& c, Draw&) {
  return as_op(c, dsa_op(describe_dsa(*c.op).mode, DsaEntry::kMetadata));
}

// A refresh ends with the schedule of the lengths that it wrote.
std::optional<Case> schedule_alone(const Case& c, Draw&) {
  const DsaCase view = view_dsa(c);
  const DsaScalars& scalars = describe_dsa(*c.op).scalars;
  std::vector<int32_t> lens;
  for (int64_t b = 0; b < view.num_requests; ++b) {
    for (int64_t j = 0; j < dsa_rows_of_request(view, b); ++j) {
      lens.push_back(dsa_row_len(view, b, j));
    }
  }
  Case made = make_paged_mqa_metadata_case(
      std::move(lens), c.scalars[static_cast<size_t>(scalars.num_sm)],
      static_cast<Remainder>(c.scalars[static_cast<size_t>(scalars.remainder)]));
  made.backend = c.backend;
  made.seed = c.seed;
  return made;
}

// A target that verifies n tokens of each request is a draft that extended each by n.
std::optional<Case> as_draft_extend(const Case& c, Draw&) {
  const DsaCase view = view_dsa(c);
  const Op& op = dsa_op(DsaMode::kDraftExtend, view.entry);
  const DsaDescription& description = describe_dsa(op);
  Case made = as_op(c, op);
  const auto set = [&](int scalar, int64_t value) {
    made.scalars[static_cast<size_t>(scalar)] = value;
  };
  const int64_t num_rows_each = view.mode == DsaMode::kDecode ? 1 : view.next_n;
  set(description.scalars.form, static_cast<int64_t>(DsaExtendForm::kStatic));
  set(description.scalars.extend_len, num_rows_each);
  set(description.scalars.total_len, view.num_rows);
  fit_tensors(made);
  if (view.mode == DsaMode::kDecode) return made;
  Elements& lens = made.tensors[static_cast<size_t>(description.tensors.seq_lens)].elements;
  for (int64_t b = 0; b < lens.size(); ++b) {
    const uint64_t len = static_cast<uint64_t>(lens.at(b)) + static_cast<uint64_t>(num_rows_each);
    const bool narrow = lens.dtype() == DType::kInt32;
    lens.set(b,
             narrow ? static_cast<int32_t>(static_cast<uint32_t>(len)) : static_cast<int64_t>(len));
  }
  return made;
}

std::optional<Case> other_form(const Case& c, Draw&) {
  const DsaScalars& scalars = describe_dsa(*c.op).scalars;
  const DsaRequests requests = dsa_requests_of(c);
  if (view_dsa(c).extend_len) return with_dsa_requests(c, requests);
  const int64_t extend_len = requests.empty() ? 0 : requests.front().num_rows;
  for (const DsaRequest& request : requests) {
    if (request.num_rows != extend_len) return std::nullopt;
  }
  Case made = c;
  made.scalars[static_cast<size_t>(scalars.form)] = static_cast<int64_t>(DsaExtendForm::kStatic);
  made.scalars[static_cast<size_t>(scalars.extend_len)] = extend_len;
  fit_tensors(made);
  return made;
}

std::optional<Case> other_expanded_min(const Case& c, Draw& draw) {
  const size_t scalar = static_cast<size_t>(describe_dsa(*c.op).scalars.expanded_min);
  Case made = c;
  made.scalars[scalar] = (made.scalars[scalar] + draw.between(1, 2)) % 3;
  // Lengths that are negative without it cannot be scheduled.
  if (invalid_reason(made)) return std::nullopt;
  return made;
}

// Raising all of `low` to a minimum, which is no more than topk, gives `high`.
std::optional<std::string> not_raised(const char* name, DsaSaid::Values low, DsaSaid::Values high,
                                      DsaExpandedMin minimum) {
  const int32_t least = minimum == DsaExpandedMin::kOne ? 1 : 0;
  for (size_t row = 0; row < low.size(); ++row) {
    if (high[row] == std::max(low[row], least)) continue;
    return std::string(name) + "[" + std::to_string(row) + "] is " + std::to_string(low[row]) +
           " and, with a minimum of " + std::to_string(least) + ", " + std::to_string(high[row]);
  }
  return std::nullopt;
}

std::optional<std::string> expanded_min_broken(const Case& c, const Outputs& outputs,
                                               const Case& related,
                                               const Outputs& related_outputs) {
  if (auto differs = different_output(
          c, outputs, related, related_outputs,
          {"seqlens_expanded", "dsa_cache_seqlens", "dsa_cu_seqlens_k", "schedule_metadata"})) {
    return differs;
  }
  const DsaSaid before(c, outputs);
  const DsaSaid after(related, related_outputs);
  const bool raised = view_dsa(related).expanded_min > view_dsa(c).expanded_min;
  const DsaSaid& low = raised ? before : after;
  const DsaSaid& high = raised ? after : before;
  const DsaExpandedMin minimum = view_dsa(raised ? related : c).expanded_min;
  if (auto broken =
          not_raised("seqlens_expanded", low.expanded_lens(), high.expanded_lens(), minimum)) {
    return broken;
  }
  return not_raised("dsa_cache_seqlens", low.row_lens(), high.row_lens(), minimum);
}

std::optional<Case> other_remainder(const Case& c, Draw&) {
  const size_t scalar = static_cast<size_t>(describe_dsa(*c.op).scalars.remainder);
  Case made = c;
  made.scalars[scalar] = 1 - made.scalars[scalar];
  return made;
}

// The larger shares stand at the other end: read backwards, it is the same schedule.
std::optional<std::string> remainder_broken(const Case& c, const Outputs& outputs,
                                            const Case& related, const Outputs& related_outputs) {
  if (auto differs =
          different_output(c, outputs, related, related_outputs, {"schedule_metadata"})) {
    return differs;
  }
  const DsaSaid before(c, outputs);
  const DsaSaid after(related, related_outputs);
  const bool decode = describe_dsa(*c.op).mode == DsaMode::kDecode;
  const DsaSaid::Values lens = decode ? before.request_lens() : before.expanded_lens();
  auto expect = schedule_starts(lens, before.schedule());
  const auto starts = schedule_starts(lens, after.schedule());
  if (!expect || !starts) return "a row of the schedule lies outside its batch";
  std::reverse(expect->begin(), expect->end());
  for (int64_t& start : *expect) start = num_splits(lens) - start;
  return different_start(*expect, *starts);
}

}  // namespace

std::vector<Relation> dsa_mode_relations(const Op& op) {
  const DsaDescription& description = describe_dsa(op);
  std::vector<Relation> relations;
  if (description.entry != DsaEntry::kMetadata) {
    relations.push_back({"metadata_alone", metadata_alone, same_outputs});
  }
  if (description.entry == DsaEntry::kRefresh) {
    relations.push_back({"schedule_alone", schedule_alone, same_outputs});
    relations.push_back({"other_remainder", other_remainder, remainder_broken});
  }
  if (description.mode != DsaMode::kDecode) {
    relations.push_back({"other_expanded_min", other_expanded_min, expanded_min_broken});
  }
  if (description.mode == DsaMode::kDraftExtend) {
    relations.push_back({"other_form", other_form, same_outputs});
  } else if (description.entry != DsaEntry::kPrecompute) {
    relations.push_back({"as_draft_extend", as_draft_extend, same_outputs});
  }
  return relations;
}

}  // namespace bytegate
