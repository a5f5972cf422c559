#include <algorithm>
#include <cstdio>
#include <vector>

#include "ci/bench/gpu_timing.h"
#include "kernels/dsa_metadata_cuda.h"

namespace bytegate::bench {
namespace {

constexpr int64_t kPageSize = 64;
constexpr int64_t kTopk = 2048;

struct Shape {
  DsaMode mode = DsaMode::kDecode;
  const char* name = "";
  int64_t num_requests = 0;
  int64_t max_len = 0;
  int64_t rows_per_request = 1;
  DsaTail tail = DsaTail::kFull;
};

int64_t ceil_div(int64_t a, int64_t b) {
  return (a + b - 1) / b;
}

// Everything a call needs, on the device. Requests are as long as the table is wide, or half as
// long where only live columns are copied.
class Call {
 public:
  explicit Call(const Shape& shape)
      : shape_(shape),
        num_rows_(shape.num_requests * shape.rows_per_request),
        num_pages_(ceil_div(shape.max_len, kPageSize)),
        seq_lens_(bytes(shape.num_requests) * 2),
        pool_rows_(bytes(shape.num_requests) * 2),
        slots_(bytes(shape.num_requests * shape.max_len)),
        per_request_(bytes(2 * shape.num_requests + 1)),
        per_row_(bytes(3 * num_rows_ + 1)),
        page_table_(bytes(num_rows_ * shape.max_len)),
        real_page_table_(bytes(num_rows_ * num_pages_)) {
    const int64_t len = shape.tail == DsaTail::kLive ? shape.max_len / 2 : shape.max_len;
    std::vector<int64_t> lens(static_cast<size_t>(shape.num_requests), len);
    std::vector<int64_t> rows(lens.size());
    for (size_t b = 0; b < rows.size(); ++b) rows[b] = static_cast<int64_t>(rows.size() - 1 - b);
    std::vector<int32_t> slots(static_cast<size_t>(shape.num_requests * shape.max_len));
    for (size_t i = 0; i < slots.size(); ++i) slots[i] = static_cast<int32_t>(i % (1u << 24));
    seq_lens_.upload(lens.data(), lens.size() * sizeof(int64_t));
    pool_rows_.upload(rows.data(), rows.size() * sizeof(int64_t));
    slots_.upload(slots.data(), slots.size() * sizeof(int32_t));
  }

  DsaParams params() const {
    DsaParams params;
    params.mode = shape_.mode;
    params.seq_lens = {.data = seq_lens_.as<void>(), .is_int64 = true};
    params.req_pool_indices = {.data = pool_rows_.as<void>(), .is_int64 = true};
    params.req_to_token = slots_.as<int32_t>();
    params.req_to_token_row_stride = shape_.max_len;
    params.req_to_token_column_stride = 1;
    params.num_requests = shape_.num_requests;
    params.num_pool_rows = shape_.num_requests;
    params.num_columns = shape_.max_len;
    params.max_len = shape_.max_len;
    params.topk = kTopk;
    params.page_size = kPageSize;
    params.tail = static_cast<int64_t>(shape_.tail);
    params.next_n = shape_.rows_per_request;
    params.form = static_cast<int64_t>(DsaExtendForm::kStatic);
    params.extend_len = shape_.rows_per_request;
    params.total_len = num_rows_;
    params.cache_seqlens = per_request_.as<int32_t>();
    params.cu_seqlens_k = params.cache_seqlens + shape_.num_requests;
    params.dsa_cache_seqlens = per_row_.as<int32_t>();
    params.dsa_cu_seqlens_k = params.dsa_cache_seqlens + num_rows_;
    if (shape_.mode != DsaMode::kDecode) {
      params.seqlens_expanded = params.dsa_cu_seqlens_k + num_rows_ + 1;
    }
    params.page_table = table(page_table_, shape_.max_len);
    params.real_page_table = table(real_page_table_, num_pages_);
    return params;
  }

