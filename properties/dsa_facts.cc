#include "properties/dsa_facts.h"

#include <algorithm>
#include <vector>

#include "oracles/dsa_walker.h"

namespace bytegate {
namespace {

int32_t cut(int64_t len) {
  return static_cast<int32_t>(static_cast<uint32_t>(len));
}

class Collector {
 public:
  explicit Collector(const Case& c)
      : facts_{.c = c, .view = view_dsa(c)},
        seen_(static_cast<size_t>(facts_.view.num_pool_rows)) {}

  DsaFacts collect() {
    const DsaCase& c = facts_.view;
    int64_t sum = 0;
    for (int64_t b = 0; b < c.num_requests; ++b) {
      add_request(b);
      sum += dsa_cache_seqlen(c, b);
      facts_.sum_wraps |= sum > INT32_MAX || sum < INT32_MIN;
    }
    if (num_served_ > 1 && first_pool_row_ != 0 && last_pool_row_ == 0) {
      const int64_t last = c.seq_lens->at(c.num_requests - 1);
      facts_.padded_bucket = last == 0 || last == 1;
    }
    return facts_;
  }

 private:
  void add_request(int64_t request) {
    const DsaCase& c = facts_.view;
    const int64_t seq = c.seq_lens->at(request);
    facts_.beyond_int32 |= seq != cut(seq);
    facts_.length_wraps |= dsa_cache_seqlen(c, request) < cut(seq);
    facts_.padding_request |= seq == 0 || seq == 1;
    facts_.dead_columns |= c.tail == DsaTail::kLive && dsa_live_columns(c, request) < c.max_len;
    const int64_t num_rows = dsa_rows_of_request(c, request);
    facts_.request_without_rows |= num_rows == 0;
    facts_.equal_extends &= num_rows == dsa_rows_of_request(c, 0);
    if (num_rows == 0) return;
    facts_.served_beyond_int32 |= seq != cut(seq);
    facts_.lowest_len = std::min(facts_.lowest_len, cut(seq));
    facts_.highest_len = std::max(facts_.highest_len, cut(seq));
    add_row_lens(request, num_rows);
    add_pool_row(c.req_pool_indices->at(request));
  }

  // Rows of a request ascend by one, unless they wrap: the first and the last one tell.
  void add_row_lens(int64_t request, int64_t num_rows) {
    const DsaCase& c = facts_.view;
    DsaCase free = c;
    free.expanded_min = DsaExpandedMin::kNone;
    const int32_t first = dsa_row_len(c, request, 0);
    const int32_t last = dsa_row_len(c, request, num_rows - 1);
    facts_.row_of_topk |= first <= c.topk && c.topk <= last;
    for (const int64_t j : {int64_t{0}, num_rows - 1}) {
      const int32_t len = j == 0 ? first : last;
      facts_.negative_row |= len < 0;
      facts_.topk_cuts |= len > c.topk;
      facts_.topk_spares |= len <= c.topk;
      facts_.raised_row |= dsa_row_len(free, request, j) < len;
    }
  }

  void add_pool_row(int64_t pool_row) {
    const DsaCase& c = facts_.view;
    if (num_served_++ == 0) first_pool_row_ = pool_row;
    last_pool_row_ = pool_row;
    facts_.last_pool_row = std::max(facts_.last_pool_row, pool_row);
    if (seen_[static_cast<size_t>(pool_row)]) {
      facts_.repeated_pool_row = true;
      return;
    }
    seen_[static_cast<size_t>(pool_row)] = true;
    for (int64_t column = 0; column < c.max_len; column += c.page_size) {
      const int32_t slot = c.req_to_token[static_cast<size_t>(pool_row * c.num_columns + column)];
      facts_.lowest_slot = std::min(facts_.lowest_slot, slot);
      facts_.highest_slot = std::max(facts_.highest_slot, slot);
      // Where a division towards zero and a floor differ.
      facts_.negative_slot |= slot < 0 && c.page_size > 1 && slot % c.page_size != 0;
    }
  }

  DsaFacts facts_;
  std::vector<bool> seen_;  // pool rows
  int64_t num_served_ = 0;
  int64_t first_pool_row_ = 0;
  int64_t last_pool_row_ = 0;
};

}  // namespace

DsaFacts dsa_facts_of(const Case& c) {
  return Collector(c).collect();
}

}  // namespace bytegate
