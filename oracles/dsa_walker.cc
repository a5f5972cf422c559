#include "oracles/dsa_walker.h"

#include <algorithm>

#include "oracles/paged_mqa_metadata.h"
#include "oracles/schedule_walker.h"

namespace bytegate {
namespace {

using Broken = std::optional<std::string>;

// The low 32 bits of an exact sum.
int32_t cut(uint64_t sum) {
  return static_cast<int32_t>(static_cast<uint32_t>(sum));
}

uint64_t seq_of(const DsaCase& c, int64_t request) {
  return static_cast<uint64_t>(c.seq_lens->at(request));
}

std::string at(const char* name, int64_t idx) {
  return std::string(name) + "[" + std::to_string(idx) + "]";
}
std::string at(const char* name, int64_t row, int64_t column) {
  return std::string(name) + "[" + std::to_string(row) + ", " + std::to_string(column) + "]";
}

Broken differs(const std::string& where, int64_t expect, int64_t actual) {
  if (expect == actual) return std::nullopt;
  return where + " is " + std::to_string(actual) + ", must be " + std::to_string(expect);
}

class Walk {
 public:
  Walk(const Case& c, const Outputs& outputs) : case_(c), c_(view_dsa(c)), outputs_(outputs) {}

  Broken run() const {
    if (auto broken = walk_requests()) return broken;
    if (auto broken = sums("cu_seqlens_k", c_.tensors.cu_seqlens_k, c_.tensors.cache_seqlens)) {
      return broken;
    }
    if (auto broken =
            sums("dsa_cu_seqlens_k", c_.tensors.dsa_cu_seqlens_k, c_.tensors.dsa_cache_seqlens)) {
      return broken;
    }
    return c_.entry == DsaEntry::kRefresh ? schedule() : std::nullopt;
  }

 private:
  std::span<const int32_t> output(int tensor) const {
    return outputs_[static_cast<size_t>(tensor)].int32();
  }
  bool present(int tensor) const {
    return tensor >= 0 && case_.tensors[static_cast<size_t>(tensor)].present;
  }

  Broken walk_requests() const {
    int64_t row = 0;
    for (int64_t b = 0; b < c_.num_requests; ++b) {
      const size_t idx = static_cast<size_t>(b);
      const int32_t len = dsa_cache_seqlen(c_, b);
      const std::span<const int32_t> lens = output(c_.tensors.cache_seqlens);
      if (auto broken = differs(at("cache_seqlens", b), len, lens[idx])) return broken;
      for (int64_t j = 0; j < dsa_rows_of_request(c_, b); ++j, ++row) {
        if (auto broken = walk_row(b, j, row)) return broken;
      }
    }
    return differs("the number of rows", c_.num_rows, row);
  }

  Broken walk_row(int64_t b, int64_t j, int64_t row) const {
    const int32_t len = dsa_row_len(c_, b, j);
    const size_t idx = static_cast<size_t>(row);
    if (present(c_.tensors.seqlens_expanded)) {
      const int32_t actual = output(c_.tensors.seqlens_expanded)[idx];
      if (auto broken = differs(at("seqlens_expanded", row), len, actual)) return broken;
    }
    const int64_t topk_len = int64_t{len} < c_.topk ? int64_t{len} : c_.topk;
    const int32_t actual = output(c_.tensors.dsa_cache_seqlens)[idx];
    if (auto broken = differs(at("dsa_cache_seqlens", row), topk_len, actual)) return broken;
    if (present(c_.tensors.paged_mqa_ctx_lens)) {
      // Row-major [B, next_n] is row by row.
      const int32_t ctx_len = output(c_.tensors.paged_mqa_ctx_lens)[idx];
      const int32_t cache_len = output(c_.tensors.cache_seqlens)[static_cast<size_t>(b)];
      if (auto broken = differs(at("paged_mqa_ctx_lens", b, j), cache_len, ctx_len)) return broken;
    }
    if (auto broken = walk_page_table(b, row)) return broken;
    return walk_real_page_table(b, row);
  }

  int64_t stated_columns(int64_t request) const {
    return c_.tail == DsaTail::kLive ? dsa_live_columns(c_, request) : c_.max_len;
  }
  int32_t slot(int64_t request, int64_t column) const {
    const int64_t pool_row = c_.req_pool_indices->at(request);
    return c_.req_to_token[static_cast<size_t>(pool_row * c_.num_columns + column)];
  }

