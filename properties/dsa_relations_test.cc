// How the outputs of the DSA metadata operations follow when a batch is changed: said of the
// oracle, over whatever the generators draw.
#include <gtest/gtest.h>

#include <rapidcheck.h>

#include <iterator>
#include <numeric>
#include <utility>

#include "oracles/dsa_metadata.h"
#include "properties/dsa_metadata.h"
#include "properties/rapidcheck_gen.h"

// RapidCheck's integration needs GoogleTest's headers before it.
#include <rapidcheck/gtest.h>

namespace bytegate {

namespace {

struct Request {
  int64_t seq = 0;
  int64_t pool_row = 0;
  int64_t num_rows = 0;
};
using Requests = std::vector<Request>;
using Values = std::vector<int32_t>;

// Of one of dsa_ops().
Case draw_case_of(size_t op_idx) {
  static const auto all = dsa_properties();
  return *gen_case(all[op_idx]);
}

// `metadata` and `precompute` of every mode; a refresh adds a schedule, whose relations are those
// of paged_mqa_metadata.
Case draw_case() {
  return draw_case_of(*rc::gen::inRange<size_t>(0, 5));
}

Case draw_draft_extend() {
  return draw_case_of(static_cast<size_t>(DsaMode::kDraftExtend));
}

Requests requests_of(const Case& c) {
  const DsaCase view = view_dsa(c);
  Requests requests;
  for (int64_t b = 0; b < view.num_requests; ++b) {
    requests.push_back({.seq = view.seq_lens->at(b),
                        .pool_row = view.req_pool_indices->at(b),
                        .num_rows = dsa_rows_of_request(view, b)});
  }
  return requests;
}

int64_t num_rows_of(const Requests& requests) {
  int64_t num_rows = 0;
  for (const Request& request : requests) num_rows += request.num_rows;
  return num_rows;
}

// The case with other requests, in the ragged form where there is a choice, in one compact step.
Case with_requests(const Case& c, const Requests& requests) {
  const DsaDescription& description = describe_dsa(*c.op);
  const DsaTensors& tensors = description.tensors;
  Case made = c;
  made.later_steps.clear();
  made.dims[static_cast<size_t>(description.dims.num_requests)] =
      static_cast<int64_t>(requests.size());
  if (description.mode == DsaMode::kDraftExtend) {
    const auto set = [&](int idx, int64_t value) {
      made.scalars[static_cast<size_t>(idx)] = value;
    };
    set(description.scalars.form, static_cast<int64_t>(DsaExtendForm::kRagged));
    set(description.scalars.extend_len, 0);
    set(description.scalars.total_len, num_rows_of(requests));
  }
  fit_tensors(made);
  const auto elements = [&](int idx) -> Elements& {
    return made.tensors[static_cast<size_t>(idx)].elements;
  };
  for (size_t i = 0; i < requests.size(); ++i) {
    const int64_t b = static_cast<int64_t>(i);
    elements(tensors.seq_lens).set(b, requests[i].seq);
    elements(tensors.req_pool_indices).set(b, requests[i].pool_row);
    if (tensors.extend_seq_lens >= 0) {
      elements(tensors.extend_seq_lens).set(b, requests[i].num_rows);
    }
  }
  if (auto reason = invalid_reason(made)) RC_FAIL(*reason);
  return made;
}

// What the outputs say, request by request.
class Said {
 public:
  explicit Said(const Case& c)
      : tensors_(describe_dsa(*c.op).tensors), outputs_(expected_outputs(c)) {
    first_rows_.push_back(0);
    for (const Request& request : requests_of(c)) {
      first_rows_.push_back(first_rows_.back() + request.num_rows);
    }
  }

