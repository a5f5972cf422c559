// What the outputs of one DSA batch have to do with each other: said of the oracle, over whatever
// the generators draw. Relations between batches are in relations_test.cc.
#include <gtest/gtest.h>

#include <rapidcheck.h>

#include <algorithm>

#include "properties/dsa_metadata.h"
#include "properties/dsa_requests.h"
#include "properties/rapidcheck_gen.h"

// RapidCheck's integration needs GoogleTest's headers before it.
#include <rapidcheck/gtest.h>

namespace bytegate {

namespace {

// Of any of the operations, in one step.
Case draw_case() {
  static const auto all = dsa_properties();
  return at_step(*gen_case(all[*rc::gen::inRange<size_t>(0, all.size())]), 0);
}

bool are_sums_of(DsaSaid::Values sums, DsaSaid::Values lens) {
  if (sums.size() != lens.size() + 1 || sums[0] != 0) return false;
  for (size_t i = 0; i < lens.size(); ++i) {
    if (sums[i + 1] != wrapping_add(sums[i], lens[i])) return false;
  }
  return true;
}

RC_GTEST_PROP(DsaRelations, TheDifferencesOfTheSumsAreTheLengths, ()) {
  const Case c = draw_case();
  const DsaSaid said(c, expected_outputs(c));
  RC_ASSERT(are_sums_of(said.request_sums(), said.request_lens()));
  RC_ASSERT(are_sums_of(said.row_sums(), said.row_lens()));
}

RC_GTEST_PROP(DsaRelations, TheRowsOfARequestHaveTheSamePages, ()) {
  const Case c = draw_case();
  const DsaSaid said(c, expected_outputs(c));
  for (int64_t b = 0; b < said.num_requests(); ++b) {
    const int64_t first = said.first_row_of(b);
    for (int64_t row = first; row < first + said.rows_of(b); ++row) {
      RC_ASSERT(std::ranges::equal(said.pages(row), said.pages(first)));
      RC_ASSERT(std::ranges::equal(said.compact_pages(row), said.compact_pages(first)));
    }
  }
}

}  // namespace
}  // namespace bytegate
