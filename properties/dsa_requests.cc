#include "properties/dsa_requests.h"

#include <algorithm>
#include <array>
#include <utility>

#include "properties/same_outputs.h"

namespace bytegate {

DsaRequests dsa_requests_of(const Case& c) {
  const DsaCase view = view_dsa(c);
  DsaRequests requests;
  for (int64_t b = 0; b < view.num_requests; ++b) {
    requests.push_back({.seq = view.seq_lens->at(b),
                        .pool_row = view.req_pool_indices->at(b),
                        .num_rows = dsa_rows_of_request(view, b)});
  }
  return requests;
}

Case with_dsa_requests(const Case& c, const DsaRequests& requests) {
  const DsaDescription& description = describe_dsa(*c.op);
  const DsaTensors& tensors = description.tensors;
  Case made = c;
  made.dims[static_cast<size_t>(description.dims.num_requests)] = std::ssize(requests);
  if (description.mode == DsaMode::kDraftExtend) {
    int64_t num_rows = 0;
    for (const DsaRequest& request : requests) num_rows += request.num_rows;
    const auto set = [&](int idx, int64_t value) {
      made.scalars[static_cast<size_t>(idx)] = value;
    };
    set(description.scalars.form, static_cast<int64_t>(DsaExtendForm::kRagged));
    set(description.scalars.extend_len, 0);
    set(description.scalars.total_len, num_rows);
  }
  fit_tensors(made);
  const auto elements = [&](int idx) -> Elements& {
    return made.tensors[static_cast<size_t>(idx)].elements;
  };
  for (size_t i = 0; i < requests.size(); ++i) {
    const int64_t b = static_cast<int64_t>(i);
    elements(tensors.seq_lens).set(b, requests[i].seq);
    elements(tensors.req_pool_indices).set(b, requests[i].pool_row);
    if (tensors.extend_seq_lens >= 0) {
      elements(tensors.extend_seq_lens).set(b, requests[i].num_rows);
    }
  }
  return made;
}

int32_t wrapping_add(int32_t a, int32_t b) {
  return static_cast<int32_t>(static_cast<uint32_t>(a) + static_cast<uint32_t>(b));
}

DsaSaid::DsaSaid(const Case& c, const Outputs& outputs)
    : tensors_(describe_dsa(*c.op).tensors), outputs_(outputs) {
  for (const int tensor : {tensors_.page_table, tensors_.real_page_table}) {
    if (tensor < 0 || outputs_[static_cast<size_t>(tensor)].size() == 0) continue;
    const std::vector<uint8_t> stated = stated_elements(c, tensor);
    std::vector<int32_t>& values = outputs_[static_cast<size_t>(tensor)].int32_vector();
    for (size_t i = 0; i < values.size(); ++i) {
      if (stated[i] == 0) values[i] = 0;
    }
  }
  const DsaCase view = view_dsa(c);
  first_rows_.push_back(0);
  for (int64_t b = 0; b < view.num_requests; ++b) {
    first_rows_.push_back(first_rows_.back() + dsa_rows_of_request(view, b));
  }
}

int64_t DsaSaid::num_requests() const {
  return std::ssize(first_rows_) - 1;
}

int64_t DsaSaid::first_row_of(int64_t request) const {
  return first_rows_[static_cast<size_t>(request)];
}

int64_t DsaSaid::rows_of(int64_t request) const {
  return first_row_of(request + 1) - first_row_of(request);
}

DsaSaid::Values DsaSaid::ctx_lens(int64_t request) const {
  return part(tensors_.paged_mqa_ctx_lens, request, num_requests());
}

DsaSaid::Values DsaSaid::pages(int64_t row) const {
  return part(tensors_.page_table, row, num_rows());
}

DsaSaid::Values DsaSaid::compact_pages(int64_t row) const {
  return part(tensors_.real_page_table, row, num_rows());
}

DsaSaid::Values DsaSaid::part(int tensor, int64_t idx, int64_t count) const {
  if (tensor < 0 || count == 0) return {};
  const Elements& elements = outputs_[static_cast<size_t>(tensor)];
  if (elements.size() == 0) return {};
  const auto size = static_cast<size_t>(elements.size() / count);
  return elements.int32().subspan(static_cast<size_t>(idx) * size, size);
}

std::optional<std::string> DsaSaid::row_differs(int64_t row, const DsaSaid& other,
                                                int64_t other_row) const {
  const std::array<std::pair<const char*, int DsaTensors::*>, 4> fields = {
      {{"seqlens_expanded", &DsaTensors::seqlens_expanded},
       {"dsa_cache_seqlens", &DsaTensors::dsa_cache_seqlens},
       {"page_table", &DsaTensors::page_table},
       {"real_page_table", &DsaTensors::real_page_table}}};
  for (const auto& [name, tensor] : fields) {
    const Values mine = part(tensors_.*tensor, row, num_rows());
    const Values theirs = other.part(other.tensors_.*tensor, other_row, other.num_rows());
    if (std::equal(mine.begin(), mine.end(), theirs.begin(), theirs.end())) continue;
    return "row " + std::to_string(row) + " becomes row " + std::to_string(other_row) +
           ", and its " + name + " changes";
  }
  return std::nullopt;
}

std::optional<std::string> DsaSaid::request_differs(int64_t request, const DsaSaid& other,
                                                    int64_t other_request) const {
  const std::string becomes = "request " + std::to_string(request) + " becomes request " +
                              std::to_string(other_request) + ", and ";
  if (rows_of(request) != other.rows_of(other_request)) return becomes + "has other rows";
  const std::array<std::pair<const char*, int DsaTensors::*>, 2> fields = {
      {{"cache_seqlens", &DsaTensors::cache_seqlens},
       {"paged_mqa_ctx_lens", &DsaTensors::paged_mqa_ctx_lens}}};
  for (const auto& [name, tensor] : fields) {
    const Values mine = part(tensors_.*tensor, request, num_requests());
    const Values theirs = other.part(other.tensors_.*tensor, other_request, other.num_requests());
    if (!std::equal(mine.begin(), mine.end(), theirs.begin(), theirs.end())) {
      return becomes + "its " + name + " changes";
    }
  }
  for (int64_t j = 0; j < rows_of(request); ++j) {
    const int64_t other_row = other.first_row_of(other_request) + j;
    if (auto differs = row_differs(first_row_of(request) + j, other, other_row)) return differs;
  }
  return std::nullopt;
}

}  // namespace bytegate
