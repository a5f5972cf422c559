#include "properties/dsa_relations.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "properties/dsa_requests.h"
#include "properties/same_outputs.h"
#include "properties/schedule_starts.h"

namespace bytegate {
namespace {

using Broken = std::optional<std::string>;
using Values = DsaSaid::Values;

constexpr size_t kMaxRequests = size_t{1} << 20;  // of a batch that grows

// Of a change that leaves the contract where it may.
std::optional<Case> if_valid(Case c) {
  if (invalid_reason(c)) return std::nullopt;
  return c;
}

// Both cases and what is said of them.
struct Both {
  Both(const Case& c, const Outputs& outputs, const Case& related, const Outputs& related_outputs)
      : before(c, outputs),
        after(related, related_outputs),
        requests(dsa_requests_of(c)),
        related_requests(dsa_requests_of(related)) {}

  // Where the second batch first has another request.
  [[nodiscard]] int64_t place() const {
    const auto end =
        requests.begin() + std::min(std::ssize(requests), std::ssize(related_requests));
    return std::mismatch(requests.begin(), end, related_requests.begin()).first - requests.begin();
  }

  DsaSaid before;
  DsaSaid after;
  DsaRequests requests;
  DsaRequests related_requests;
};

// Sums of `after` that are `offset` more than those of `before`, `count` of them.
struct Shift {
  const char* name = "";
  int64_t first_before = 0;
  int64_t first_after = 0;
  int64_t count = 0;
  int32_t offset = 0;
};
Broken shifted(const Shift& shift, Values before, Values after) {
  for (int64_t i = 0; i < shift.count; ++i) {
    const size_t at = static_cast<size_t>(shift.first_after + i);
    const int32_t expect =
        wrapping_add(before[static_cast<size_t>(shift.first_before + i)], shift.offset);
    if (after[at] == expect) continue;
    return std::string(shift.name) + "[" + std::to_string(at) + "] becomes " +
           std::to_string(after[at]) + ", must become " + std::to_string(expect);
  }
  return std::nullopt;
}

int32_t sum_of(Values lens) {
  return std::accumulate(lens.begin(), lens.end(), int32_t{0}, wrapping_add);
}

// ---- one request more

Broken sums_with_one_more(const Both& both, int64_t place) {
  const DsaSaid& before = both.before;
  const DsaSaid& after = both.after;
  const int64_t num_after = before.num_requests() - place;
  const int32_t len = after.request_lens()[static_cast<size_t>(place)];
  if (auto broken = shifted({"cu_seqlens_k", 0, 0, place + 1, 0}, before.request_sums(),
                            after.request_sums())) {
    return broken;
  }
  if (auto broken = shifted({"cu_seqlens_k", place, place + 1, num_after + 1, len},
                            before.request_sums(), after.request_sums())) {
    return broken;
  }
  const int64_t row = after.first_row_of(place);
  const int64_t added = after.rows_of(place);
  const int32_t rows_len =
      sum_of(after.row_lens().subspan(static_cast<size_t>(row), static_cast<size_t>(added)));
  if (auto broken =
          shifted({"dsa_cu_seqlens_k", 0, 0, row + 1, 0}, before.row_sums(), after.row_sums())) {
    return broken;
  }
  return shifted({"dsa_cu_seqlens_k", row, row + added, before.num_rows() - row + 1, rows_len},
                 before.row_sums(), after.row_sums());
}

Broken one_more(const Both& both) {
  const int64_t place = both.place();
  // The last row of a schedule names the row behind all others.
  const Values schedule = both.before.schedule();
  if (!schedule.empty() && both.after.schedule()[schedule.size() - 2] !=
                               schedule[schedule.size() - 2] + both.after.rows_of(place)) {
    return "the end of the schedule does not move by the rows of a request";
  }
  for (int64_t b = 0; b < both.before.num_requests(); ++b) {
    if (auto differs = both.before.request_differs(b, both.after, b < place ? b : b + 1)) {
      return differs;
    }
  }
  return sums_with_one_more(both, place);
}

DsaRequests with_one_more(DsaRequests requests, int64_t place, const DsaRequest& added) {
  requests.insert(requests.begin() + place, added);
  return requests;
}

std::optional<Case> duplicate_request(const Case& c, Draw& draw) {
  const DsaRequests requests = dsa_requests_of(c);
  if (requests.empty() || requests.size() >= kMaxRequests) return std::nullopt;
  const int64_t b = draw.between(0, std::ssize(requests) - 1);
  return with_dsa_requests(c, with_one_more(requests, b + 1, requests[static_cast<size_t>(b)]));
}

Broken duplicate_broken(const Case& c, const Outputs& outputs, const Case& related,
                        const Outputs& related_outputs) {
  const Both both(c, outputs, related, related_outputs);
  const int64_t place = both.place();
  if (auto differs = both.before.request_differs(place - 1, both.after, place)) return differs;
  return one_more(both);
}

// Without a row in draft_extend, without a token in decode.
std::optional<Case> insert_empty_request(const Case& c, Draw& draw) {
  const DsaCase view = view_dsa(c);
  const DsaRequests requests = dsa_requests_of(c);
  if (view.num_pool_rows == 0 || requests.size() >= kMaxRequests) return std::nullopt;
  const bool decode = view.mode == DsaMode::kDecode;
  const DsaRequest empty = {
      .seq = decode ? 0 : static_cast<int32_t>(static_cast<uint32_t>(draw.bits())),
      .pool_row = draw.between(0, view.num_pool_rows - 1),
      .num_rows = decode ? 1 : 0};
  const int64_t place = draw.between(0, std::ssize(requests));
  return with_dsa_requests(c, with_one_more(requests, place, empty));
}

Broken empty_request_broken(const Case& c, const Outputs& outputs, const Case& related,
                            const Outputs& related_outputs) {
  const Both both(c, outputs, related, related_outputs);
  if (auto broken = one_more(both)) return broken;
  if (both.before.schedule().empty()) return std::nullopt;
  // A start at its row or later moves with that row; in draft_extend there is none.
  const int64_t place = both.place();
  std::vector<int32_t> expect(both.before.schedule().begin(), both.before.schedule().end());
  for (size_t i = 0; i < expect.size(); i += 2) {
    if (expect[i] >= both.after.first_row_of(place)) {
      expect[i] += static_cast<int32_t>(both.after.rows_of(place));
    }
  }
  return different_row(expect, both.after.schedule());
}

// ---- the same requests, fewer of them, in another order

std::optional<Case> permute_requests(const Case& c, Draw& draw) {
  DsaRequests requests = dsa_requests_of(c);
  for (size_t i = requests.size(); i > 1; --i) {
    const int64_t other = draw.between(0, static_cast<int64_t>(i) - 1);
    std::swap(requests[i - 1], requests[static_cast<size_t>(other)]);
  }
  if (requests == dsa_requests_of(c)) return std::nullopt;
  return with_dsa_requests(c, requests);
}

// The indices of the requests, equal ones side by side.
std::vector<int64_t> sorted_order(const DsaRequests& requests) {
  std::vector<int64_t> order(requests.size());
  std::iota(order.begin(), order.end(), int64_t{0});
  std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    return requests[static_cast<size_t>(a)] < requests[static_cast<size_t>(b)];
  });
  return order;
}

