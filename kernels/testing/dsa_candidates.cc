#include "kernels/testing/dsa_candidates.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "kernels/call_reader.h"
#include "kernels/testing/candidates.h"
#include "oracles/dsa_metadata_contract.h"

namespace bytegate {
namespace {

struct Arguments {
  DsaMode mode = DsaMode::kDecode;
  int64_t max_len = 0;
  int64_t topk = 1;
  int64_t page_size = 1;
  bool live_tail = false;
  int64_t next_n = 1;
  int64_t extend_len = 0;
  int64_t expanded_min = INT64_MIN;

  const DLTensor* seq_lens = nullptr;
  const DLTensor* req_pool_indices = nullptr;
  const DLTensor* req_to_token = nullptr;
  const DLTensor* extend_seq_lens = nullptr;  // may be left out, as page_table and what follows it
  const DLTensor* cache_seqlens = nullptr;
  const DLTensor* cu_seqlens_k = nullptr;
  const DLTensor* dsa_cache_seqlens = nullptr;
  const DLTensor* dsa_cu_seqlens_k = nullptr;
  const DLTensor* page_table = nullptr;
  const DLTensor* real_page_table = nullptr;
  const DLTensor* seqlens_expanded = nullptr;
  const DLTensor* paged_mqa_ctx_lens = nullptr;
};

DsaMode mode_of(std::string_view op) {
  if (op == "dsa_target_verify_metadata") return DsaMode::kTargetVerify;
  return op == "dsa_draft_extend_metadata" ? DsaMode::kDraftExtend : DsaMode::kDecode;
}

int64_t read_expanded_min(CallReader& call) {
  constexpr std::array<int64_t, 3> kValues = {INT64_MIN, 0, 1};
  return kValues[static_cast<size_t>(call.scalar("expanded_min"))];
}

Arguments read_arguments(CallReader& call) {
  Arguments args;
  args.mode = mode_of(call.call().op);
  args.max_len = call.scalar("max_len");
  args.topk = call.scalar("topk");
  args.page_size = call.scalar("page_size");
  args.live_tail = call.scalar("tail") == static_cast<int64_t>(DsaTail::kLive);
  if (args.mode == DsaMode::kTargetVerify) args.next_n = call.scalar("next_n");
  if (args.mode == DsaMode::kDraftExtend) args.extend_len = call.scalar("extend_len");
  if (args.mode != DsaMode::kDecode) args.expanded_min = read_expanded_min(call);
  args.seq_lens = call.integer_tensor("seq_lens", 1);
  args.req_pool_indices = call.integer_tensor("req_pool_indices", 1);
  args.req_to_token = call.tensor("req_to_token", 2, 32);
  args.extend_seq_lens = call.optional_tensor("extend_seq_lens", 1, 32);
  args.cache_seqlens = call.tensor("cache_seqlens", 1, 32);
  args.cu_seqlens_k = call.tensor("cu_seqlens_k", 1, 32);
  args.dsa_cache_seqlens = call.tensor("dsa_cache_seqlens", 1, 32);
  args.dsa_cu_seqlens_k = call.tensor("dsa_cu_seqlens_k", 1, 32);
  args.page_table = call.optional_tensor("page_table", 2, 32);
  args.real_page_table = call.optional_tensor("real_page_table", 2, 32);
  if (args.mode != DsaMode::kDecode) args.seqlens_expanded = call.tensor("seqlens_expanded", 1, 32);
  args.paged_mqa_ctx_lens = call.optional_tensor("paged_mqa_ctx_lens", 2, 32);
  return args;
}

int64_t value_at(const DLTensor& vector, int64_t idx) {
  const int64_t offset = idx * vector.strides[0];
  return vector.dtype.bits == 64 ? static_cast<const int64_t*>(vector.data)[offset]
                                 : int64_t{static_cast<const int32_t*>(vector.data)[offset]};
}

int32_t* values(const DLTensor* tensor) {
  return static_cast<int32_t*>(tensor->data);
}

int32_t cut(int64_t value) {
  return static_cast<int32_t>(static_cast<uint32_t>(value));
}

int64_t narrow_offset(int64_t row, int64_t stride) {
  return int64_t{static_cast<uint32_t>(row) * static_cast<uint32_t>(stride)};
}

int64_t floor_div(int64_t value, int64_t divisor) {
  return value / divisor - (value % divisor < 0 ? 1 : 0);
}

template <DsaFlaw kFlaw>
class Filler {
 public:
  explicit Filler(const Arguments& args) : args_(args) {}