  // Bytes that any implementation has to move: each live slot is read once and written once for
  // each row, as is each page.
  double bytes_moved() const {
    const double columns =
        static_cast<double>(shape_.max_len) * (shape_.tail == DsaTail::kLive ? 0.5 : 1.0);
    const double rows = static_cast<double>(num_rows_);
    const double pages = columns / static_cast<double>(kPageSize);
    return sizeof(int32_t) *
           (static_cast<double>(shape_.num_requests) * columns + rows * (columns + pages));
  }

 private:
  static size_t bytes(int64_t count) { return static_cast<size_t>(count) * sizeof(int32_t); }
  static DsaTable table(const DeviceBuffer& buffer, int64_t columns) {
    return {.data = buffer.as<int32_t>(),
            .num_columns = columns,
            .row_stride = columns,
            .present = true};
  }

  Shape shape_;
  int64_t num_rows_;
  int64_t num_pages_;
  DeviceBuffer seq_lens_;
  DeviceBuffer pool_rows_;
  DeviceBuffer slots_;
  DeviceBuffer per_request_;
  DeviceBuffer per_row_;
  DeviceBuffer page_table_;
  DeviceBuffer real_page_table_;
};

void print_row(cudaStream_t stream, const Shape& shape, double copy_bytes_per_us) {
  const Call call(shape);
  const DsaParams fused_params = call.params();
  const DsaArgs fused = dsa_kernel_args(fused_params);
  const float fused_us = call_us(
      stream, 20, [&] { require_launch(launch_dsa_fused_on_cuda(shape.mode, fused, stream)); });
  DsaParams eager_params = call.params();
  eager_params.workspace_bytes = dsa_workspace_bytes(eager_params, DsaChain::kEager);
  const DeviceBuffer workspace(eager_params.workspace_bytes);
  eager_params.workspace = workspace.as<void>();
  const DsaArgs eager = dsa_kernel_args(eager_params);
  const DsaEagerWorkspace sections = dsa_eager_workspace(eager_params);
  const float eager_us = call_us(stream, 20, [&] {
    require_launch(launch_dsa_eager_on_cuda(shape.mode, eager, sections, stream));
  });
  const double bound_us = call.bytes_moved() / copy_bytes_per_us;
  std::printf("%-14s %6lld %8lld %6lld %-5s %9.2f %9.2f %8.1fx %9.2f %7.2f\n", shape.name,
              static_cast<long long>(shape.num_requests), static_cast<long long>(shape.max_len),
              static_cast<long long>(shape.rows_per_request),
              shape.tail == DsaTail::kLive ? "live" : "full", static_cast<double>(fused_us),
              static_cast<double>(eager_us), static_cast<double>(eager_us / fused_us), bound_us,
              static_cast<double>(fused_us) / bound_us);
}

}  // namespace

void print_dsa_times(cudaStream_t stream, double copy_bytes_per_us) {
  std::printf("DSA metadata, page_size %lld, topk %lld, both tables, int64 inputs, microseconds\n",
              static_cast<long long>(kPageSize), static_cast<long long>(kTopk));
  std::printf("%-14s %6s %8s %6s %-5s %9s %9s %9s %9s %7s\n", "mode", "B", "max_len", "rows/B",
              "tail", "fused", "eager", "ratio", "copy", "x copy");
  struct Size {
    int64_t num_requests;
    int64_t max_len;
  };
  for (const DsaTail tail : {DsaTail::kFull, DsaTail::kLive}) {
    for (const Size size : {Size{1, 2048}, Size{32, 32768}, Size{128, 131072}}) {
      const auto row = [&](DsaMode mode, const char* name, int64_t rows_per_request) {
        print_row(stream,
                  {.mode = mode,
                   .name = name,
                   .num_requests = size.num_requests,
                   .max_len = size.max_len,
                   .rows_per_request = rows_per_request,
                   .tail = tail},
                  copy_bytes_per_us);
      };
      row(DsaMode::kDecode, "decode", 1);
      row(DsaMode::kTargetVerify, "target_verify", 4);
      row(DsaMode::kDraftExtend, "draft_extend", 4);
    }
  }
}

}  // namespace bytegate::bench