Broken permuted_schedule(const Both& both, DsaMode mode) {
  const DsaSaid& before = both.before;
  const DsaSaid& after = both.after;
  if (before.schedule().empty()) return std::nullopt;
  const bool by_row = mode != DsaMode::kDecode;
  const auto starts =
      schedule_starts(by_row ? before.expanded_lens() : before.request_lens(), before.schedule());
  const auto related =
      schedule_starts(by_row ? after.expanded_lens() : after.request_lens(), after.schedule());
  if (!starts || !related) return "a row of the schedule lies outside its batch";
  return different_start(*starts, *related);
}

Broken permuted(const Case& c, const Outputs& outputs, const Case& related,
                const Outputs& related_outputs) {
  const Both both(c, outputs, related, related_outputs);
  const std::vector<int64_t> order = sorted_order(both.requests);
  const std::vector<int64_t> related_order = sorted_order(both.related_requests);
  for (size_t i = 0; i < order.size(); ++i) {
    if (auto differs = both.before.request_differs(order[i], both.after, related_order[i])) {
      return differs;
    }
  }
  if (both.before.request_sums().back() != both.after.request_sums().back() ||
      both.before.row_sums().back() != both.after.row_sums().back()) {
    return "the last of the sums changes";
  }
  return permuted_schedule(both, describe_dsa(*c.op).mode);
}

