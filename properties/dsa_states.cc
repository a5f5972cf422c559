#include "properties/dsa_states.h"

#include <algorithm>
#include <array>

#include "oracles/dsa_metadata.h"

namespace bytegate {
namespace {

enum State : int {
  kRowNegative,    // a length below 0
  kRowEmpty,       // no token
  kRowOfOne,       // one token
  kRowBelowTopk,   // as long as it is
  kRowOfTopk,      // exactly topk tokens
  kRowCut,         // cut to topk
  kNoPage,         // reads no column
  kPagesWhole,     // of whole pages
  kPagePartial,    // the last page in part
  kPagesAll,       // all columns that there are
  kPagesBeyond,    // longer than there are columns
  kSlotUnused,     // a page of -1 among those read
  kSlotNegative,   // one below that
  kPagesRepeated,  // two neighbours are the same page
  kPagesDescend,   // the next page lies before
  kRequestSwitch,  // the row is the first of its request
  kSumWraps,       // the sum of lengths passes int32 here
  kNumStates,
};

constexpr std::array<std::string_view, kNumStates> kNames = {
    "row of negative length",    "row of no token",
    "row of one token",          "row below topk",
    "row of exactly topk",       "row cut to topk",
    "row reads no page",         "row ends with a page",
    "row ends inside a page",    "row reads all columns",
    "row longer than the table", "row reads an unused slot",
    "row reads a negative page", "row reads a page twice",
    "row reads pages downwards", "row begins a request",
    "sum of rows wraps"};

constexpr int64_t kMaxRows = 64;
constexpr int64_t kMaxPages = 64;

class Walk {
 public:
  Walk(const Case& c, const Outputs& outputs) : c_(view_dsa(c)), outputs_(outputs) {}

  std::vector<int> states() {
    int64_t row = 0;
    for (int64_t request = 0; request < c_.num_requests; ++request) {
      const int64_t num_rows = dsa_rows_of_request(c_, request);
      for (int64_t j = 0; j < num_rows && row < kMaxRows; ++j, ++row) {
        if (j == 0) states_.push_back(kRequestSwitch);
        add_row(row);
      }
      if (row >= kMaxRows) break;
    }
    return std::move(states_);
  }

 private:
  void add_row(int64_t row) {
    const int expanded =
        c_.tensors.seqlens_expanded >= 0 ? c_.tensors.seqlens_expanded : c_.tensors.cache_seqlens;
    const int64_t len = outputs_[static_cast<size_t>(expanded)].at(row);
    add_length(len);
    const Elements& sums = outputs_[static_cast<size_t>(c_.tensors.dsa_cu_seqlens_k)];
    const int64_t cut = std::min(len, c_.topk);
    if (sums.at(row + 1) != sums.at(row) + cut) states_.push_back(kSumWraps);
    add_pages(row, len);
  }

  void add_length(int64_t len) {
    if (len < 0) {
      states_.push_back(kRowNegative);
    } else if (len < 2) {
      states_.push_back(len == 0 ? kRowEmpty : kRowOfOne);
    }
    states_.push_back(len > c_.topk ? kRowCut : len == c_.topk ? kRowOfTopk : kRowBelowTopk);
  }

  // Of the table that attention reads: by pages, where there are any.
  void add_pages(int64_t row, int64_t len) {
    const bool paged = c_.page_size > 1;
    const int tensor = paged ? c_.tensors.real_page_table : c_.tensors.page_table;
    const Elements& table = outputs_[static_cast<size_t>(tensor)];
    const int64_t columns = std::clamp<int64_t>(len, 0, c_.max_len);
    if (len > c_.max_len) states_.push_back(kPagesBeyond);
    if (columns == 0 || table.size() == 0) {
      states_.push_back(kNoPage);
      return;
    }
    if (columns == c_.max_len) states_.push_back(kPagesAll);
    states_.push_back(columns % c_.page_size == 0 ? kPagesWhole : kPagePartial);
    const int64_t width = dsa_num_pages(c_.max_len, c_.page_size);
    const int64_t num_read = std::min(dsa_num_pages(columns, c_.page_size), kMaxPages);
    add_page_order(table, row * width, num_read);
  }

  void add_page_order(const Elements& table, int64_t first, int64_t num_read) {
    bool unused = false;
    bool negative = false;
    bool repeated = false;
    bool descend = false;
    for (int64_t i = first; i < first + num_read; ++i) {
      const int64_t page = table.at(i);
      unused = unused || page == -1;
      negative = negative || page < -1;
      if (i == first) continue;
      repeated = repeated || page == table.at(i - 1);
      descend = descend || page < table.at(i - 1);
    }
    if (unused) states_.push_back(kSlotUnused);
    if (negative) states_.push_back(kSlotNegative);
    if (repeated) states_.push_back(kPagesRepeated);
    if (descend) states_.push_back(kPagesDescend);
  }

  DsaCase c_;
  const Outputs& outputs_;
  std::vector<int> states_;
};

}  // namespace

std::vector<std::string_view> dsa_states() {
  return {kNames.begin(), kNames.end()};
}

std::vector<int> walk_dsa_states(const Case& c, const Outputs& outputs) {
  return Walk(c, outputs).states();
}

}  // namespace bytegate
