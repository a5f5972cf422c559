#include "oracles/dsa_metadata.h"

#include <algorithm>

#include "oracles/dsa_validity.h"

namespace bytegate {
namespace {

const Elements* elements_of(const Case& c, int tensor) {
  return &c.tensors[static_cast<size_t>(tensor)].elements;
}

int64_t scalar_of(const Case& c, int scalar, int64_t otherwise) {
  return scalar < 0 ? otherwise : c.scalars[static_cast<size_t>(scalar)];
}

bool is_static(const DsaDescription& description, const Case& c) {
  return description.mode == DsaMode::kDraftExtend &&
         c.scalars[static_cast<size_t>(description.scalars.form)] ==
             static_cast<int64_t>(DsaExtendForm::kStatic);
}

}  // namespace

int64_t dsa_num_rows(const DsaDescription& description, const Case& c) {
  const int64_t num_requests = c.dims[static_cast<size_t>(description.dims.num_requests)];
  switch (description.mode) {
    case DsaMode::kDecode:
      return num_requests;
    case DsaMode::kTargetVerify: {
      const int64_t next_n = c.scalars[static_cast<size_t>(description.scalars.next_n)];
      int64_t rows = 0;
      const bool fits = !__builtin_mul_overflow(num_requests, std::max<int64_t>(next_n, 0), &rows);
      return fits && rows <= kDsaMaxRows ? rows : 0;
    }
    case DsaMode::kDraftExtend: {
      const int64_t rows = c.scalars[static_cast<size_t>(description.scalars.total_len)];
      return rows <= kDsaMaxRows ? std::max<int64_t>(rows, 0) : 0;
    }
  }
  return 0;
}

DsaCase view_dsa(const Case& c) {
  const DsaDescription& description = describe_dsa(*c.op);
  const DsaScalars& scalars = description.scalars;
  const DsaTensors& tensors = description.tensors;
  DsaCase view;
  view.mode = description.mode;
  view.entry = description.entry;
  view.tensors = tensors;
  view.num_requests = c.dims[static_cast<size_t>(description.dims.num_requests)];
  view.num_rows = dsa_num_rows(description, c);
  view.num_pool_rows = c.dims[static_cast<size_t>(description.dims.num_pool_rows)];
  view.num_columns = c.dims[static_cast<size_t>(description.dims.num_columns)];
  view.max_len = scalar_of(c, scalars.max_len, 0);
  view.topk = scalar_of(c, scalars.topk, 1);
  view.page_size = scalar_of(c, scalars.page_size, 1);
  view.tail = static_cast<DsaTail>(scalar_of(c, scalars.tail, 0));
  view.expanded_min = static_cast<DsaExpandedMin>(scalar_of(c, scalars.expanded_min, 0));
  view.next_n = scalar_of(c, scalars.next_n, 1);
  view.seq_lens = elements_of(c, tensors.seq_lens);
  view.req_pool_indices = elements_of(c, tensors.req_pool_indices);
  view.req_to_token = elements_of(c, tensors.req_to_token)->int32();
  if (is_static(description, c)) {
    view.extend_len = scalar_of(c, scalars.extend_len, 0);
  } else if (description.mode == DsaMode::kDraftExtend) {
    view.extend_seq_lens = elements_of(c, tensors.extend_seq_lens)->int32();
  }
  return view;
}

int64_t dsa_rows_of_request(const DsaCase& c, int64_t request) {
  switch (c.mode) {
    case DsaMode::kDecode:
      return 1;
    case DsaMode::kTargetVerify:
      return c.next_n;
    case DsaMode::kDraftExtend:
      break;
  }
  return c.extend_len ? *c.extend_len : c.extend_seq_lens[static_cast<size_t>(request)];
}

}  // namespace bytegate
