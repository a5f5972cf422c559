#include "properties/dsa_classes.h"

#include <array>

#include "properties/dsa_axes.h"
#include "properties/dsa_facts.h"

namespace bytegate {
namespace {

// Whether the offset of a row that is read or written does not fit 32 bits, with or without a sign.
bool reaches_past_32_bits(const DsaFacts& facts, int tensor, int64_t last_row) {
  const Tensor& table = facts.c.tensors[static_cast<size_t>(tensor)];
  if (!table.present || facts.view.max_len == 0 || last_row <= 0) return false;
  return table.strides[0] > int64_t{UINT32_MAX} / last_row;
}

bool copies_in_batches(const DsaFacts& facts) {
  constexpr int64_t kManyElements = int64_t{1} << 18;
  const Tensor& to = facts.c.tensors[static_cast<size_t>(facts.view.tensors.page_table)];
  const Tensor& from = facts.c.tensors[static_cast<size_t>(facts.view.tensors.req_to_token)];
  return to.present && facts.view.num_rows * facts.view.max_len > kManyElements &&
         facts.view.tail == DsaTail::kFull && from.strides[1] == 1 && from.strides[0] % 4 == 0 &&
         to.strides[0] % 4 == 0;
}

bool has_wider_table(const DsaFacts& facts) {
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
  bool (*member)(const DsaFacts&);
};

constexpr int64_t kTile = 2048;

bool is_beside(int64_t value, int64_t edge) {
  return value >= edge - 1 && value <= edge + 1;
}

constexpr std::array kClasses = {
    Class{"empty batch", kAll, kAnyEntry,
          [](const DsaFacts& f) { return f.view.num_requests == 0; }},
    Class{"requests without any row", kExtend, kAnyEntry,
          [](const DsaFacts& f) { return f.view.num_requests > 0 && f.view.num_rows == 0; }},
    Class{"request without rows among others", kExtend, kAnyEntry,
          [](const DsaFacts& f) { return f.request_without_rows && f.view.num_rows > 0; }},
    Class{"more than 1024 requests", kAll, kAnyEntry,
          [](const DsaFacts& f) { return f.view.num_requests > 1024; }},
    Class{"more than 2048 requests", kAll, kAnyEntry,
          [](const DsaFacts& f) { return f.view.num_requests > kTile; }},
    Class{"more than 1024 rows", kAll, kAnyEntry,
          [](const DsaFacts& f) { return f.view.num_rows > 1024; }},
    Class{"more than 2048 rows", kAll, kAnyEntry,
          [](const DsaFacts& f) { return f.view.num_rows > kTile; }},
    Class{"requests around a warp", kAll, kAnyEntry,
          [](const DsaFacts& f) { return is_beside(f.view.num_requests, 32); }},
    Class{"requests at the edge of a block", kAll, kAnyEntry,
          [](const DsaFacts& f) {
            return is_beside(f.view.num_requests, 128) || is_beside(f.view.num_requests, 256) ||
                   is_beside(f.view.num_requests, 1024);
          }},
    Class{"length past int32 in int64", kAll, kAnyEntry,
          [](const DsaFacts& f) { return f.beyond_int32; }},
    Class{"length that wraps", kVerify, kFreeLens,
          [](const DsaFacts& f) { return f.length_wraps; }},
    Class{"sum that wraps", kAll, kAnyEntry, [](const DsaFacts& f) { return f.sum_wraps; }},
    Class{"negative row length", kAll, kFreeLens, [](const DsaFacts& f) { return f.negative_row; }},
    Class{"row raised by expanded_min", kRows, kAnyEntry,
          [](const DsaFacts& f) { return f.raised_row; }},
    Class{"row of topk tokens", kAll, kAnyEntry, [](const DsaFacts& f) { return f.row_of_topk; }},
    Class{"padding request", kAll, kAnyEntry, [](const DsaFacts& f) { return f.padding_request; }},
    Class{"bucket padded at its end", kAll, kAnyEntry,
          [](const DsaFacts& f) { return f.padded_bucket; }},
    Class{"pool row used twice", kAll, kAnyEntry,
          [](const DsaFacts& f) { return f.repeated_pool_row; }},
    Class{"page beyond 2^16 slots", kAll, kAnyEntry,
          [](const DsaFacts& f) { return f.view.page_size > int64_t{1} << 16; }},
    Class{"negative slot where a page begins", kAll, kAnyEntry,
          [](const DsaFacts& f) { return f.negative_slot; }},
    Class{"columns left open by tail", kAll, kAnyEntry,
          [](const DsaFacts& f) { return f.dead_columns; }},
    Class{"table wider than max_len", kAll, kBuffers, has_wider_table},
    Class{"input row offset past 32 bits", kAll, kAnyEntry,
          [](const DsaFacts& f) {
            return reaches_past_32_bits(f, f.view.tensors.req_to_token, f.last_pool_row);
          }},
    Class{"output row offset past 32 bits", kAll, kBuffers,
          [](const DsaFacts& f) {
            return reaches_past_32_bits(f, f.view.tensors.page_table, f.view.num_rows - 1) ||
                   reaches_past_32_bits(f, f.view.tensors.real_page_table, f.view.num_rows - 1);
          }},
    Class{"a quarter of a million slots in rows of whole int4", kAll, kAnyEntry, copies_in_batches},
    Class{"forced path", kAll, kAnyEntry,
          [](const DsaFacts& f) { return !f.c.forced_path.empty(); }},
    Class{"replayed with other inputs", kAll, kAnyEntry,
          [](const DsaFacts& f) { return !f.c.later_steps.empty(); }},
    Class{"1,000 replays in a row", kAll, kRefresh,
          [](const DsaFacts& f) { return f.c.later_steps.size() >= 1000; }},
};

bool applies(const Class& boundary, const Op& op) {
  const DsaDescription& description = describe_dsa(op);
  return (boundary.modes >> static_cast<unsigned>(description.mode) & 1u) != 0 &&
         (boundary.entries >> static_cast<unsigned>(description.entry) & 1u) != 0;
}

}  // namespace

std::vector<std::string_view> dsa_classes(const Op& op) {
  std::vector<std::string_view> names = dsa_axis_classes(op);
  for (const Class& boundary : kClasses) {
    if (applies(boundary, op)) names.push_back(boundary.name);
  }
  return names;
}

std::vector<int> classify_dsa(const Case& c) {
  const DsaFacts facts = dsa_facts_of(c);
  std::vector<int> members = classify_dsa_axes(facts);
  int idx = static_cast<int>(dsa_axis_classes(*c.op).size());
  for (const Class& boundary : kClasses) {
    if (!applies(boundary, *c.op)) continue;
    if (boundary.member(facts)) members.push_back(idx);
    ++idx;
  }
  return members;
}

}  // namespace bytegate
