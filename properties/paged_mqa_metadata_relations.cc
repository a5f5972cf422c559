#include "properties/paged_mqa_metadata_relations.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "oracles/paged_mqa_metadata.h"
#include "properties/same_outputs.h"
#include "properties/schedule_starts.h"

namespace bytegate {
namespace {

using Index = PagedMqaMetadataIndex;
using Lens = std::vector<int32_t>;
using Starts = std::vector<int64_t>;
using Broken = std::optional<std::string>;

constexpr int64_t kMaxSplits = (int64_t{INT32_MAX} + kSplitKv - 1) / kSplitKv;  // of a request
constexpr int64_t kMaxRows = int64_t{1} << 21;  // of a batch that grows

std::span<const int32_t> lens_of(const Case& c) {
  return c.tensors[Index::kContextLens].elements.int32();
}
Lens copied_lens(const Case& c) {
  return {lens_of(c).begin(), lens_of(c).end()};
}
std::span<const int32_t> table_of(const Outputs& outputs) {
  return outputs[Index::kScheduleMetadata].int32();
}
int64_t num_sm_of(const Case& c) {
  return c.scalars[Index::kNumSm];
}
bool larger_last(const Case& c) {
  return c.scalars[Index::kRemainder] == static_cast<int64_t>(Remainder::kLast);
}
int32_t tokens(int64_t splits) {
  return static_cast<int32_t>(std::min<int64_t>(splits * kSplitKv, INT32_MAX));
}

// The case with another batch. A path may be for so many requests only.
Case with_lens(const Case& c, Lens lens) {
  Case made = c;
  if (std::ssize(lens) > c.dims[0]) made.forced_path.clear();
  made.dims[0] = std::ssize(lens);
  made.tensors[Index::kContextLens].elements = Elements(std::move(lens));
  fit_tensors(made);
  return made;
}

Case with_num_sm(Case c, int64_t num_sm) {
  c.scalars[Index::kNumSm] = num_sm;
  fit_tensors(c);
  return c;
}

Case with_other_remainder(Case c) {
  c.scalars[Index::kRemainder] = 1 - c.scalars[Index::kRemainder];
  return c;
}

// ---- the statements

Broken same_table(const Case&, const Outputs& outputs, const Case&, const Outputs& related) {
  return different_row(table_of(outputs), table_of(related));
}

// Where the multiprocessors start in both batches.
struct BothStarts {
  Starts of_case;
  Starts of_related;
};
std::optional<BothStarts> both_starts(const Case& c, const Outputs& outputs, const Case& related,
                                      const Outputs& related_outputs) {
  auto of_case = schedule_starts(lens_of(c), table_of(outputs));
  auto of_related = schedule_starts(lens_of(related), table_of(related_outputs));
  if (!of_case || !of_related) return std::nullopt;
  return BothStarts{.of_case = std::move(*of_case), .of_related = std::move(*of_related)};
}
constexpr const char* kOutside = "a row of the table lies outside its batch";

Broken same_starts(const Case& c, const Outputs& outputs, const Case& related,
                   const Outputs& related_outputs) {
  const auto starts = both_starts(c, outputs, related, related_outputs);
  if (!starts) return kOutside;
  return different_start(starts->of_case, starts->of_related);
}

// Backwards, the last multiprocessor is the first.
Broken mirrored_starts(const Case& c, const Outputs& outputs, const Case& related,
                       const Outputs& related_outputs) {
  const auto starts = both_starts(c, outputs, related, related_outputs);
  if (!starts) return kOutside;
  Starts expect(starts->of_case.rbegin(), starts->of_case.rend());
  for (int64_t& start : expect) start = num_splits(lens_of(c)) - start;
  return different_start(expect, starts->of_related);
}

Broken other_remainder_broken(const Case& c, const Outputs& outputs, const Case& related,
                              const Outputs& related_outputs) {
  const bool even = num_splits(lens_of(c)) % num_sm_of(c) == 0;
  if (even) return same_table(c, outputs, related, related_outputs);
  if (table_of(outputs).size() == table_of(related_outputs).size() &&
      std::equal(table_of(outputs).begin(), table_of(outputs).end(),
                 table_of(related_outputs).begin())) {
    return "shares are uneven, but the larger ones stand where they stood";
  }
  return mirrored_starts(c, outputs, related, related_outputs);
}

Broken renumbered_by_insertion(const Case& c, const Outputs& outputs, const Case& related,
                               const Outputs& related_outputs) {
  const auto before = lens_of(c);
  const auto place = std::mismatch(before.begin(), before.end(), lens_of(related).begin()).first;
  Lens expect(table_of(outputs).begin(), table_of(outputs).end());
  for (size_t i = 0; i < expect.size(); i += 2) {
    if (expect[i] >= place - before.begin()) ++expect[i];
  }
  return different_row(expect, table_of(related_outputs));
}

Broken renumbered_by_dropping(const Case& c, const Outputs& outputs, const Case&,
                              const Outputs& related_outputs) {
  const auto lens = lens_of(c);
  Lens num_kept_before(lens.size() + 1);
  for (size_t b = 0; b < lens.size(); ++b) {
    num_kept_before[b + 1] = num_kept_before[b] + (lens[b] > 0 ? 1 : 0);
  }
  Lens expect(table_of(outputs).begin(), table_of(outputs).end());
  for (size_t i = 0; i < expect.size(); i += 2) {
    if (expect[i] < 0 || expect[i] > std::ssize(lens)) return kOutside;
    expect[i] = num_kept_before[static_cast<size_t>(expect[i])];
  }
  return different_row(expect, table_of(related_outputs));
}

Broken starts_go_on(const Case& c, const Outputs& outputs, const Case& related,
                    const Outputs& related_outputs) {
  auto starts = both_starts(c, outputs, related, related_outputs);
  if (!starts || starts->of_related.size() < starts->of_case.size()) return kOutside;
  starts->of_related.resize(starts->of_case.size());
  return different_start(starts->of_case, starts->of_related);
}

Broken each_start_moves_by_its_index(const Case& c, const Outputs& outputs, const Case& related,
                                     const Outputs& related_outputs) {
  auto starts = both_starts(c, outputs, related, related_outputs);
  if (!starts) return kOutside;
  const int64_t added = num_splits(lens_of(related)) - num_splits(lens_of(c));
  int64_t sm = 0;
  for (int64_t& start : starts->of_case) start += added / num_sm_of(c) * sm++;
  return different_start(starts->of_case, starts->of_related);
}

// Every k-th row, k being how many times as many multiprocessors there are.
Lens every_kth_row(const Case& c, const Case& related, std::span<const int32_t> table) {
  const size_t k = static_cast<size_t>(num_sm_of(related) / num_sm_of(c));
  Lens rows;
  for (size_t i = 0; i + 1 < table.size(); i += 2 * k) {
    rows.push_back(table[i]);
    rows.push_back(table[i + 1]);
  }
  return rows;
}

Broken scaled_rows(const Case& c, const Outputs& outputs, const Case& related,
                   const Outputs& related_outputs) {
  const int64_t k = num_sm_of(related) / num_sm_of(c);
  Lens expect(table_of(outputs).begin(), table_of(outputs).end());
  for (size_t i = 1; i < expect.size(); i += 2) expect[i] = static_cast<int32_t>(expect[i] * k);
  return different_row(expect, every_kth_row(c, related, table_of(related_outputs)));
}

Broken scaled_starts(const Case& c, const Outputs& outputs, const Case& related,
                     const Outputs& related_outputs) {
  auto expect = schedule_starts(lens_of(c), table_of(outputs));
  const auto starts =
      schedule_starts(lens_of(related), every_kth_row(c, related, table_of(related_outputs)));
  if (!expect || !starts) return kOutside;
  for (int64_t& start : *expect) start *= num_sm_of(related) / num_sm_of(c);
  return different_start(*expect, *starts);
}

// With fewer multiprocessors: the rows of the case that are left.
Broken thinned_rows(const Case& c, const Outputs& outputs, const Case& related,
                    const Outputs& related_outputs) {
  return different_row(every_kth_row(related, c, table_of(outputs)), table_of(related_outputs));
}

// ---- the follow-ups

std::optional<Case> insert_empty_request(const Case& c, Draw& draw) {
  if (c.dims[0] >= kMaxRows) return std::nullopt;
  Lens lens = copied_lens(c);
  lens.insert(lens.begin() + draw.between(0, c.dims[0]), 0);
  return with_lens(c, std::move(lens));
}

std::optional<Case> drop_empty_requests(const Case& c, Draw&) {
  Lens lens = copied_lens(c);
  if (std::erase(lens, 0) == 0) return std::nullopt;
  return with_lens(c, std::move(lens));
}

std::optional<Case> round_lengths_up(const Case& c, Draw&) {
  Lens lens = copied_lens(c);
  for (int32_t& len : lens) len = tokens(num_splits(len));
  if (lens == copied_lens(c)) return std::nullopt;
  return with_lens(c, std::move(lens));
}

std::optional<Case> redraw_lengths_within_splits(const Case& c, Draw& draw) {
  Lens lens = copied_lens(c);
  for (int32_t& len : lens) {
    if (len == 0) continue;
    const int64_t splits = num_splits(len);
    len = static_cast<int32_t>(draw.between((splits - 1) * kSplitKv + 1, tokens(splits)));
  }
  if (lens == copied_lens(c)) return std::nullopt;
  return with_lens(c, std::move(lens));
}

std::optional<Case> permute_requests(const Case& c, Draw& draw) {
  Lens lens = copied_lens(c);
  for (size_t i = lens.size(); i > 1; --i) {
    const int64_t other = draw.between(0, static_cast<int64_t>(i) - 1);
    std::swap(lens[i - 1], lens[static_cast<size_t>(other)]);
  }
  if (lens == copied_lens(c)) return std::nullopt;
  return with_lens(c, std::move(lens));
}

std::optional<Case> other_remainder(const Case& c, Draw&) {
  return with_other_remainder(c);
}

std::optional<Case> reverse_batch(const Case& c, Draw&) {
  const auto lens = lens_of(c);
  if (lens.size() < 2) return std::nullopt;
  return with_other_remainder(with_lens(c, {lens.rbegin(), lens.rend()}));
}

std::optional<Case> split_request(const Case& c, Draw& draw) {
  Lens lens = copied_lens(c);
  if (lens.empty() || c.dims[0] >= kMaxRows) return std::nullopt;
  // The first of two splits or more, from anywhere on.
  const int64_t from = draw.between(0, c.dims[0] - 1);
  std::rotate(lens.begin(), lens.begin() + from, lens.end());
  const auto found =
      std::find_if(lens.begin(), lens.end(), [](int32_t len) { return num_splits(len) > 1; });
  if (found == lens.end()) return std::nullopt;
  const int64_t place = (found - lens.begin() + from) % c.dims[0];
  lens = copied_lens(c);
  int32_t& whole = lens[static_cast<size_t>(place)];
  const int32_t front = tokens(draw.between(1, num_splits(whole) - 1));
  whole -= front;
  lens.insert(lens.begin() + place, front);
  return with_lens(c, std::move(lens));
}

// So many splits more, in requests of at most the longest.
void append_splits(Lens& lens, int64_t splits, Draw& draw) {
  while (splits > 0) {
    const int64_t most = std::min(splits, kMaxSplits);
    const int64_t taken =
        draw.one_in(2) ? most : draw.between(std::max<int64_t>(most / 8, 1), most);
    lens.push_back(tokens(taken));
    splits -= taken;
  }
}

// More multiprocessors, each with a batch of its own of the share that the last one has.
std::optional<Case> append_batch(const Case& c, Draw& draw) {
  const int64_t total = num_splits(lens_of(c));
  const int64_t num_sm = num_sm_of(c);
  const int64_t share = larger_last(c) ? (total + num_sm - 1) / num_sm : total / num_sm;
  const int64_t more = draw.between(1, 8);
  if (num_sm + more > kMaxNumSm || c.dims[0] >= kMaxRows) return std::nullopt;
  if (share * more > 64 * kMaxSplits) return std::nullopt;
  Lens lens = copied_lens(c);
  append_splits(lens, share * more, draw);
  return with_num_sm(with_lens(c, std::move(lens)), num_sm + more);
}

std::optional<Case> lengthen_every_share(const Case& c, Draw& draw) {
  Lens lens = copied_lens(c);
  const int64_t added = num_sm_of(c) * draw.between(1, 4);
  if (lens.empty() || draw.one_in(4)) {
    lens.insert(lens.begin() + draw.between(0, c.dims[0]), tokens(added));
    return with_lens(c, std::move(lens));
  }
  int32_t& len = lens[static_cast<size_t>(draw.between(0, c.dims[0] - 1))];
  if (len + added * kSplitKv > INT32_MAX) return std::nullopt;
  len += static_cast<int32_t>(added * kSplitKv);
  return with_lens(c, std::move(lens));
}

std::optional<Case> scale_splits(const Case& c, Draw& draw) {
  const int64_t k = draw.between(2, 4);
  if (num_sm_of(c) * k > kMaxNumSm) return std::nullopt;
  Lens lens = copied_lens(c);
  for (int32_t& len : lens) {
    if (num_splits(len) * k > kMaxSplits) return std::nullopt;
    len = tokens(num_splits(len) * k);
  }
  return with_num_sm(with_lens(c, std::move(lens)), num_sm_of(c) * k);
}

std::optional<Case> repeat_batch(const Case& c, Draw& draw) {
  const int64_t k = draw.between(2, 4);
  if (num_sm_of(c) * k > kMaxNumSm || c.dims[0] == 0 || c.dims[0] * k > kMaxRows) {
    return std::nullopt;
  }
  Lens lens;
  for (int64_t i = 0; i < k; ++i) lens.insert(lens.end(), lens_of(c).begin(), lens_of(c).end());
  return with_num_sm(with_lens(c, std::move(lens)), num_sm_of(c) * k);
}

std::optional<Case> one_multiprocessor(const Case& c, Draw&) {
  if (num_sm_of(c) == 1) return std::nullopt;
  return with_num_sm(c, 1);
}

std::optional<Case> fewer_multiprocessors(const Case& c, Draw&) {
  const int64_t num_sm = num_sm_of(c);
  if (num_splits(lens_of(c)) % num_sm != 0) return std::nullopt;
  for (const int64_t k : {2, 3, 5, 7}) {
    if (num_sm > k && num_sm % k == 0) return with_num_sm(c, num_sm / k);
  }
  return std::nullopt;
}

std::optional<Case> other_path(const Case& c, Draw& draw) {
  // Up to how many requests each of the paths takes.
  constexpr std::array<int64_t, 3> kMaxRowsOfPath = {64, 2048, INT32_MAX};
  size_t first = 0;
  while (c.dims[0] > kMaxRowsOfPath[first]) ++first;
  return other_path_of(c, std::span(c.op->paths).subspan(first), draw);
}

}  // namespace

std::vector<Relation> paged_mqa_metadata_relations() {
  return {
      {"insert_empty_request", insert_empty_request, renumbered_by_insertion},
      {"drop_empty_requests", drop_empty_requests, renumbered_by_dropping},
      {"round_lengths_up", round_lengths_up, same_table},
      {"redraw_lengths_within_splits", redraw_lengths_within_splits, same_table},
      {"permute_requests", permute_requests, same_starts},
      {"split_request", split_request, same_starts},
      {"other_remainder", other_remainder, other_remainder_broken},
      {"reverse_batch", reverse_batch, mirrored_starts},
      {"append_batch", append_batch, starts_go_on},
      {"lengthen_every_share", lengthen_every_share, each_start_moves_by_its_index},
      {"scale_splits", scale_splits, scaled_rows},
      {"repeat_batch", repeat_batch, scaled_starts},
      {"one_multiprocessor", one_multiprocessor, thinned_rows},
      {"fewer_multiprocessors", fewer_multiprocessors, thinned_rows},
      {"other_path", other_path, same_outputs},
      {"other_order", other_order, same_outputs},
  };
}

}  // namespace bytegate
