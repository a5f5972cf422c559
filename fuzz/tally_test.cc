#include "fuzz/tally.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "properties/testing/ledger_op.h"

namespace bytegate {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Key;
using Index = LedgerIndex;

OpProperties classified_ledger() {
  OpProperties properties = ledger_properties();
  properties.classes = {"all", "rowless"};
  properties.classify = [](const Case& c) {
    return c.dims[Index::kRows] == 0 ? std::vector<int>{0, 1} : std::vector<int>{0};
  };
  properties.axes = {{.name = "any", .first_class = 0, .num_classes = 1},
                     {.name = "rows", .first_class = 1, .num_classes = 1}};
  properties.products = {{.first_axis = 0, .second_axis = 1}};
  return properties;
}

const Verdict kPassed = {.kind = VerdictKind::kPass, .path = "serial"};
const Verdict kMismatched = {.kind = VerdictKind::kMismatch, .path = "serial"};

// A tally of cases that were generated for the host.
class Tallied : public ::testing::Test {
 protected:
  void add(const Case& c, const Verdict& verdict = kPassed) {
    tally_.add(properties_, c, verdict, "generated", BackendKind::kHost);
  }

  OpProperties properties_ = classified_ledger();
  Tally tally_{properties_};
};

Case with_wide_parts() {
  Case c = make_spread_case({.parts = {1, 2}});
  c.tensors[Index::kParts].dtype = DType::kInt64;
  c.tensors[Index::kParts].elements = Elements(std::vector<int64_t>{1, 2});
  return c;
}

Case without_bias() {
  Case c = make_ledger_case(2, 3);
  c.tensors[Index::kBias].present = false;
  fit_tensors(c);
  return c;
}

Case minus() {
  Case c = make_ledger_case(2, 3);
  c.scalars[Index::kSign] = 1;
  fit_tensors(c);
  return c;
}

void expect_counts(const Counts& counts, int64_t passed, int64_t failed) {
  EXPECT_EQ(counts.passed, passed);
  EXPECT_EQ(counts.failed, failed);
  EXPECT_EQ(counts.set_aside, 0);
}

TEST_F(Tallied, DTypesAreCountedWhereThereIsAChoice) {
  add(make_ledger_case(2, 3));
  add(with_wide_parts());
  add(with_wide_parts(), kMismatched);
  // keys are int64 and table is int32 in every case.
  ASSERT_THAT(tally_.by_dtype, ElementsAre(Key("parts=int32"), Key("parts=int64")));
  expect_counts(tally_.by_dtype["parts=int32"], 1, 0);
  expect_counts(tally_.by_dtype["parts=int64"], 1, 1);
}

TEST_F(Tallied, OptionalTensorsAreCountedWhereTheyMayBeLeftOut) {
  add(make_ledger_case(2, 3));
  add(make_ledger_case(2, 3), kMismatched);
  add(without_bias());
  add(minus());  // where there must be none
  ASSERT_THAT(tally_.by_presence, ElementsAre(Key("bias absent"), Key("bias present")));
  expect_counts(tally_.by_presence["bias present"], 1, 1);
  expect_counts(tally_.by_presence["bias absent"], 1, 0);
}

TEST_F(Tallied, LayoutsAreCountedWhereAnAxisMayBeStrided) {
  add(make_ledger_case(3, 2));
  add(with_gaps(make_ledger_case(3, 2), 2));
  EXPECT_THAT(tally_.by_layout,
              ElementsAre(Key("keys compact"), Key("keys strided"), Key("scaled compact"),
                          Key("scaled strided"), Key("spread compact"), Key("spread strided"),
                          Key("table compact"), Key("table rows strided")));
  expect_counts(tally_.by_layout["table rows strided"], 1, 0);
}

TEST(LayoutClass, SaysWhichAxisIsStrided) {
  const Case c = make_ledger_case(3, 2);
  const auto class_of = [&](int tensor, const Dims& strides) {
    Tensor laid_out = c.tensors[static_cast<size_t>(tensor)];
    laid_out.strides = strides;
    return layout_class(c.op->tensors[static_cast<size_t>(tensor)], laid_out);
  };
  EXPECT_EQ(class_of(Index::kKeys, {1}), "compact");
  EXPECT_EQ(class_of(Index::kKeys, {2}), "strided");
  EXPECT_EQ(class_of(Index::kKeys, {0}), "repeated");
  EXPECT_EQ(class_of(Index::kTable, {2, 1}), "compact");
  EXPECT_EQ(class_of(Index::kTable, {3, 1}), "rows strided");
  EXPECT_EQ(class_of(Index::kTable, {4, 2}), "columns strided");
  EXPECT_EQ(class_of(Index::kTable, {1, 3}), "columns strided");
  EXPECT_EQ(class_of(Index::kTable, {0, 1}), "repeated");
  EXPECT_EQ(class_of(Index::kTable, {1, 0}), "repeated");
  // Its columns are never strided.
  EXPECT_EQ(class_of(Index::kScaled, {3, 1}), "strided");
}

TEST(LayoutClass, AStrideOfAnAxisThatIsNotLongerThanOneRepeatsNothing) {
  const Case c = make_ledger_case(1, 1);
  Tensor table = c.tensors[Index::kTable];
  table.strides = {0, 1};
  EXPECT_EQ(layout_class(c.op->tensors[Index::kTable], table), "rows strided");
  table.strides = {7, 5};
  EXPECT_EQ(layout_class(c.op->tensors[Index::kTable], table), "rows strided");
}

TEST_F(Tallied, RefusedCallsAreCountedByThemselves) {
  Case c = make_ledger_case(2, 3);
  c.expect = Expect::kRefused;
  add(c);
  expect_counts(tally_.refusals, 1, 0);
  EXPECT_THAT(tally_.by_dtype, IsEmpty());
  EXPECT_THAT(tally_.by_layout, IsEmpty());
  EXPECT_THAT(tally_.by_presence, IsEmpty());
}

TEST_F(Tallied, WhatIsToBeSurvivedIsCountedByItself) {
  Case c = make_ledger_case(2, 3);
  c.expect = Expect::kSurvived;
  add(c);
  add(c, {.kind = VerdictKind::kCrashed});
  expect_counts(tally_.all, 1, 1);
  expect_counts(tally_.survivals, 1, 1);
  expect_counts(tally_.refusals, 0, 0);
  EXPECT_THAT(tally_.by_path, IsEmpty());
  EXPECT_THAT(tally_.by_dtype, IsEmpty());
  EXPECT_THAT(tally_.by_class, ElementsAre(0, 0));
  Tally other = tally_;
  tally_.merge(other);
  expect_counts(tally_.survivals, 2, 2);
}

TEST_F(Tallied, AValueWithoutASymbolIsOfNoVariant) {
  Case c = make_ledger_case(2, 3);
  c.scalars[Index::kSign] = -1;
  add(c, {.kind = VerdictKind::kUntested});
  c.scalars[Index::kSign] = 2;
  add(c, {.kind = VerdictKind::kUntested});
  expect_counts(tally_.all, 0, 2);
  EXPECT_THAT(tally_.by_variant, IsEmpty());
}

TEST(TallyOfRelations, CountsThePassedCasesThatWereHeldToEach) {
  OpProperties properties = ledger_properties();
  properties.relations = {{.name = "first"}, {.name = "second"}};
  properties.classify = [](const Case&) { return std::vector<int>(); };
  Tally tally(properties);
  const auto add = [&](VerdictKind kind) {
    const Verdict verdict = {.kind = kind, .relations = {1}};
    tally.add(properties, make_ledger_case(1, 1), verdict, "corpus", BackendKind::kHost);
  };
  add(VerdictKind::kPass);
  add(VerdictKind::kMismatch);
  EXPECT_THAT(tally.by_relation, ElementsAre(0, 1));
  Tally both(properties);
  both.merge(tally);
  both.merge(tally);
  EXPECT_THAT(both.by_relation, ElementsAre(0, 2));
}

TEST_F(Tallied, TalliesOfThreadsAddUp) {
  add(make_ledger_case(0, 3));
  Tally other(properties_);
  other.add(properties_, with_wide_parts(), kPassed, "corpus", BackendKind::kHost);
  other.add(properties_, without_bias(), kMismatched, "corpus", BackendKind::kHost);
  tally_.merge(other);
  expect_counts(tally_.all, 2, 1);
  expect_counts(tally_.by_dtype["parts=int64"], 1, 0);
  expect_counts(tally_.by_dtype["parts=int32"], 1, 1);
  expect_counts(tally_.by_presence["bias present"], 2, 0);
  expect_counts(tally_.by_presence["bias absent"], 0, 1);
  expect_counts(tally_.by_layout["table compact"], 2, 1);
  EXPECT_THAT(tally_.by_class, ElementsAre(2, 1));
}

TEST_F(Tallied, ACellCountsThePassedCasesThatBelongToBothItsClasses) {
  add(make_ledger_case(0, 3));
  add(make_ledger_case(0, 3), kMismatched);
  add(make_ledger_case(2, 3));
  EXPECT_THAT(tally_.by_cell, ElementsAre(ElementsAre(1)));
  const Tally other = tally_;
  tally_.merge(other);
  EXPECT_THAT(tally_.by_cell, ElementsAre(ElementsAre(2)));
}

}  // namespace
}  // namespace bytegate