  void run() {
    fill_requests();
    for (int64_t b = 0; b < num_requests(); ++b) {
      for (int64_t j = 0; j < rows_of(b) && next_row_ < num_rows(); ++j, ++next_row_) {
        fill_lens(b, j);
        fill_page_table(b);
        fill_real_page_table(b);
      }
    }
    fill_row_sums();
  }

 private:
  static constexpr bool is(DsaFlaw flaw) { return kFlaw == flaw; }

  [[nodiscard]] int64_t num_requests() const { return args_.seq_lens->shape[0]; }
  [[nodiscard]] int64_t num_rows() const { return args_.dsa_cache_seqlens->shape[0]; }

  [[nodiscard]] int64_t seq(int64_t b) const {
    if (is(DsaFlaw::kReadsLensAsInt32)) {
      return static_cast<const int32_t*>(args_.seq_lens->data)[b * args_.seq_lens->strides[0]];
    }
    return value_at(*args_.seq_lens, b);
  }

  [[nodiscard]] int64_t rows_of(int64_t b) const {
    if (args_.mode == DsaMode::kDecode) return 1;
    if (args_.mode == DsaMode::kTargetVerify) return args_.next_n;
    if (args_.extend_seq_lens == nullptr) return args_.extend_len;
    return value_at(*args_.extend_seq_lens, is(DsaFlaw::kExtendOfFirst) ? 0 : b);
  }

  // Sums of an int64 length wrap in 64 bits first, which the cut to 32 does not see.
  [[nodiscard]] static int64_t add(int64_t a, int64_t b) {
    return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
  }

  [[nodiscard]] int32_t cache_len(int64_t b) const {
    const int32_t len = cut(add(seq(b), args_.mode == DsaMode::kTargetVerify ? args_.next_n : 0));
    if (is(DsaFlaw::kClampsCacheLens)) return cut(std::max<int64_t>(len, args_.expanded_min));
    return len;
  }

  [[nodiscard]] int64_t wide_row_len(int64_t b, int64_t j) const {
    if (args_.mode == DsaMode::kDecode) return seq(b);
    const int64_t before = args_.mode == DsaMode::kDraftExtend ? -rows_of(b) : 0;
    return add(seq(b), before + j + (is(DsaFlaw::kCountsRowsFromZero) ? 0 : 1));
  }

  [[nodiscard]] int64_t row_len(int64_t b, int64_t j) const {
    const int64_t wide = wide_row_len(b, j);
    if (is(DsaFlaw::kForgetsExpandedMin)) return cut(wide);
    return std::max(is(DsaFlaw::kCutsLensLast) ? wide : cut(wide), args_.expanded_min);
  }

  [[nodiscard]] int64_t topk_len(int64_t b, int64_t j) const {
    const int64_t len = row_len(b, j);
    return std::min(is(DsaFlaw::kUnsignedTopk) ? static_cast<uint32_t>(len) : len, args_.topk);
  }

  void fill_requests() const {
    int32_t* sums = values(args_.cu_seqlens_k);
    sums[0] = 0;
    for (int64_t b = 0; b < num_requests(); ++b) {
      values(args_.cache_seqlens)[b] = cache_len(b);
      fill_ctx_lens(b);
      if (is(DsaFlaw::kSums1024Requests) && b >= 1024) continue;
      const int64_t limit = is(DsaFlaw::kSumsTopkLens) ? args_.topk : INT32_MAX;
      sums[b + 1] = cut(sums[b] + std::min<int64_t>(cache_len(b), limit));
    }
  }

  void fill_ctx_lens(int64_t b) const {
    const DLTensor* out = args_.paged_mqa_ctx_lens;
    if (out == nullptr) return;
    for (int64_t j = 0; j < args_.next_n; ++j) {
      values(out)[b * out->strides[0] + j * out->strides[1]] =
          is(DsaFlaw::kCtxLensOfRow) ? cut(add(seq(b), j + 1)) : cache_len(b);
    }
  }

