#include "properties/dsa_world_case.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace bytegate {
namespace {

int64_t slot_at(DsaSlots slots, int64_t page_size, int64_t row, int64_t column) {
  const std::array<int64_t, 10> edges = {
      -page_size - 1, -page_size,    -page_size + 1, -1,        0, 1,
      page_size - 1,  page_size + 1, INT32_MAX,      INT32_MIN,
  };
  const auto edge = [&](int64_t idx) { return edges[static_cast<size_t>(idx) % edges.size()]; };
  switch (slots) {
    case DsaSlots::kTokens:
      return (7 * row + column / page_size + 2) * page_size + column % page_size;
    case DsaSlots::kUnused:
      return -1;
    case DsaSlots::kEdges:
      return edge(3 * row + column);
    case DsaSlots::kShiftedEdges:
      return edge(3 * row + column + 5);
  }
  return 0;
}

class Maker {
 public:
  Maker(const Op& op, const DsaWorldPoint& point)
      : description_(describe_dsa(op)), point_(point), case_(make_case(op)) {}

  Case make() {
    set_scalars();
    set_dims();
    choose_tensors();
    fit_tensors(case_);
    set_values();
    case_.forced_path = point_.path;
    return std::move(case_);
  }

 private:
  [[nodiscard]] int64_t num_requests() const { return static_cast<int64_t>(point_.lens.size()); }
  // An index of -1 is a field that the operation does not have.
  void set(std::vector<int64_t>& fields, int idx, int64_t value) {
    if (idx >= 0) fields[static_cast<size_t>(idx)] = value;
  }
  Tensor& tensor(int idx) { return case_.tensors[static_cast<size_t>(idx)]; }

  void set_scalars() {
    const DsaScalars& scalars = description_.scalars;
    std::vector<int64_t>& values = case_.scalars;
    set(values, scalars.max_len, point_.max_len);
    set(values, scalars.topk, point_.topk);
    set(values, scalars.page_size, point_.page_size);
    set(values, scalars.tail, static_cast<int64_t>(point_.tail));
    set(values, scalars.next_n, point_.rows_per_request);
    set(values, scalars.expanded_min, static_cast<int64_t>(point_.expanded_min));
    set(values, scalars.num_sm, point_.num_sm);
    set(values, scalars.remainder, point_.remainder);
    set(values, scalars.form,
        static_cast<int64_t>(point_.is_static ? DsaExtendForm::kStatic : DsaExtendForm::kRagged));
    set(values, scalars.extend_len, point_.is_static ? point_.rows_per_request : 0);
    set(values, scalars.total_len,
        point_.is_static
            ? num_requests() * point_.rows_per_request
            : std::accumulate(point_.extend_lens.begin(), point_.extend_lens.end(), int64_t{0}));
  }

  void set_dims() {
    const DsaDims& dims = description_.dims;
    set(case_.dims, dims.num_requests, num_requests());
    set(case_.dims, dims.num_pool_rows, point_.num_pool_rows);
    // At least one, so that the slots tell their cases apart.
    set(case_.dims, dims.num_columns, std::max<int64_t>(point_.max_len, 1) + point_.more_columns);
    set(case_.dims, dims.page_table_width, point_.max_len + point_.more_columns);
    set(case_.dims, dims.real_page_table_width,
        dsa_num_pages(point_.max_len, point_.page_size) + point_.more_columns);
  }

  void choose_tensors() {
    const DsaTensors& tensors = description_.tensors;
    const auto choose_dtype = [&](int idx, DType dtype) {
      tensor(idx).dtype = dtype;
      tensor(idx).elements = Elements(dtype, 0);
    };
    choose_dtype(tensors.seq_lens, point_.lens_dtype);
    choose_dtype(tensors.req_pool_indices, point_.pool_rows_dtype);
    tensor(tensors.page_table).present = point_.has_page_table;
    if (tensors.paged_mqa_ctx_lens >= 0) {
      tensor(tensors.paged_mqa_ctx_lens).present = point_.has_ctx_lens;
    }
  }

  void set_values() {
    const DsaTensors& tensors = description_.tensors;
    for (int64_t b = 0; b < num_requests(); ++b) {
      const auto idx = static_cast<size_t>(b);
      tensor(tensors.seq_lens).elements.set(b, point_.lens[idx]);
      tensor(tensors.req_pool_indices)
          .elements.set(
              b, point_.pool_rows.empty() ? b % point_.num_pool_rows : point_.pool_rows[idx]);
      if (tensors.extend_seq_lens >= 0 && !point_.is_static) {
        tensor(tensors.extend_seq_lens).elements.set(b, point_.extend_lens[idx]);
      }
    }
    Tensor& slots = tensor(tensors.req_to_token);
    const int64_t num_columns = slots.shape[1];
    for (int64_t i = 0; i < slots.elements.size(); ++i) {
      const int64_t slot =
          slot_at(point_.slots, point_.page_size, i / num_columns, i % num_columns);
      slots.elements.set(i, std::clamp<int64_t>(slot, INT32_MIN, INT32_MAX));
    }
  }

  const DsaDescription& description_;
  const DsaWorldPoint& point_;
  Case case_;
};

}  // namespace

Case make_dsa_world_case(const Op& op, const DsaWorldPoint& point) {
  return Maker(op, point).make();
}

}  // namespace bytegate
