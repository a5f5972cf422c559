#include "properties/dsa_classes.h"

#include <algorithm>
#include <array>

#include "oracles/dsa_walker.h"

namespace bytegate {
namespace {

// What the classes ask for, collected in one pass over the requests.
struct Facts {
  const Case& c;
  DsaCase view;
  bool beyond_int32 = false;     // an int64 length
  bool length_wraps = false;     // seq + next_n
  bool sum_wraps = false;        // of cache_seqlens
  bool negative_row = false;     // x[e] < 0
  bool raised_row = false;       // by expanded_min
  bool topk_cuts = false;        // x[e] > topk
  bool padding_request = false;  // seq 0 or 1
  bool padded_bucket = false;    // by the last request, in pool row 0 unlike the first
  bool repeated_pool_row = false;
  bool request_without_rows = false;
  bool negative_slot = false;  // that begins a page, but is no first slot of one
  int64_t last_pool_row = -1;  // of those that are copied
  bool dead_columns = false;   // tail = live leaves some open
};

void add_rows(Facts& facts, int64_t request) {
  const DsaCase& c = facts.view;
  const int64_t num_rows = dsa_rows_of_request(c, request);
  facts.request_without_rows |= num_rows == 0;
  if (num_rows == 0) return;
  const int64_t pool_row = c.req_pool_indices->at(request);
  facts.last_pool_row = std::max(facts.last_pool_row, pool_row);
  for (int64_t column = 0; column < c.max_len && c.page_size > 1; column += c.page_size) {
    const int32_t slot = c.req_to_token[static_cast<size_t>(pool_row * c.num_columns + column)];
    // Where a division towards zero and a floor differ.
    facts.negative_slot |= slot < 0 && slot % c.page_size != 0;
  }
  // Rows of a request ascend by one, unless they wrap.
  for (const int64_t j : {int64_t{0}, num_rows - 1}) {
    const int32_t len = dsa_row_len(c, request, j);
    facts.negative_row |= len < 0;
    facts.topk_cuts |= len > c.topk;
    DsaCase free = c;
    free.expanded_min = DsaExpandedMin::kNone;
    facts.raised_row |= dsa_row_len(free, request, j) < len;
  }
}

void add_request(Facts& facts, int64_t request) {
  const DsaCase& c = facts.view;
  const int64_t seq = c.seq_lens->at(request);
  const int32_t cut = static_cast<int32_t>(static_cast<uint32_t>(seq));
  const int32_t cache_len = dsa_cache_seqlen(c, request);
  facts.beyond_int32 |= seq != cut;
  facts.length_wraps |= cache_len < cut;
  facts.padding_request |= seq == 0 || seq == 1;
  facts.dead_columns |= c.tail == DsaTail::kLive && dsa_live_columns(c, request) < c.max_len;
  add_rows(facts, request);
}

Facts facts_of(const Case& c) {
  Facts facts = {.c = c, .view = view_dsa(c)};
  int64_t sum = 0;
  std::vector<int64_t> pool_rows;
  for (int64_t b = 0; b < facts.view.num_requests; ++b) {
    add_request(facts, b);
    sum += dsa_cache_seqlen(facts.view, b);
    facts.sum_wraps |= sum > INT32_MAX || sum < INT32_MIN;
    if (dsa_rows_of_request(facts.view, b) == 0) continue;
    pool_rows.push_back(facts.view.req_pool_indices->at(b));
  }
  if (pool_rows.size() > 1 && pool_rows.front() != 0 && pool_rows.back() == 0) {
    const int64_t last = facts.view.seq_lens->at(facts.view.num_requests - 1);
    facts.padded_bucket = last == 0 || last == 1;
  }
  std::sort(pool_rows.begin(), pool_rows.end());
  facts.repeated_pool_row =
      std::adjacent_find(pool_rows.begin(), pool_rows.end()) != pool_rows.end();
  return facts;
}

// Whether the offset of a row that is read or written does not fit 32 bits, with or without a sign.
bool reaches_past_32_bits(const Facts& facts, int tensor, int64_t last_row) {
  const Tensor& table = facts.c.tensors[static_cast<size_t>(tensor)];
  if (!table.present || facts.view.max_len == 0 || last_row <= 0) return false;
  return table.strides[0] > int64_t{UINT32_MAX} / last_row;
}

bool copies_in_batches(const Facts& facts) {
  constexpr int64_t kManyElements = int64_t{1} << 18;
  const Tensor& to = facts.c.tensors[static_cast<size_t>(facts.view.tensors.page_table)];
  const Tensor& from = facts.c.tensors[static_cast<size_t>(facts.view.tensors.req_to_token)];
  return to.present && facts.view.num_rows * facts.view.max_len > kManyElements &&
         facts.view.tail == DsaTail::kFull && from.strides[1] == 1 && from.strides[0] % 4 == 0 &&
         to.strides[0] % 4 == 0;
}

bool has_wider_table(const Facts& facts) {
  const DsaDims& dims = describe_dsa(*facts.c.op).dims;
  return facts.c.dims[static_cast<size_t>(dims.page_table_width)] > facts.view.max_len;
}

enum Modes : unsigned {
  kDecode = 1,
  kVerify = 2,
  kExtend = 4,
  kRows = kVerify | kExtend,
  kAll = kDecode | kRows,
};

enum Entries : unsigned {
  kMetadata = 1,
  kPrecompute = 2,
  kRefresh = 4,
  kBuffers = kMetadata | kRefresh,      // that the caller lays out
  kFreeLens = kMetadata | kPrecompute,  // may be negative
  kAnyEntry = kBuffers | kPrecompute,
};

struct Class {
  std::string_view name;
  unsigned modes;
  unsigned entries;
  bool (*member)(const Facts&);
};

constexpr int64_t kTile = 2048;

constexpr std::array kClasses = {
    Class{"empty batch", kAll, kAnyEntry, [](const Facts& f) { return f.view.num_requests == 0; }},
    Class{"requests without any row", kExtend, kAnyEntry,
          [](const Facts& f) { return f.view.num_requests > 0 && f.view.num_rows == 0; }},
    Class{"request without rows among others", kExtend, kAnyEntry,
          [](const Facts& f) { return f.request_without_rows && f.view.num_rows > 0; }},
    Class{"more than 1024 requests", kAll, kAnyEntry,
          [](const Facts& f) { return f.view.num_requests > 1024; }},
    Class{"more than 2048 requests", kAll, kAnyEntry,
          [](const Facts& f) { return f.view.num_requests > kTile; }},
    Class{"more than 1024 rows", kAll, kAnyEntry,
          [](const Facts& f) { return f.view.num_rows > 1024; }},
    Class{"more than 2048 rows", kAll, kAnyEntry,
          [](const Facts& f) { return f.view.num_rows > kTile; }},
    Class{"odd next_n above 1", kVerify, kAnyEntry,
          [](const Facts& f) { return f.view.next_n > 1 && f.view.next_n % 2 == 1; }},
    Class{"length past int32 in int64", kAll, kAnyEntry,
          [](const Facts& f) { return f.beyond_int32; }},
    Class{"length that wraps", kVerify, kFreeLens, [](const Facts& f) { return f.length_wraps; }},
    Class{"sum that wraps", kAll, kAnyEntry, [](const Facts& f) { return f.sum_wraps; }},
    Class{"negative row length", kAll, kFreeLens, [](const Facts& f) { return f.negative_row; }},
    Class{"row raised by expanded_min", kRows, kAnyEntry,
          [](const Facts& f) { return f.raised_row; }},
    Class{"row cut by topk", kAll, kAnyEntry, [](const Facts& f) { return f.topk_cuts; }},
    Class{"padding request", kAll, kAnyEntry, [](const Facts& f) { return f.padding_request; }},
    Class{"bucket padded at its end", kAll, kAnyEntry,
          [](const Facts& f) { return f.padded_bucket; }},
    Class{"pool row used twice", kAll, kAnyEntry,
          [](const Facts& f) { return f.repeated_pool_row; }},
    Class{"no column", kAll, kAnyEntry, [](const Facts& f) { return f.view.max_len == 0; }},
    Class{"max_len off the page grid", kAll, kAnyEntry,
          [](const Facts& f) {
            return f.view.page_size > 1 && f.view.max_len % f.view.page_size != 0;
          }},
    Class{"max_len below one page", kAll, kAnyEntry,
          [](const Facts& f) { return f.view.max_len > 0 && f.view.max_len < f.view.page_size; }},
    Class{"negative slot where a page begins", kAll, kAnyEntry,
          [](const Facts& f) { return f.negative_slot && f.view.page_size > 1; }},
    Class{"columns left open by tail", kAll, kAnyEntry,
          [](const Facts& f) { return f.dead_columns; }},
    Class{"table wider than max_len", kAll, kBuffers, has_wider_table},
    Class{"input row offset past 32 bits", kAll, kAnyEntry,
          [](const Facts& f) {
            return reaches_past_32_bits(f, f.view.tensors.req_to_token, f.last_pool_row);
          }},
    Class{"output row offset past 32 bits", kAll, kBuffers,
          [](const Facts& f) {
            return reaches_past_32_bits(f, f.view.tensors.page_table, f.view.num_rows - 1) ||
                   reaches_past_32_bits(f, f.view.tensors.real_page_table, f.view.num_rows - 1);
          }},
    Class{"a quarter of a million slots in rows of whole int4", kAll, kAnyEntry, copies_in_batches},
    Class{"forced path", kAll, kAnyEntry, [](const Facts& f) { return !f.c.forced_path.empty(); }},
    Class{"replayed with other inputs", kAll, kAnyEntry,
          [](const Facts& f) { return !f.c.later_steps.empty(); }},
    Class{"1,000 replays in a row", kAll, kRefresh,
          [](const Facts& f) { return f.c.later_steps.size() >= 1000; }},
};

bool applies(const Class& boundary, const Op& op) {
  const DsaDescription& description = describe_dsa(op);
  return (boundary.modes >> static_cast<unsigned>(description.mode) & 1u) != 0 &&
         (boundary.entries >> static_cast<unsigned>(description.entry) & 1u) != 0;
}

}  // namespace

std::vector<std::string_view> dsa_classes(const Op& op) {
  std::vector<std::string_view> names;
  for (const Class& boundary : kClasses) {
    if (applies(boundary, op)) names.push_back(boundary.name);
  }
  return names;
}

std::vector<int> classify_dsa(const Case& c) {
  const Facts facts = facts_of(c);
  std::vector<int> members;
  int idx = 0;
  for (const Class& boundary : kClasses) {
    if (!applies(boundary, *c.op)) continue;
    if (boundary.member(facts)) members.push_back(idx);
    ++idx;
  }
  return members;
}

}  // namespace bytegate