  [[nodiscard]] const Outputs& outputs() const { return outputs_; }
  [[nodiscard]] size_t num_requests() const { return first_rows_.size() - 1; }
  [[nodiscard]] int64_t num_rows() const { return first_rows_.back(); }
  [[nodiscard]] int64_t rows_of(size_t b) const { return first_rows_[b + 1] - first_rows_[b]; }
  [[nodiscard]] Values request_lens() const { return all_of(tensors_.cache_seqlens); }
  [[nodiscard]] Values row_lens() const { return all_of(tensors_.dsa_cache_seqlens); }
  [[nodiscard]] Values request_sums() const { return all_of(tensors_.cu_seqlens_k); }
  [[nodiscard]] Values row_sums() const { return all_of(tensors_.dsa_cu_seqlens_k); }

  // Of both page tables.
  [[nodiscard]] std::vector<Values> pages_of(size_t b) const {
    return {rows(tensors_.page_table, b), rows(tensors_.real_page_table, b)};
  }
  // All but the sums.
  [[nodiscard]] std::vector<Values> about(size_t b) const {
    std::vector<Values> said = pages_of(b);
    said.push_back(rows(tensors_.seqlens_expanded, b));
    said.push_back(rows(tensors_.dsa_cache_seqlens, b));
    const int64_t idx = static_cast<int64_t>(b);
    const int64_t count = static_cast<int64_t>(num_requests());
    said.push_back(part(tensors_.cache_seqlens, idx, 1, count));
    said.push_back(part(tensors_.paged_mqa_ctx_lens, idx, 1, count));
    return said;
  }

 private:
  [[nodiscard]] Values all_of(int tensor) const { return part(tensor, 0, 1, 1); }
  [[nodiscard]] Values rows(int tensor, size_t b) const {
    return part(tensor, first_rows_[b], rows_of(b), num_rows());
  }
  // `count` from `first` on of `total` equal parts; empty where the tensor is not there.
  [[nodiscard]] Values part(int tensor, int64_t first, int64_t count, int64_t total) const {
    if (tensor < 0 || total == 0) return {};
    const Elements& elements = outputs_[static_cast<size_t>(tensor)];
    if (elements.size() == 0) return {};
    const int64_t size = elements.size() / total;
    const auto begin = elements.int32().begin() + first * size;
    return {begin, begin + count * size};
  }

