// What must hold for every case, without an oracle or across two runs of it.
#include <gtest/gtest.h>

#include <rapidcheck.h>

#include <algorithm>
#include <sstream>

#include "kernels/builtin_candidate.h"
#include "kernels/candidate_handle.h"
#include "oracles/case_text.h"
#include "oracles/paged_mqa_metadata.h"
#include "oracles/schedule_walker.h"
#include "properties/check.h"
#include "properties/paged_mqa_metadata.h"
#include "properties/rapidcheck_gen.h"

// RapidCheck's integration needs GoogleTest's headers before it.
#include <rapidcheck/gtest.h>

namespace bytegate {

namespace {

using Index = PagedMqaMetadataIndex;

// Batches of any shape, but no larger than a property can run hundreds of.
rc::Gen<Case> batches() {
  static const OpProperties properties = paged_mqa_metadata_properties();
  return rc::gen::suchThat(gen_case(properties), [](const Case& c) { return c.dims[0] <= 5000; });
}

std::vector<int32_t> lens_of(const Case& c) {
  const auto lens = view_paged_mqa_metadata(c).context_lens;
  return {lens.begin(), lens.end()};
}

std::vector<int32_t> table_of(const Case& c) {
  return expected_outputs(c)[Index::kScheduleMetadata].int32_vector();
}

Case with_lens(const Case& c, std::vector<int32_t> lens) {
  return make_paged_mqa_metadata_case(std::move(lens), c.scalars[Index::kNumSm],
                                      static_cast<Remainder>(c.scalars[Index::kRemainder]));
}

int64_t splits_of(int32_t len) {
  return (int64_t{len} + kSplitKv - 1) / kSplitKv;
}

// Where each SM starts, counted in splits from the beginning of the batch.
std::vector<int64_t> starts_of(const std::vector<int32_t>& lens,
                               const std::vector<int32_t>& table) {
  std::vector<int64_t> before(lens.size() + 1);
  for (size_t row = 0; row < lens.size(); ++row)
    before[row + 1] = before[row] + splits_of(lens[row]);
  std::vector<int64_t> starts;
  for (size_t i = 0; i < table.size(); i += 2) {
    starts.push_back(before[static_cast<size_t>(table[i])] + table[i + 1]);
  }
  return starts;
}

RC_GTEST_PROP(PagedMqaMetadataProperty, EverySplitIsVisitedExactlyOnce, ()) {
  const Case c = *batches();
  const auto broken = walk_schedule(view_paged_mqa_metadata(c), table_of(c));
  if (broken) RC_FAIL(*broken);
}

RC_GTEST_PROP(PagedMqaMetadataProperty, AnEmptyRequestOnlyRenumbersTheRowsFromItOn, ()) {
  const Case c = *batches();
  std::vector<int32_t> lens = lens_of(c);
  const int32_t place = *rc::gen::inRange<int32_t>(0, static_cast<int32_t>(lens.size()) + 1);
  std::vector<int32_t> expected = table_of(c);
  for (size_t i = 0; i < expected.size(); i += 2) {
    // A start at row `place` or later moves by one; so does the sentinel.
    if (expected[i] >= place) ++expected[i];
  }
  lens.insert(lens.begin() + place, 0);
  RC_ASSERT(table_of(with_lens(c, lens)) == expected);
}

RC_GTEST_PROP(PagedMqaMetadataProperty, OnlyTheNumberOfSplitsOfARequestCounts, ()) {
  const Case c = *batches();
  std::vector<int32_t> lens = lens_of(c);
  for (int32_t& len : lens) {
    len = static_cast<int32_t>(std::min<int64_t>(splits_of(len) * kSplitKv, INT32_MAX));
  }
  RC_ASSERT(table_of(with_lens(c, lens)) == table_of(c));
}

RC_GTEST_PROP(PagedMqaMetadataProperty, OneMoreSplitForEverySmMovesEachStartByItsIndex, ()) {
  const Case c = *batches();
  const std::vector<int32_t> lens = lens_of(c);
  std::vector<int32_t> longer = lens;
  longer.push_back(static_cast<int32_t>(c.scalars[Index::kNumSm] * kSplitKv));
  const std::vector<int64_t> before = starts_of(lens, table_of(c));
  const std::vector<int64_t> after = starts_of(longer, table_of(with_lens(c, longer)));
  for (size_t sm = 0; sm < before.size(); ++sm) {
    RC_ASSERT(after[sm] == before[sm] + static_cast<int64_t>(sm));
  }
}

RC_GTEST_PROP(PagedMqaMetadataProperty, TheTwoRemaindersAgreeWhereSharesAreEven, ()) {
  const Case c = *batches();
  int64_t total = 0;
  for (const int32_t len : lens_of(c)) total += splits_of(len);
  Case other = c;
  other.scalars[Index::kRemainder] = 1 - c.scalars[Index::kRemainder];
  const bool even = total % c.scalars[Index::kNumSm] == 0;
  RC_ASSERT((table_of(c) == table_of(other)) == even);
}

RC_GTEST_PROP(PagedMqaMetadataProperty, EveryPathGivesTheOraclesBytes, ()) {
  static const OpProperties properties = paged_mqa_metadata_properties();
  const Candidate::Result opened = Candidate::open(production_candidate());
  const std::unique_ptr<Backend> backend = make_host_backend({});
  Case c = *batches();
  for (const std::string_view path : c.op->paths) {
    if (path == "tiny" && c.dims[0] > 64) continue;
    if (path == "small" && c.dims[0] > 2048) continue;
    c.forced_path = path;
    const Verdict verdict = check({&c, 1}, *opened.candidate, *backend, properties).front();
    if (!verdict.passed()) RC_FAIL(describe(verdict));
    RC_ASSERT(verdict.path == path);
  }
}

RC_GTEST_PROP(PagedMqaMetadataProperty, ACaseReadsBackAsItWasWritten, ()) {
  const Case c = *batches();
  const std::vector<const Op*> ops = {&paged_mqa_metadata_op()};
  const ParseResult read = read_case(write_case(c), ops);
  RC_ASSERT(read.value.has_value());
  RC_ASSERT(*read.value == c);
}

}  // namespace
}  // namespace bytegate
