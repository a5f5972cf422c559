#include "ci/cli/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <sstream>
#include <utility>

#include "ci/cli/case_summary.h"
#include "ci/cli/options.h"
#include "properties/testing/ledger_op.h"

namespace bytegate::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

const OpProperties& properties() {
  static const OpProperties made = [] {
    OpProperties ledger = ledger_properties();
    ledger.classes = {"any"};
    ledger.classify = [](const Case&) { return std::vector<int>{0}; };
    return ledger;
  }();
  return made;
}

Report report_of(const std::vector<Case>& cases) {
  RunOutcome outcome(properties());
  for (const Case& c : cases) {
    outcome.tally.add(properties(), c, {.kind = VerdictKind::kPass, .path = "serial"}, "generated",
                      BackendKind::kHost);
  }
  Report report;
  report.candidate = "test 1";
  report.rows.push_back({.properties = &properties(),
                         .backend = BackendKind::kHost,
                         .backend_description = "nothing",
                         .outcome = std::move(outcome)});
  return report;
}

std::string printed(const Report& report) {
  std::ostringstream out;
  print_report(report, out);
  return out.str();
}

std::vector<Case> two_cases() {
  Case other = with_gaps(make_ledger_case(2, 3), 2);
  other.tensors[LedgerIndex::kBias].present = false;
  other.tensors[LedgerIndex::kBias].elements.resize(0);
  return {make_ledger_case(2, 3), other};
}

TEST(Report, DTypesLayoutsAndOptionalTensorsArePrintedLikeVariants) {
  EXPECT_THAT(
      printed(report_of(two_cases())),
      AllOf(HasSubstr("\n  variants  sign=plus 2\n"), HasSubstr("\n  dtypes    parts=int32 2\n"),
            HasSubstr("\n  layouts   keys compact 1, keys strided 1, scaled compact 1, "
                      "scaled strided 1, spread compact 1, spread strided 1, table compact "
                      "1, table rows strided 1\n"),
            HasSubstr("\n  optional  bias absent 1, bias present 1\n"),
            HasSubstr("\n  classes   any 2\n")));
}

TEST(Report, WhatAnOperationDoesNotHaveIsNotPrinted) {
  EXPECT_THAT(printed(report_of({})), AllOf(Not(HasSubstr("dtypes")), Not(HasSubstr("layouts")),
                                            Not(HasSubstr("optional"))));
}

TEST(Report, ALongNameOfAnOperationStaysApartFromItsBackend) {
  static const Op op = [] {
    Op made = ledger_op();
    made.name = "a_ledger_whose_name_is_long";
    return made;
  }();
  OpProperties long_named = properties();
  long_named.op = &op;
  Report report = report_of({});
  report.rows[0].properties = &long_named;
  EXPECT_THAT(printed(report), HasSubstr("\na_ledger_whose_name_is_long  host     all  "));
  EXPECT_THAT(printed(report_of({})), HasSubstr("\nledger                host     all  "));
}

TEST(Report, TheJsonHasTheSameCounts) {
  const auto row = nlohmann::json::parse(report_json(report_of(two_cases())))["runs"][0];
  EXPECT_EQ(row["dtypes"]["parts=int32"]["passed"], 2);
  EXPECT_EQ(row["layouts"]["table rows strided"]["passed"], 1);
  EXPECT_EQ(row["optional"]["bias absent"]["passed"], 1);
  EXPECT_EQ(row["optional"]["bias present"]["failed"], 0);
  const auto empty = nlohmann::json::parse(report_json(report_of({})))["runs"][0];
  for (const char* key : {"dtypes", "layouts", "optional"}) {
    EXPECT_TRUE(empty[key].is_object() && empty[key].empty()) << key;
  }
}

// Two cells, of which the only case reaches one.
Report report_of_cells() {
  static const OpProperties crossed = [] {
    OpProperties made = ledger_properties();
    made.classes = {"any", "rowless", "rows"};
    made.classify = [](const Case& c) {
      return std::vector<int>{0, c.dims[LedgerIndex::kRows] == 0 ? 1 : 2};
    };
    made.axes = {{.name = "all", .first_class = 0, .num_classes = 1},
                 {.name = "rows", .first_class = 1, .num_classes = 2}};
    made.products = {{.first_axis = 0, .second_axis = 1}};
    return made;
  }();
  RunOutcome outcome(crossed);
  const Case c = make_ledger_case(2, 3);
  const Verdict passed = {.kind = VerdictKind::kPass, .path = "serial"};
  outcome.generated.add(crossed, c, passed, "generated", BackendKind::kHost);
  outcome.tally.merge(outcome.generated);
  Report report;
  report.rows.push_back({.properties = &crossed,
                         .backend = BackendKind::kHost,
                         .backend_description = "nothing",
                         .outcome = std::move(outcome)});
  return report;
}

TEST(Report, TheCellsThatTheGeneratorReachedAreShown) {
  const Report report = report_of_cells();
  EXPECT_THAT(printed(report), HasSubstr("\n  cells     1 of 2\n"));
  EXPECT_THAT(report_summary(report), HasSubstr("\n- cells of ledger on host: 1 of 2\n"));
  const auto row = nlohmann::json::parse(report_json(report))["runs"][0];
  EXPECT_EQ(row["cells"], nlohmann::json::parse(R"({"all x rows": {
      "promised": 2, "reached": 1, "unmet": ["any with rowless"],
      "passed": {"any": {"rowless": 0, "rows": 1}}}})"));
}

TEST(Report, AnOperationWithoutProductsHasNoCells) {
  const Report report = report_of(two_cases());
  EXPECT_THAT(printed(report), Not(HasSubstr("cells ")));
  EXPECT_THAT(report_summary(report), Not(HasSubstr("cells")));
}

TEST(Report, EveryRowOfTheSummaryFillsEveryColumn) {
  EXPECT_THAT(report_summary(report_of(two_cases())),
              AllOf(HasSubstr("| ledger | host | serial | 2 | 0 | 0 |\n"),
                    HasSubstr("| ledger | host | all | 2 | 0 | 0 |\n")));
}

TEST(CaseSummary, OnlyTheBytesThatTheContractStatesAreShown) {
  const Case c = make_spread_case({.parts = {2, 9}, .width = 5, .shown = 3});
  EXPECT_THAT(description_of(c), HasSubstr("  expect   spread: int32 [2, 5], columns written 3\n"
                                           "    row 0: [0, 1, *]\n"
                                           "    row 1: [1, 2, 3]\n"));
  const Case none = make_spread_case({.parts = {2, 9}, .width = 5, .shown = 0});
  EXPECT_THAT(description_of(none), ::testing::EndsWith("[2, 5], columns written 0\n"));
}

TEST(Options, AnOperationGetsTheCasesItAsksForUnlessTheCallerSays) {
  OpProperties slow = ledger_properties();
  EXPECT_EQ(num_generated({}, slow), 100000);
  slow.gate_cases = 2500;
  EXPECT_EQ(num_generated({}, slow), 2500);
  Options said;
  said.num_cases = 70;
  EXPECT_EQ(num_generated(said, slow), 70);
  said.num_cases = 0;
  EXPECT_EQ(num_generated(said, slow), 0);
}

}  // namespace
}  // namespace bytegate::cli