std::optional<Case> first_requests(const Case& c, Draw& draw) {
  DsaRequests requests = dsa_requests_of(c);
  if (requests.empty()) return std::nullopt;
  requests.resize(static_cast<size_t>(draw.between(0, std::ssize(requests) - 1)));
  return with_dsa_requests(c, requests);
}

std::optional<Case> last_requests(const Case& c, Draw& draw) {
  DsaRequests requests = dsa_requests_of(c);
  if (requests.empty()) return std::nullopt;
  requests.erase(requests.begin(), requests.begin() + draw.between(1, std::ssize(requests)));
  return with_dsa_requests(c, requests);
}

// A part of the batch that begins at request `first`.
Broken part_broken(const Both& both, int64_t first) {
  const DsaSaid& before = both.before;
  const DsaSaid& after = both.after;
  for (int64_t b = 0; b < after.num_requests(); ++b) {
    if (auto differs = before.request_differs(first + b, after, b)) return differs;
  }
  const int32_t requests_before = before.request_sums()[static_cast<size_t>(first)];
  if (auto broken = shifted(
          {"cu_seqlens_k", first, 0, after.num_requests() + 1, wrapping_add(~requests_before, 1)},
          before.request_sums(), after.request_sums())) {
    return broken;
  }
  const int64_t row = before.first_row_of(first);
  const int32_t rows_before = before.row_sums()[static_cast<size_t>(row)];
  return shifted({"dsa_cu_seqlens_k", row, 0, after.num_rows() + 1, wrapping_add(~rows_before, 1)},
                 before.row_sums(), after.row_sums());
}

Broken first_broken(const Case& c, const Outputs& outputs, const Case& related,
                    const Outputs& related_outputs) {
  return part_broken(Both(c, outputs, related, related_outputs), 0);
}

Broken last_broken(const Case& c, const Outputs& outputs, const Case& related,
                   const Outputs& related_outputs) {
  const Both both(c, outputs, related, related_outputs);
  return part_broken(both, both.before.num_requests() - both.after.num_requests());
}

// ---- one row more

std::optional<Case> longer_extend(const Case& c, Draw& draw) {
  DsaRequests requests = dsa_requests_of(c);
  if (requests.empty()) return std::nullopt;
  ++requests[static_cast<size_t>(draw.between(0, std::ssize(requests) - 1))].num_rows;
  return if_valid(with_dsa_requests(c, requests));
}

// The new row is the first of its request; the others stay what they are.
Broken longer_extend_broken(const Case& c, const Outputs& outputs, const Case& related,
                            const Outputs& related_outputs) {
  const Both both(c, outputs, related, related_outputs);
  const int64_t place = both.place();
  const int64_t row = both.before.first_row_of(place);
  for (int64_t e = 0; e < both.before.num_rows(); ++e) {
    if (auto differs = both.before.row_differs(e, both.after, e < row ? e : e + 1)) return differs;
  }
  if (auto broken = shifted({"dsa_cu_seqlens_k", 0, 0, row + 1, 0}, both.before.row_sums(),
                            both.after.row_sums())) {
    return broken;
  }
  if (auto broken = shifted({"dsa_cu_seqlens_k", row, row + 1, both.before.num_rows() - row + 1,
                             both.after.row_lens()[static_cast<size_t>(row)]},
                            both.before.row_sums(), both.after.row_sums())) {
    return broken;
  }
  const int64_t num_requests = both.before.num_requests();
  if (auto broken = shifted({"cache_seqlens", 0, 0, num_requests, 0}, both.before.request_lens(),
                            both.after.request_lens())) {
    return broken;
  }
  return shifted({"cu_seqlens_k", 0, 0, num_requests + 1, 0}, both.before.request_sums(),
                 both.after.request_sums());
}

