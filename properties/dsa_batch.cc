#include "properties/dsa_batch.h"

#include <algorithm>
#include <array>
#include <span>

namespace bytegate {
namespace {

constexpr int64_t kMaxTableElements = int64_t{1} << 20;

struct Window {
  int64_t first = 0;
  int64_t count = 0;
  int64_t max_len = 0;
};

Window draw_window(const trace::ServedBatch& batch, int64_t rows_per_request, Draw& draw) {
  Window window;
  if (batch.num_requests() == 0) return window;
  window.first = draw.between(0, batch.num_requests() - 1);
  for (int64_t b = window.first; b < batch.num_requests(); ++b) {
    const int64_t len = batch.context_lens[static_cast<size_t>(b)];
    const int64_t max_len = std::max(window.max_len, len);
    if (window.count > 0 && (window.count + 1) * rows_per_request * max_len > kMaxTableElements) {
      break;
    }
    ++window.count;
    window.max_len = max_len;
  }
  return window;
}

// Which row of the smaller pool each request has: their order stays.
std::vector<int64_t> dense_pool_rows(const trace::ServedBatch& batch, const Window& window) {
  std::vector<int32_t> sorted(batch.req_pool_indices.begin() + window.first,
                              batch.req_pool_indices.begin() + window.first + window.count);
  const std::vector<int32_t> rows = sorted;
  std::sort(sorted.begin(), sorted.end());
  std::vector<int64_t> dense;
  for (const int32_t row : rows) {
    dense.push_back(std::lower_bound(sorted.begin(), sorted.end(), row) - sorted.begin());
  }
  return dense;
}

class Maker {
 public:
  Maker(const Op& op, const trace::ServedBatch& batch, Draw& draw)
      : description_(describe_dsa(op)), batch_(batch), draw_(draw), case_(make_case(op)) {
    rows_per_request_ = description_.mode == DsaMode::kDecode ? 1 : draw_.between(1, 4);
    window_ = draw_window(batch, rows_per_request_, draw_);
  }

  Case make() {
    set_scalars();
    set_dims();
    for (const int idx : {description_.tensors.seq_lens, description_.tensors.req_pool_indices}) {
      // Engines hold both in either width.
      tensor(idx).dtype = draw_.one_in(2) ? DType::kInt64 : DType::kInt32;
      tensor(idx).elements = Elements(tensor(idx).dtype, 0);
    }
    fit_tensors(case_);
    set_values();
    case_.op->settle(case_);
    return std::move(case_);
  }

 private:
  int64_t& scalar(int idx) { return case_.scalars[static_cast<size_t>(idx)]; }
  Tensor& tensor(int idx) { return case_.tensors[static_cast<size_t>(idx)]; }

  void set_scalars() {
    const DsaScalars& scalars = description_.scalars;
    scalar(scalars.max_len) = window_.max_len;
    scalar(scalars.topk) = 2048;
    scalar(scalars.page_size) = draw_.one_in(4) ? 1 : batch_.page_size;
    scalar(scalars.tail) = draw_.one_in(4) ? 1 : 0;
    if (scalars.next_n >= 0) scalar(scalars.next_n) = rows_per_request_;
    if (scalars.form >= 0 && draw_.one_in(3)) {
      scalar(scalars.form) = static_cast<int64_t>(DsaExtendForm::kStatic);
      scalar(scalars.extend_len) = 1;  // no request holds fewer tokens
    }
    if (scalars.expanded_min >= 0) scalar(scalars.expanded_min) = draw_.between(0, 2);
    if (scalars.num_sm >= 0) {
      constexpr std::array<int64_t, 6> kServing = {78, 108, 114, 132, 148, 152};
      scalar(scalars.num_sm) = draw_.among(std::span<const int64_t>(kServing));
    }
  }

  void set_dims() {
    const DsaDims& dims = description_.dims;
    const auto set = [&](int idx, int64_t value) {
      if (idx >= 0) case_.dims[static_cast<size_t>(idx)] = value;
    };
    set(dims.num_requests, window_.count);
    set(dims.num_pool_rows, window_.count);
    set(dims.num_columns, window_.max_len);
    set(dims.page_table_width, window_.max_len);
    set(dims.real_page_table_width,
        dsa_num_pages(window_.max_len, scalar(description_.scalars.page_size)));
  }

  void set_values() {
    const DsaTensors& tensors = description_.tensors;
    const std::vector<int64_t> pool_rows = dense_pool_rows(batch_, window_);
    Elements& slots = tensor(tensors.req_to_token).elements;
    for (int64_t i = 0; i < window_.count; ++i) {
      const int64_t b = window_.first + i;
      const int64_t len = batch_.context_lens[static_cast<size_t>(b)];
      tensor(tensors.seq_lens).elements.set(i, len);
      const int64_t pool_row = pool_rows[static_cast<size_t>(i)];
      tensor(tensors.req_pool_indices).elements.set(i, pool_row);
      for (int64_t token = 0; token < window_.max_len; ++token) {
        slots.set(pool_row * window_.max_len + token, token < len ? batch_.slot(b, token) : -1);
      }
      if (tensors.extend_seq_lens >= 0 && tensor(tensors.extend_seq_lens).present) {
        tensor(tensors.extend_seq_lens)
            .elements.set(i, std::min(draw_.between(1, rows_per_request_), len));
      }
    }
  }

  const DsaDescription& description_;
  const trace::ServedBatch& batch_;
  Draw& draw_;
  Case case_;
  int64_t rows_per_request_ = 1;
  Window window_;
};

}  // namespace

Case dsa_case_of_batch(const Op& op, const trace::ServedBatch& batch, Draw& draw) {
  return Maker(op, batch, draw).make();
}

}  // namespace bytegate
