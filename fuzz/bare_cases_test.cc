#include "fuzz/bare_cases.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "properties/testing/ledger_op.h"

namespace bytegate {
namespace {

// Every third case is too large to run bare.
Case generate(Draw& draw) {
  Case c = make_ledger_case(draw.between(1, 4), 2);
  if (draw.between(0, 2) == 0) c.tensors[LedgerIndex::kTable].strides[0] = int64_t{1} << 40;
  return c;
}

OpProperties properties() {
  OpProperties made = ledger_properties();
  made.generate = generate;
  return made;
}

LoadedCases three_files() {
  Case large = make_ledger_case(2, 3);
  large.tensors[LedgerIndex::kTable].strides[0] = int64_t{1} << 40;
  return {.cases = {make_ledger_case(1, 1), large, make_ledger_case(2, 2)},
          .files = {"seed/a.case", "seed/b.case", "trace/c.case"},
          .errors = {}};
}

TEST(BareCases, TheCorpusComesFirstAndWhatIsTooLargeIsCounted) {
  const OpProperties ledger = properties();
  const LoadedCases loaded = three_files();
  BareCases cases(ledger, loaded, BackendKind::kCuda, 1);
  EXPECT_EQ(cases.num_kept(), 2);
  EXPECT_EQ(cases.num_too_large(), 1);
  EXPECT_EQ(cases.at(0).file, "seed/a.case");
  EXPECT_EQ(cases.at(1).file, "trace/c.case");
  EXPECT_EQ(cases.at(1).source, "trace");
  EXPECT_EQ(cases.at(2).file, "");
  EXPECT_EQ(cases.at(2).source, kGeneratedSource);
}

TEST(BareCases, ANumberIsTheSameCaseInWhateverOrderItIsAskedFor) {
  const OpProperties ledger = properties();
  const LoadedCases loaded = three_files();
  BareCases ascending(ledger, loaded, BackendKind::kCuda, 5);
  BareCases at_once(ledger, loaded, BackendKind::kCuda, 5);
  const Case twentieth = at_once.at(20).value;
  for (int64_t number = 0; number < 40; ++number) {
    const Case c = ascending.at(number).value;
    EXPECT_TRUE(fits_bare(c)) << number;
    EXPECT_EQ(c, at_once.at(number).value) << number;
  }
  EXPECT_EQ(ascending.at(20).value, twentieth);
}

}  // namespace
}  // namespace bytegate