  Broken walk_page_table(int64_t b, int64_t row) const {
    if (!present(c_.tensors.page_table)) return std::nullopt;
    const std::span<const int32_t> table = output(c_.tensors.page_table);
    for (int64_t column = 0; column < stated_columns(b); ++column) {
      const int32_t actual = table[static_cast<size_t>(row * c_.max_len + column)];
      if (slot(b, column) != actual) {
        return differs(at("page_table", row, column), slot(b, column), actual);
      }
    }
    return std::nullopt;
  }

  // A floor without a division: page <= slot / page_size < page + 1.
  Broken walk_real_page_table(int64_t b, int64_t row) const {
    if (!present(c_.tensors.real_page_table)) return std::nullopt;
    const std::span<const int32_t> table = output(c_.tensors.real_page_table);
    const int64_t width = dsa_num_pages(c_.max_len, c_.page_size);
    int64_t page_idx = 0;
    for (int64_t column = 0; column < stated_columns(b); column += c_.page_size, ++page_idx) {
      const int64_t page = table[static_cast<size_t>(row * width + page_idx)];
      const int64_t first_slot = page * c_.page_size;
      if (first_slot > slot(b, column) || slot(b, column) >= first_slot + c_.page_size) {
        return at("real_page_table", row, page_idx) + " is " + std::to_string(page) +
               ", but slot " + std::to_string(slot(b, column)) + " is in no such page of " +
               std::to_string(c_.page_size);
      }
    }
    return std::nullopt;
  }

  Broken sums(const char* name, int sums_tensor, int lens_tensor) const {
    const std::span<const int32_t> sums = output(sums_tensor);
    const std::span<const int32_t> lens = output(lens_tensor);
    if (auto broken = differs(at(name, 0), 0, sums[0])) return broken;
    uint64_t exact = 0;
    for (size_t i = 0; i < lens.size(); ++i) {
      exact += static_cast<uint64_t>(int64_t{lens[i]});
      if (auto broken = differs(at(name, static_cast<int64_t>(i) + 1), cut(exact), sums[i + 1])) {
        return broken;
      }
    }
    return std::nullopt;
  }

  Broken schedule() const {
    const DsaScalars& scalars = describe_dsa(*case_.op).scalars;
    const int lens =
        c_.mode == DsaMode::kDecode ? c_.tensors.cache_seqlens : c_.tensors.seqlens_expanded;
    const PagedMqaMetadataCase batch = {
        .context_lens = output(lens),
        .num_sm = case_.scalars[static_cast<size_t>(scalars.num_sm)],
        .remainder = static_cast<Remainder>(case_.scalars[static_cast<size_t>(scalars.remainder)])};
    return walk_schedule(batch, output(c_.tensors.schedule_metadata));
  }

  const Case& case_;
  DsaCase c_;
  const Outputs& outputs_;
};

}  // namespace

int32_t dsa_cache_seqlen(const DsaCase& c, int64_t request) {
  const uint64_t added =
      c.mode == DsaMode::kTargetVerify ? static_cast<uint64_t>(c.next_n) : uint64_t{0};
  return cut(seq_of(c, request) + added);
}

int32_t dsa_row_len(const DsaCase& c, int64_t request, int64_t j) {
  if (c.mode == DsaMode::kDecode) return cut(seq_of(c, request));
  uint64_t len = seq_of(c, request) + static_cast<uint64_t>(j) + 1;
  if (c.mode == DsaMode::kDraftExtend) {
    len -= static_cast<uint64_t>(dsa_rows_of_request(c, request));
  }
  if (c.expanded_min == DsaExpandedMin::kNone) return cut(len);
  return std::max(cut(len), c.expanded_min == DsaExpandedMin::kZero ? 0 : 1);
}

int64_t dsa_live_columns(const DsaCase& c, int64_t request) {
  return std::clamp<int64_t>(dsa_cache_seqlen(c, request), 0, c.max_len);
}

std::optional<std::string> walk_dsa(const Case& c, const Outputs& outputs) {
  return Walk(c, outputs).run();
}

}  // namespace bytegate