std::optional<Case> one_draft_more(const Case& c, Draw&) {
  Case made = c;
  ++made.scalars[static_cast<size_t>(describe_dsa(*c.op).scalars.next_n)];
  fit_tensors(made);
  return if_valid(std::move(made));
}

// Every request gets a row at its end and a token; tail = live may then state a column more.
Broken one_draft_more_broken(const Case& c, const Outputs& outputs, const Case& related,
                             const Outputs& related_outputs) {
  const Both both(c, outputs, related, related_outputs);
  const bool live = view_dsa(c).tail == DsaTail::kLive;
  const int64_t num_requests = both.before.num_requests();
  for (int64_t b = 0; b < num_requests; ++b) {
    const Values ctx_lens = both.before.ctx_lens(b);
    if (auto broken = shifted({"paged_mqa_ctx_lens of a request", 0, 0, std::ssize(ctx_lens), 1},
                              ctx_lens, both.after.ctx_lens(b))) {
      return broken;
    }
    for (int64_t j = 0; j < both.before.rows_of(b); ++j) {
      const auto e = static_cast<size_t>(both.before.first_row_of(b) + j);
      const auto now = static_cast<size_t>(both.after.first_row_of(b) + j);
      if (both.before.expanded_lens()[e] != both.after.expanded_lens()[now] ||
          both.before.row_lens()[e] != both.after.row_lens()[now]) {
        return "the lengths of row " + std::to_string(e) + " change";
      }
      if (live) continue;
      const int64_t row = static_cast<int64_t>(e);
      if (auto differs = both.before.row_differs(row, both.after, static_cast<int64_t>(now))) {
        return differs;
      }
    }
  }
  // Each sum by as many tokens as there are requests before it.
  for (int64_t b = 0; b <= num_requests; ++b) {
    if (auto broken = shifted({"cu_seqlens_k", b, b, 1, static_cast<int32_t>(b)},
                              both.before.request_sums(), both.after.request_sums())) {
      return broken;
    }
  }
  return shifted({"cache_seqlens", 0, 0, num_requests, 1}, both.before.request_lens(),
                 both.after.request_lens());
}

}  // namespace

std::vector<Relation> dsa_request_relations(const Op& op) {
  std::vector<Relation> relations = {
      {"duplicate_request", duplicate_request, duplicate_broken},
      {"permute_requests", permute_requests, permuted},
      {"first_requests", first_requests, first_broken},
      {"last_requests", last_requests, last_broken},
  };
  const DsaMode mode = describe_dsa(op).mode;
  if (mode != DsaMode::kTargetVerify) {
    relations.push_back({"insert_empty_request", insert_empty_request, empty_request_broken});
  } else {
    relations.push_back({"one_draft_more", one_draft_more, one_draft_more_broken});
  }
  if (mode == DsaMode::kDraftExtend) {
    relations.push_back({"longer_extend", longer_extend, longer_extend_broken});
  }
  return relations;
}

std::vector<Relation> dsa_relations(const Op& op) {
  std::vector<Relation> relations = dsa_request_relations(op);
  for (const auto& more : {dsa_page_relations(op), dsa_mode_relations(op)}) {
    relations.insert(relations.end(), more.begin(), more.end());
  }
  return relations;
}

}  // namespace bytegate
