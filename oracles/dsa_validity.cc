#include "oracles/dsa_validity.h"

#include <algorithm>

#include "oracles/dsa_walker.h"

namespace bytegate {
namespace {

std::string number(int64_t value) {
  return std::to_string(value);
}

std::optional<std::string> rows_reason(const DsaDescription& description, const Case& c) {
  const DsaScalars& scalars = description.scalars;
  const auto scalar = [&](int idx) { return c.scalars[static_cast<size_t>(idx)]; };
  const int64_t num_requests = c.dims[static_cast<size_t>(description.dims.num_requests)];
  if (description.mode == DsaMode::kTargetVerify) {
    if (num_requests > 0 && scalar(scalars.next_n) > kDsaMaxRows / num_requests) {
      return number(num_requests) + " requests of next_n " + number(scalar(scalars.next_n)) +
             " are more than " + number(kDsaMaxRows) + " rows";
    }
  }
  if (description.mode != DsaMode::kDraftExtend) return std::nullopt;
  const int64_t total_len = scalar(scalars.total_len);
  const int64_t extend_len = scalar(scalars.extend_len);
  if (scalar(scalars.form) == static_cast<int64_t>(DsaExtendForm::kStatic)) {
    // Both are below 2^31, so the product fits.
    if (total_len != num_requests * extend_len) {
      return "total_len is " + number(total_len) + ", but " + number(num_requests) +
             " requests of extend_len " + number(extend_len) + " have " +
             number(num_requests * extend_len) + " rows";
    }
    return std::nullopt;
  }
  if (extend_len != 0) return "extend_len is " + number(extend_len) + ", must be 0 in ragged form";
  if (num_requests == 0 && total_len != 0) {
    return "total_len is " + number(total_len) + ", but there is no request";
  }
  return std::nullopt;
}

std::optional<std::string> width_reason(const Case& c, const char* table, int tensor, int dim,
                                        int64_t needed) {
  if (dim < 0 || !c.tensors[static_cast<size_t>(tensor)].present) return std::nullopt;
  const int64_t width = c.dims[static_cast<size_t>(dim)];
  if (width >= needed) return std::nullopt;
  return std::string(table) + " has " + number(width) + " columns, must have " + number(needed);
}

// Gives the outputs the shapes that the case now has for them; rows keep their stride.
void reshape_outputs(Case& c) {
  for (size_t i = 0; i < c.tensors.size(); ++i) {
    if (c.op->tensors[i].role != Role::kOutput) continue;
    const Dims wanted = shape_of(c, static_cast<int>(i));
    const bool was_compact = is_compact(c.tensors[i]);
    c.tensors[i].shape = wanted;
    if (was_compact) c.tensors[i].strides = compact_strides(wanted);
  }
}

// Makes the lengths add up to `total`, from the last request on.
void aim_sum(Elements& lens, int64_t total) {
  int64_t sum = 0;
  for (int64_t i = 0; i < lens.size(); ++i) sum += lens.at(i);
  for (int64_t i = lens.size() - 1; i >= 0 && sum != total; --i) {
    const int64_t now = lens.at(i);
    const int64_t next = std::clamp<int64_t>(now + total - sum, 0, INT32_MAX);
    lens.set(i, next);
    sum += next - now;
  }
}

// Sets to 0 all but the first columns of each row.
template <typename ColumnsOf>
void mask_rows(const DsaCase& c, int64_t width, std::span<uint8_t> stated, ColumnsOf columns_of) {
  int64_t row = 0;
  for (int64_t b = 0; b < c.num_requests; ++b) {
    const int64_t columns = columns_of(dsa_live_columns(c, b));
    for (int64_t j = dsa_rows_of_request(c, b); j > 0; --j, ++row) {
      const auto begin = stated.begin() + row * width;
      std::fill(begin + columns, begin + width, uint8_t{0});
    }
  }
}

// The largest that max_len and the pool rows may be follow from the table.
void clamp_to_slots(const DsaDescription& description, Case& c) {
  int64_t& max_len = c.scalars[static_cast<size_t>(description.scalars.max_len)];
  max_len = std::min(max_len, c.dims[static_cast<size_t>(description.dims.num_columns)]);
  const int64_t last_row = c.dims[static_cast<size_t>(description.dims.num_pool_rows)] - 1;
  const int tensor = description.tensors.req_pool_indices;
  const auto clamp = [&](Elements& rows) {
    for (int64_t i = 0; i < rows.size(); ++i) rows.set(i, std::min(rows.at(i), last_row));
  };
  if (last_row < 0) return;
  clamp(c.tensors[static_cast<size_t>(tensor)].elements);
  for (Step& step : c.later_steps) {
    for (Step::Change& change : step.changes) {
      if (change.tensor == tensor) clamp(change.elements);
    }
  }
}

}  // namespace

std::optional<std::string> dsa_call_reason(const Case& c) {
  const DsaDescription& description = describe_dsa(*c.op);
  if (auto reason = rows_reason(description, c)) return reason;
  const int64_t max_len = c.scalars[static_cast<size_t>(description.scalars.max_len)];
  const int64_t page_size = c.scalars[static_cast<size_t>(description.scalars.page_size)];
  const int64_t num_columns = c.dims[static_cast<size_t>(description.dims.num_columns)];
  if (max_len > num_columns) {
    return "max_len is " + number(max_len) + ", but req_to_token has " + number(num_columns) +
           " columns";
  }
  if (auto reason = width_reason(c, "page_table", description.tensors.page_table,
                                 description.dims.page_table_width, max_len)) {
    return reason;
  }
  return width_reason(c, "real_page_table", description.tensors.real_page_table,
                      description.dims.real_page_table_width, dsa_num_pages(max_len, page_size));
}

std::optional<std::string> dsa_data_reason(const Case& c) {
  const DsaCase view = view_dsa(c);
  for (int64_t b = 0; b < view.num_requests; ++b) {
    const int64_t row = view.req_pool_indices->at(b);
    if (row < 0 || row >= view.num_pool_rows) {
      return "req_pool_indices[" + number(b) + "] is " + number(row) + ", req_to_token has " +
             number(view.num_pool_rows) + " rows";
    }
  }
  int64_t num_rows = 0;
  for (int64_t b = 0; b < view.num_requests; ++b) num_rows += dsa_rows_of_request(view, b);
  if (num_rows != view.num_rows) {
    return "extend_seq_lens add up to " + number(num_rows) + ", but total_len is " +
           number(view.num_rows);
  }
  if (view.entry != DsaEntry::kRefresh) return std::nullopt;
  for (int64_t b = 0; b < view.num_requests; ++b) {
    for (int64_t j = 0; j < dsa_rows_of_request(view, b); ++j) {
      const int32_t len = dsa_row_len(view, b, j);
      if (len < 0) {
        return "row " + number(j) + " of request " + number(b) + " has the length " + number(len) +
               ", which the schedule cannot take";
      }
    }
  }
  return std::nullopt;
}

void settle_dsa(Case& c) {
  const DsaDescription& description = describe_dsa(*c.op);
  clamp_to_slots(description, c);
  if (description.mode == DsaMode::kDraftExtend) {
    const DsaScalars& scalars = description.scalars;
    int64_t& total_len = c.scalars[static_cast<size_t>(scalars.total_len)];
    int64_t& extend_len = c.scalars[static_cast<size_t>(scalars.extend_len)];
    if (c.scalars[static_cast<size_t>(scalars.form)] ==
        static_cast<int64_t>(DsaExtendForm::kStatic)) {
      const int64_t num_requests = c.dims[static_cast<size_t>(description.dims.num_requests)];
      if (__builtin_mul_overflow(num_requests, extend_len, &total_len)) total_len = -1;
    } else {
      extend_len = 0;
      const Elements& lens =
          c.tensors[static_cast<size_t>(description.tensors.extend_seq_lens)].elements;
      total_len = 0;
      for (int64_t i = 0; i < lens.size(); ++i) total_len += lens.at(i);
      for (Step& step : c.later_steps) {
        for (Step::Change& change : step.changes) {
          if (change.tensor == description.tensors.extend_seq_lens) {
            aim_sum(change.elements, total_len);
          }
        }
      }
    }
  }
  reshape_outputs(c);
}

void mask_dsa_page_table(const Case& c, std::span<uint8_t> stated) {
  const DsaCase view = view_dsa(c);
  if (view.tail == DsaTail::kFull) return;
  mask_rows(view, view.max_len, stated, [](int64_t live) { return live; });
}

void mask_dsa_real_page_table(const Case& c, std::span<uint8_t> stated) {
  const DsaCase view = view_dsa(c);
  if (view.tail == DsaTail::kFull) return;
  mask_rows(view, dsa_num_pages(view.max_len, view.page_size), stated,
            [&](int64_t live) { return dsa_num_pages(live, view.page_size); });
}

}  // namespace bytegate
