#include "kernels/dsa_precompute.h"

namespace bytegate {
namespace {

using Error = std::optional<std::string>;

class Allocation {
 public:
  explicit Allocation(const DsaAllocator& allocator) : allocator_(allocator) {}

  int32_t* vector(const char* name, int64_t count) { return table(name, count, 1); }

  int32_t* table(const char* name, int64_t rows, int64_t columns) {
    if (error_ || rows == 0 || columns == 0) return nullptr;
    const int64_t bytes = rows * columns * int64_t{sizeof(int32_t)};
    void* data = allocator_.allocate(allocator_.context, name, static_cast<size_t>(bytes));
    if (data == nullptr) {
      error_ = std::string(name) + " could not be allocated: " + std::to_string(bytes) + " bytes";
    }
    return static_cast<int32_t*>(data);
  }

  [[nodiscard]] const Error& error() const { return error_; }

 private:
  const DsaAllocator& allocator_;
  Error error_;
};

DsaTable compact(int32_t* data, int64_t columns) {
  return {.data = data, .num_columns = columns, .row_stride = columns, .present = true};
}

}  // namespace

std::optional<std::string> allocate_dsa_precompute(const DsaAllocator& allocator, DsaParams& params,
                                                   DsaPrecomputed& result) {
  if (params.mode == DsaMode::kDraftExtend) return "precompute takes no draft_extend";
  if (auto error = dsa_call_error(params)) return error;
  const int64_t num_requests = params.num_requests;
  const int64_t num_rows = dsa_num_rows(params);
  // No other output is larger.
  int64_t bytes = 0;
  if (__builtin_mul_overflow(num_rows * params.max_len, int64_t{sizeof(int32_t)}, &bytes)) {
    return "page_table is too large";
  }
  Allocation allocation(allocator);
  params.cache_seqlens = allocation.vector("cache_seqlens", num_requests);
  params.cu_seqlens_k = allocation.vector("cu_seqlens_k", num_requests + 1);
  params.page_table =
      compact(allocation.table("page_table", num_rows, params.max_len), params.max_len);
  if (params.mode == DsaMode::kTargetVerify) {
    params.seqlens_expanded = allocation.vector("seqlens_expanded", num_rows);
  }
  params.dsa_cache_seqlens = allocation.vector("dsa_cache_seqlens", num_rows);
  params.dsa_cu_seqlens_k = allocation.vector("dsa_cu_seqlens_k", num_rows + 1);
  if (params.page_size > 1) {
    const int64_t num_pages = dsa_num_pages(params);
    params.real_page_table =
        compact(allocation.table("real_page_table", num_rows, num_pages), num_pages);
  }
  if (allocation.error()) return allocation.error();
  result = {.cache_seqlens = params.cache_seqlens,
            .cu_seqlens_k = params.cu_seqlens_k,
            .page_table = params.page_table.data,
            .seqlens_expanded =
                params.mode == DsaMode::kDecode ? params.cache_seqlens : params.seqlens_expanded,
            .dsa_cache_seqlens = params.dsa_cache_seqlens,
            .dsa_cu_seqlens_k = params.dsa_cu_seqlens_k,
            .real_page_table =
                params.page_size == 1 ? params.page_table.data : params.real_page_table.data};
  return std::nullopt;
}

}  // namespace bytegate