  void fill_lens(int64_t b, int64_t j) const {
    if (args_.mode != DsaMode::kDecode) {
      values(args_.seqlens_expanded)[next_row_] = cut(row_len(b, j));
    }
    values(args_.dsa_cache_seqlens)[next_row_] = cut(topk_len(b, j));
  }

  void fill_row_sums() const {
    int32_t* sums = values(args_.dsa_cu_seqlens_k);
    sums[0] = 0;
    for (int64_t e = 0; e < num_rows(); ++e) {
      if (is(DsaFlaw::kSums1024Rows) && e >= 1024) return;
      sums[e + 1] = cut(int64_t{sums[e]} + values(args_.dsa_cache_seqlens)[e]);
    }
  }

  [[nodiscard]] int64_t live_columns(int64_t b) const {
    return args_.live_tail ? std::clamp<int64_t>(cache_len(b), 0, args_.max_len) : args_.max_len;
  }

  [[nodiscard]] int32_t slot(int64_t b, int64_t column) const {
    const DLTensor& slots = *args_.req_to_token;
    const int64_t owner = is(DsaFlaw::kPoolRowOfRow) ? next_row_ % num_requests() : b;
    const int64_t pool_row = value_at(*args_.req_pool_indices, owner);
    const int64_t row = is(DsaFlaw::kNarrowSlotsOffset) ? narrow_offset(pool_row, slots.strides[0])
                                                        : pool_row * slots.strides[0];
    return values(&slots)[row + column * slots.strides[1]];
  }

  void fill_page_table(int64_t b) const {
    const DLTensor* table = args_.page_table;
    if (table == nullptr || table->data == nullptr) return;
    int32_t* row = values(table) + (is(DsaFlaw::kNarrowTableOffset)
                                        ? narrow_offset(next_row_, table->strides[0])
                                        : next_row_ * table->strides[0]);
    const int64_t columns = live_columns(b) - (is(DsaFlaw::kLeavesLastColumn) ? 1 : 0);
    for (int64_t c = 0; c < columns; ++c) row[c] = slot(b, c);
    if (is(DsaFlaw::kWritesColumnTooMany)) row[args_.max_len] = 0;
    if (is(DsaFlaw::kFillsWholeWidth)) {
      for (int64_t c = columns; c < table->shape[1]; ++c) row[c] = 0;
    }
  }

  void fill_real_page_table(int64_t b) const {
    const DLTensor* table = args_.real_page_table;
    if (table == nullptr || table->data == nullptr) return;
    int32_t* row = values(table) + (is(DsaFlaw::kNarrowPagesOffset)
                                        ? narrow_offset(next_row_, table->strides[0])
                                        : next_row_ * table->strides[0]);
    const int64_t columns = live_columns(b);
    const int64_t begun = (columns + args_.page_size - 1) / args_.page_size;
    const int64_t pages = is(DsaFlaw::kWholePagesOnly) ? columns / args_.page_size : begun;
    for (int64_t page = 0; page < pages; ++page) {
      const int64_t first = slot(b, page * args_.page_size);
      row[page] = cut(is(DsaFlaw::kTruncatesPages) ? first / args_.page_size
                                                   : floor_div(first, args_.page_size));
    }
    if (is(DsaFlaw::kWritesPageTooMany)) row[begun] = 0;
  }

  const Arguments& args_;
  int64_t next_row_ = 0;
};

template <DsaFlaw kFlaw>
int32_t run(void*, bytegate_call* call) {
  CallReader reader(*call);
  const Arguments args = read_arguments(reader);
  if (reader.failed()) return reader.report_invalid();
  Filler<kFlaw>(args).run();
  return BYTEGATE_OK;
}

constexpr size_t kNumFlaws = static_cast<size_t>(DsaFlaw::kNumFlaws);

template <size_t... kFlaws>
std::array<bytegate_candidate, kNumFlaws> all_tables(std::index_sequence<kFlaws...>) {
  return {host_table("dsa metadata", run<static_cast<DsaFlaw>(kFlaws)>)...};
}

}  // namespace

const bytegate_candidate& dsa_candidate(DsaFlaw flaw) {
  static const auto tables = [] {
    auto made = all_tables(std::make_index_sequence<kNumFlaws>());
    // It has no paths, so that a forced one is for others.
    for (bytegate_candidate& table : made) table.paths = nullptr;
    return made;
  }();
  return tables[static_cast<size_t>(flaw)];
}

}  // namespace bytegate