  DsaTensors tensors_;
  Outputs outputs_;
  std::vector<int64_t> first_rows_;
};

int32_t wrapping_add(int32_t a, int32_t b) {
  return static_cast<int32_t>(static_cast<uint32_t>(a) + static_cast<uint32_t>(b));
}

// The second sums go on where the first end.
Values joined(Values first, const Values& second) {
  const int32_t before = first.back();
  for (size_t i = 1; i < second.size(); ++i) first.push_back(wrapping_add(before, second[i]));
  return first;
}

bool are_sums_of(const Values& sums, const Values& lens) {
  if (sums.size() != lens.size() + 1 || sums[0] != 0) return false;
  for (size_t i = 0; i < lens.size(); ++i) {
    if (sums[i + 1] != wrapping_add(sums[i], lens[i])) return false;
  }
  return true;
}

RC_GTEST_PROP(DsaRelations, TheDifferencesOfTheSumsAreTheLengths, ()) {
  const Said said(draw_case());
  RC_ASSERT(are_sums_of(said.request_sums(), said.request_lens()));
  RC_ASSERT(are_sums_of(said.row_sums(), said.row_lens()));
}

RC_GTEST_PROP(DsaRelations, TheRowsOfARequestHaveTheSamePages, ()) {
  const Said said(draw_case());
  for (size_t b = 0; b < said.num_requests(); ++b) {
    if (said.rows_of(b) == 0) continue;
    for (const Values& pages : said.pages_of(b)) {
      // Equal rows are those that are equal to themselves one row further on.
      const auto width = static_cast<std::ptrdiff_t>(pages.size()) / said.rows_of(b);
      RC_ASSERT(std::equal(pages.begin() + width, pages.end(), pages.begin()));
    }
  }
}

RC_GTEST_PROP(DsaRelations, PermutingTheRequestsPermutesWhatIsSaidOfThem, ()) {
  const Case c = draw_case();
  const Requests requests = requests_of(c);
  std::vector<size_t> order(requests.size());
  std::iota(order.begin(), order.end(), size_t{0});
  Draw draw(*rc::gen::arbitrary<uint64_t>());
  for (size_t i = order.size(); i > 1; --i) {
    std::swap(order[i - 1],
              order[static_cast<size_t>(draw.between(0, static_cast<int64_t>(i) - 1))]);
  }
  Requests permuted;
  for (const size_t b : order) permuted.push_back(requests[b]);
  const Said before(c);
  const Said after(with_requests(c, permuted));
  for (size_t i = 0; i < order.size(); ++i) RC_ASSERT(after.about(i) == before.about(order[i]));
  // A permutation of rows or requests leaves the last sum what it was.
  RC_ASSERT(after.request_sums().back() == before.request_sums().back());
  RC_ASSERT(after.row_sums().back() == before.row_sums().back());
}

RC_GTEST_PROP(DsaRelations, ARequestWithoutRowsAddsItsLengthAndNoRow, ()) {
  const Case c = draw_draft_extend();
  const int64_t num_pool_rows = view_dsa(c).num_pool_rows;
  RC_PRE(num_pool_rows > 0);
  Requests requests = requests_of(c);
  const size_t place = *rc::gen::inRange<size_t>(0, requests.size() + 1);
  const Request added = {.seq = *rc::gen::arbitrary<int32_t>(),
                         .pool_row = *rc::gen::inRange<int64_t>(0, num_pool_rows),
                         .num_rows = 0};
  const Said before(c);
  requests.insert(requests.begin() + static_cast<std::ptrdiff_t>(place), added);
  const Said after(with_requests(c, requests));
  RC_ASSERT(after.num_rows() == before.num_rows());
  RC_ASSERT(after.row_sums() == before.row_sums());
  for (size_t b = 0; b < before.num_requests(); ++b) {
    RC_ASSERT(after.about(b < place ? b : b + 1) == before.about(b));
  }
  Values sums = before.request_sums();
  sums.insert(sums.begin() + static_cast<std::ptrdiff_t>(place), sums[place]);
  for (size_t i = place + 1; i < sums.size(); ++i) {
    sums[i] = wrapping_add(sums[i], static_cast<int32_t>(added.seq));
  }
  RC_ASSERT(after.request_sums() == sums);
}

RC_GTEST_PROP(DsaRelations, TheStaticFormIsTheRaggedOneOfEqualLengths, ()) {
  const Case c = draw_draft_extend();
  RC_PRE(view_dsa(c).extend_len.has_value());
  const Case ragged = with_requests(c, requests_of(c));
  RC_ASSERT(!view_dsa(ragged).extend_len.has_value());
  RC_ASSERT(Said(ragged).outputs() == Said(c).outputs());
}

RC_GTEST_PROP(DsaRelations, ABatchIsItsTwoPartsJoined, ()) {
  const Case c = draw_case();
  const Requests requests = requests_of(c);
  const size_t place = *rc::gen::inRange<size_t>(0, requests.size() + 1);
  const auto cut = requests.begin() + static_cast<std::ptrdiff_t>(place);
  const Said first(with_requests(c, {requests.begin(), cut}));
  const Said second(with_requests(c, {cut, requests.end()}));
  const Said both(c);
  for (size_t b = 0; b < both.num_requests(); ++b) {
    RC_ASSERT(both.about(b) == (b < place ? first.about(b) : second.about(b - place)));
  }
  RC_ASSERT(both.request_sums() == joined(first.request_sums(), second.request_sums()));
  RC_ASSERT(both.row_sums() == joined(first.row_sums(), second.row_sums()));
}

}  // namespace
}  // namespace bytegate
