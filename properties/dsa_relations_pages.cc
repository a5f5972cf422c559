#include <algorithm>
#include <numeric>
#include <utility>

#include "properties/dsa_relations.h"
#include "properties/dsa_requests.h"
#include "properties/same_outputs.h"

namespace bytegate {
namespace {

using Broken = std::optional<std::string>;
using Values = DsaSaid::Values;

int64_t& scalar_of(Case& c, int scalar) {
  return c.scalars[static_cast<size_t>(scalar)];
}
Tensor& tensor_of(Case& c, int tensor) {
  return c.tensors[static_cast<size_t>(tensor)];
}

int64_t floor_div(int64_t value, int64_t divisor) {
  return (value - ((value % divisor) + divisor) % divisor) / divisor;
}

// Both tables as wide as they have to be, at least.
void widen_tables(Case& c) {
  const DsaDescription& description = describe_dsa(*c.op);
  if (description.dims.page_table_width < 0) return;
  const int64_t max_len = scalar_of(c, description.scalars.max_len);
  const int64_t page_size = scalar_of(c, description.scalars.page_size);
  int64_t& width = c.dims[static_cast<size_t>(description.dims.page_table_width)];
  int64_t& pages = c.dims[static_cast<size_t>(description.dims.real_page_table_width)];
  width = std::max(width, max_len);
  pages = std::max(pages, dsa_num_pages(max_len, page_size));
}

// ---- the pool

// Its rows in another order, one more among them, and the requests follow.
std::optional<Case> relabel_pool(const Case& c, Draw& draw) {
  const DsaDescription& description = describe_dsa(*c.op);
  Case made = c;
  int64_t& num_pool_rows = made.dims[static_cast<size_t>(description.dims.num_pool_rows)];
  const int64_t num_columns = c.dims[static_cast<size_t>(description.dims.num_columns)];
  if (num_pool_rows == 0 || num_pool_rows == INT32_MAX) return std::nullopt;
  std::vector<int64_t> new_row(static_cast<size_t>(++num_pool_rows));
  std::iota(new_row.begin(), new_row.end(), int64_t{0});
  for (size_t i = new_row.size(); i > 1; --i) {
    const int64_t other = draw.between(0, static_cast<int64_t>(i) - 1);
    std::swap(new_row[i - 1], new_row[static_cast<size_t>(other)]);
  }
  Tensor& slots = tensor_of(made, description.tensors.req_to_token);
  slots.pattern.reset();
  fit_tensors(made);
  for (size_t row = 0; row < new_row.size(); ++row) {
    const int64_t from = static_cast<int64_t>(row) * num_columns;
    for (int64_t column = 0; column < num_columns; ++column) {
      const bool added = row + 1 == new_row.size();
      const int64_t value =
          added ? draw.between(INT32_MIN, INT32_MAX)
                : c.tensors[static_cast<size_t>(description.tensors.req_to_token)].elements.at(
                      from + column);
      slots.elements.set(new_row[row] * num_columns + column, value);
    }
  }
  Elements& rows = tensor_of(made, description.tensors.req_pool_indices).elements;
  for (int64_t b = 0; b < rows.size(); ++b) {
    rows.set(b, new_row[static_cast<size_t>(rows.at(b))]);
  }
  return made;
}

// As many pages further, or back, for every slot.
std::optional<Case> shift_slots(const Case& c, Draw& draw) {
  const DsaDescription& description = describe_dsa(*c.op);
  const auto slots = view_dsa(c).req_to_token;
  const int64_t page_size = view_dsa(c).page_size;
  if (slots.empty() || view_dsa(c).max_len == 0) return std::nullopt;
  const auto [least, most] = std::minmax_element(slots.begin(), slots.end());
  const int64_t low = -((int64_t{*least} - INT32_MIN) / page_size);
  const int64_t high = (INT32_MAX - int64_t{*most}) / page_size;
  const int64_t pages = draw.one_in(2)
                            ? draw.between(std::max<int64_t>(low, -8), std::min<int64_t>(high, 8))
                            : draw.between(low, high);
  if (pages == 0) return std::nullopt;
  Case made = c;
  Tensor& shifted = tensor_of(made, description.tensors.req_to_token);
  shifted.pattern.reset();
  for (int32_t& slot : shifted.elements.int32_vector()) {
    slot = static_cast<int32_t>(slot + pages * page_size);
  }
  return made;
}

Broken moved_by(const char* table, Values before, Values after, int64_t distance,
                std::span<const uint8_t> stated) {
  for (size_t i = 0; i < before.size(); ++i) {
    if (stated[i] == 0 || after[i] == before[i] + distance) continue;
    return std::string(table) + " becomes " + std::to_string(after[i]) + " at element " +
           std::to_string(i) + ", must become " + std::to_string(before[i] + distance);
  }
  return std::nullopt;
}

Broken shift_broken(const Case& c, const Outputs& outputs, const Case& related,
                    const Outputs& related_outputs) {
  if (auto differs = different_output(c, outputs, related, related_outputs,
                                      {"page_table", "real_page_table"})) {
    return differs;
  }
  const DsaTensors& tensors = describe_dsa(*c.op).tensors;
  const int64_t distance = int64_t{view_dsa(related).req_to_token[0]} - view_dsa(c).req_to_token[0];
  const auto moved = [&](int tensor, const char* name, int64_t by) -> Broken {
    if (!c.tensors[static_cast<size_t>(tensor)].present) return std::nullopt;
    const size_t idx = static_cast<size_t>(tensor);
    return moved_by(name, outputs[idx].int32(), related_outputs[idx].int32(), by,
                    stated_elements(c, tensor));
  };
  if (auto broken = moved(tensors.page_table, "page_table", distance)) return broken;
  return moved(tensors.real_page_table, "real_page_table", distance / view_dsa(c).page_size);
}

// ---- widths and sizes

std::optional<Case> narrower_tables(const Case& c, Draw& draw) {
  Case made = c;
  int64_t& max_len = scalar_of(made, describe_dsa(*c.op).scalars.max_len);
  if (max_len == 0) return std::nullopt;
  max_len = draw.between(0, max_len - 1);
  fit_tensors(made);
  return made;
}

bool begins_with(Values whole, Values front) {
  return front.size() <= whole.size() && std::equal(front.begin(), front.end(), whole.begin());
}

Broken narrower_broken(const Case& c, const Outputs& outputs, const Case& related,
                       const Outputs& related_outputs) {
  if (auto differs = different_output(c, outputs, related, related_outputs,
                                      {"page_table", "real_page_table"})) {
    return differs;
  }
  const DsaSaid before(c, outputs);
  const DsaSaid after(related, related_outputs);
  for (int64_t row = 0; row < before.num_rows(); ++row) {
    if (begins_with(before.pages(row), after.pages(row)) &&
        begins_with(before.compact_pages(row), after.compact_pages(row))) {
      continue;
    }
    return "the tables of row " + std::to_string(row) + " do not begin as the wider ones";
  }
  return std::nullopt;
}

std::optional<Case> coarser_pages(const Case& c, Draw& draw) {
  const DsaDescription& description = describe_dsa(*c.op);
  Case made = c;
  int64_t& page_size = scalar_of(made, description.scalars.page_size);
  const int64_t k = draw.between(2, 9);
  if (page_size > INT32_MAX / k) return std::nullopt;
  page_size *= k;
  widen_tables(made);
  fit_tensors(made);
  return made;
}

// Every k-th page, divided by k; where pages were of one token, of the table of tokens.
Broken coarser_broken(const Case& c, const Outputs& outputs, const Case& related,
                      const Outputs& related_outputs) {
  if (auto differs = different_output(c, outputs, related, related_outputs, {"real_page_table"})) {
    return differs;
  }
  const DsaSaid before(c, outputs);
  const DsaSaid after(related, related_outputs);
  const int64_t k = view_dsa(related).page_size / view_dsa(c).page_size;
  for (int64_t row = 0; row < before.num_rows(); ++row) {
    const Values fine = view_dsa(c).page_size == 1 ? before.pages(row) : before.compact_pages(row);
    const Values coarse = after.compact_pages(row);
    for (size_t page = 0; page < coarse.size(); ++page) {
      const int64_t expect = floor_div(fine[page * static_cast<size_t>(k)], k);
      if (coarse[page] == expect) continue;
      return "real_page_table[" + std::to_string(row) + ", " + std::to_string(page) + "] becomes " +
             std::to_string(coarse[page]) + ", must become " + std::to_string(expect);
    }
  }
  return std::nullopt;
}

std::optional<Case> larger_topk(const Case& c, Draw& draw) {
  Case made = c;
  int64_t& topk = scalar_of(made, describe_dsa(*c.op).scalars.topk);
  if (topk == INT32_MAX) return std::nullopt;
  topk = draw.one_in(2) ? topk + 1 : draw.between(topk + 1, INT32_MAX);
  return made;
}

// Cut by the smaller one again, the lengths are what they were.
Broken larger_topk_broken(const Case& c, const Outputs& outputs, const Case& related,
                          const Outputs& related_outputs) {
  if (auto differs = different_output(c, outputs, related, related_outputs,
                                      {"dsa_cache_seqlens", "dsa_cu_seqlens_k"})) {
    return differs;
  }
  const DsaSaid before(c, outputs);
  const DsaSaid after(related, related_outputs);
  for (size_t row = 0; row < before.row_lens().size(); ++row) {
    const int64_t cut = std::min<int64_t>(after.row_lens()[row], view_dsa(c).topk);
    if (before.row_lens()[row] == cut) continue;
    return "dsa_cache_seqlens[" + std::to_string(row) + "] is " +
           std::to_string(before.row_lens()[row]) + " and becomes " +
           std::to_string(after.row_lens()[row]);
  }
  return std::nullopt;
}

// ---- what no output depends on

// Lengths are cut to 32 bits, so that those of 64 may have anything above.
std::optional<Case> other_dtype(const Case& c, Draw& draw) {
  const DsaTensors& tensors = describe_dsa(*c.op).tensors;
  const bool of_lens = draw.one_in(2);
  Case made = c;
  Tensor& tensor = tensor_of(made, of_lens ? tensors.seq_lens : tensors.req_pool_indices);
  const int64_t above = of_lens ? draw.between(-(int64_t{1} << 30), int64_t{1} << 30) : 0;
  const bool wide = tensor.dtype == DType::kInt64;
  Elements other(wide ? DType::kInt32 : DType::kInt64, tensor.elements.size());
  for (int64_t i = 0; i < other.size(); ++i) {
    const int64_t value = tensor.elements.at(i);
    other.set(i, wide ? static_cast<int32_t>(static_cast<uint32_t>(value))
                      : value + above * (int64_t{1} << 32));
  }
  tensor.dtype = other.dtype();
  tensor.elements = std::move(other);
  tensor.pattern.reset();
  return made;
}

std::optional<Case> other_layout(const Case& c, Draw&) {
  Case made = c;
  fit_tensors(made);
  const bool was_compact = std::all_of(c.tensors.begin(), c.tensors.end(), [](const Tensor& one) {
    return !one.present || is_compact(one);
  });
  if (was_compact) widen_strides(made);
  if (made == c) return std::nullopt;
  return made;
}

std::optional<Case> wider_tables(const Case& c, Draw& draw) {
  const DsaDims& dims = describe_dsa(*c.op).dims;
  Case made = c;
  made.dims[static_cast<size_t>(dims.page_table_width)] += draw.between(1, 9);
  made.dims[static_cast<size_t>(dims.real_page_table_width)] += draw.between(1, 9);
  fit_tensors(made);
  return made;
}

// One that is there is left out, or the other way round.
std::optional<Case> other_presence(const Case& c, Draw& draw) {
  const DsaTensors& tensors = describe_dsa(*c.op).tensors;
  std::vector<int> open;
  for (const int tensor : {tensors.page_table, tensors.paged_mqa_ctx_lens}) {
    if (tensor < 0) continue;
    const TensorSpec& spec = c.op->tensors[static_cast<size_t>(tensor)];
    if (presence_of(spec, c) == Presence::kOptional) open.push_back(tensor);
  }
  if (open.empty()) return std::nullopt;
  Case made = c;
  Tensor& tensor = tensor_of(made, draw.among(std::span<const int>(open)));
  tensor.present = !tensor.present;
  widen_tables(made);
  fit_tensors(made);
  return made;
}

std::optional<Case> other_path(const Case& c, Draw& draw) {
  return other_path_of(c, c.op->paths, draw);
}

}  // namespace

std::vector<Relation> dsa_page_relations(const Op& op) {
  std::vector<Relation> relations = {
      {"relabel_pool", relabel_pool, same_outputs},
      {"shift_slots", shift_slots, shift_broken},
      {"narrower_tables", narrower_tables, narrower_broken},
      {"coarser_pages", coarser_pages, coarser_broken},
      {"larger_topk", larger_topk, larger_topk_broken},
      {"other_dtype", other_dtype, same_outputs},
      {"other_layout", other_layout, same_outputs},
      {"other_path", other_path, same_outputs},
      {"other_order", other_order, same_outputs},
  };
  if (describe_dsa(op).entry != DsaEntry::kPrecompute) {
    relations.push_back({"wider_tables", wider_tables, same_outputs});
    relations.push_back({"other_presence", other_presence, same_outputs});
  }
  return relations;
}

}  // namespace bytegate
