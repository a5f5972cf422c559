#include "fuzz/promises.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "properties/testing/ledger_op.h"

namespace bytegate {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;
using Index = LedgerIndex;

OpProperties gated_ledger(int64_t gate_cases) {
  OpProperties properties = ledger_properties();
  properties.classes = {"any", "empty"};
  properties.gate_cases = gate_cases;
  return properties;
}

// What a run of `num_generated` cases has when it kept every promise.
Tally kept_tally(const OpProperties& properties, int64_t num_generated) {
  Tally tally(properties);
  tally.all.passed = num_generated;
  tally.survivals.passed = 1;
  tally.by_path["serial"].passed = num_generated;
  tally.by_class = {num_generated, 1};
  for (std::vector<bool>& used : tally.values_used) used.assign(used.size(), true);
  for (const char* variant : {"sign=plus", "sign=minus"}) tally.by_variant[variant].passed = 1;
  for (const char* dtype : {"parts=int32", "parts=int64"}) tally.by_dtype[dtype].passed = 1;
  for (const char* state : {"bias present", "bias absent"}) tally.by_presence[state].passed = 1;
  for (const TensorSpec& spec : properties.op->tensors) {
    for (const char* layout : {" compact", " strided", " repeated"}) {
      if (!spec.strided.empty()) tally.by_layout[std::string(spec.name) + layout].passed = 1;
    }
  }
  return tally;
}

TEST(Promises, ARunThatReachedEverythingKeptThem) {
  const OpProperties properties = gated_ledger(100000);
  EXPECT_THAT(unmet_promises(properties, kept_tally(properties, 100000)), IsEmpty());
}

TEST(Promises, HalfOfTheCasesOfAGateAreEnoughToAsk) {
  const OpProperties properties = gated_ledger(3001);
  Tally tally = kept_tally(properties, 1501);
  tally.by_class[1] = 0;
  EXPECT_THAT(unmet_promises(properties, tally), ElementsAre("no case of class empty"));
  // Failures were generated, too.
  tally.all = {.passed = 1400, .failed = 101};
  EXPECT_THAT(unmet_promises(properties, tally), ElementsAre("no case of class empty"));
  tally.all = {.passed = 1400, .failed = 100};
  EXPECT_THAT(unmet_promises(properties, tally), IsEmpty());
}

// Rows (none, some) by sign (plus, minus), where no rows and minus exclude each other.
OpProperties crossed_ledger(Case (*generate)(Draw&)) {
  OpProperties properties = gated_ledger(400);
  properties.classes = {"no row", "rows", "plus", "minus"};
  properties.classify = [](const Case& c) {
    return std::vector<int>{c.dims[Index::kRows] == 0 ? 0 : 1,
                            c.scalars[Index::kSign] == 0 ? 2 : 3};
  };
  properties.axes = {{.name = "rows", .first_class = 0, .num_classes = 2},
                     {.name = "sign", .first_class = 2, .num_classes = 2}};
  properties.products = {{.first_axis = 0, .second_axis = 1, .possible = [](int rows, int sign) {
                            return rows == 1 || sign == 2;
                          }}};
  properties.generate = generate;
  return properties;
}

Case ledger_of(int64_t rows, int64_t sign) {
  Case c = make_ledger_case(rows, 1);
  c.scalars[Index::kSign] = sign;
  fit_tensors(c);
  return c;
}

// What is unmet of the cells by so many cases of the op's generator, all of which pass.
std::vector<std::string> unmet_cells(const OpProperties& properties, int64_t num_cases) {
  Tally tally(properties);
  for (int64_t i = 0; i < num_cases; ++i) {
    Draw draw(case_seed(1, static_cast<uint64_t>(i)));
    tally.add(properties, properties.generate(draw), {.kind = VerdictKind::kPass, .path = "serial"},
              "generated", BackendKind::kHost);
  }
  std::vector<std::string> unmet = unmet_promises(properties, tally);
  std::erase_if(
      unmet, [](const std::string& line) { return line.find("rows x sign") == std::string::npos; });
  return unmet;
}

TEST(Promises, AGeneratorThatReachesEveryCellKeepsThem) {
  const OpProperties properties = crossed_ledger([](Draw& draw) {
    const int64_t rows = draw.between(0, 2);
    return ledger_of(rows, rows == 0 ? 0 : draw.between(0, 1));
  });
  EXPECT_THAT(unmet_cells(properties, 200), IsEmpty());
}

TEST(Promises, AGeneratorThatNeverReachesACellBreaksThem) {
  const OpProperties properties =
      crossed_ledger([](Draw& draw) { return ledger_of(draw.between(0, 2), 0); });
  // It reaches every class of rows, and plus; but no cell of minus.
  EXPECT_THAT(unmet_cells(properties, 200), ElementsAre("no case of rows x sign: rows with minus"));
  EXPECT_THAT(unmet_cells(properties, 199), IsEmpty());
}

TEST(Promises, ACaseInACellThatIsSaidToBeImpossibleBreaksThemHoweverFewWereDrawn) {
  const OpProperties properties =
      crossed_ledger([](Draw& draw) { return ledger_of(draw.between(0, 1), draw.between(0, 1)); });
  EXPECT_THAT(unmet_cells(properties, 50),
              ElementsAre("cases of cells of rows x sign that are said to be impossible: no row "
                          "with minus"));
}

TEST(Promises, CoverageCountsTheCellsThatWereReached) {
  const OpProperties properties = crossed_ledger(nullptr);
  Tally tally(properties);
  tally.by_cell = {{0, 0, 7, 1}};
  const std::vector<CellCoverage> coverage = cell_coverage(properties, tally);
  ASSERT_EQ(coverage.size(), 1U);
  EXPECT_EQ(coverage[0].product, "rows x sign");
  EXPECT_EQ(coverage[0].num_promised, 3);
  EXPECT_EQ(coverage[0].num_reached, 2);
  EXPECT_THAT(coverage[0].unmet, ElementsAre("no row with plus"));
  EXPECT_THAT(coverage[0].denied, IsEmpty());
}

TEST(Promises, EachPathPassesOneCaseInAHundred) {
  const OpProperties properties = gated_ledger(100000);
  Tally tally = kept_tally(properties, 50000);
  tally.by_path["serial"].passed = 1000;
  EXPECT_THAT(unmet_promises(properties, tally), IsEmpty());
  tally.by_path["serial"] = {.passed = 999, .failed = 10};
  EXPECT_THAT(unmet_promises(properties, tally),
              ElementsAre("only 999 cases passed on path serial"));
  tally.by_path.clear();
  EXPECT_THAT(unmet_promises(properties, tally), ElementsAre("only 0 cases passed on path serial"));
}

TEST(Promises, EachPathPassesAHundredCasesInAShortGate) {
  const OpProperties properties = gated_ledger(2000);
  Tally tally = kept_tally(properties, 2000);
  tally.by_path["serial"].passed = 99;
  EXPECT_THAT(unmet_promises(properties, tally),
              ElementsAre("only 99 cases passed on path serial"));
  tally.by_path["serial"].passed = 100;
  EXPECT_THAT(unmet_promises(properties, tally), IsEmpty());
}

TEST(Promises, EveryListedValuePassedAndEverySymbolByItsName) {
  const OpProperties properties = gated_ledger(4800);
  Tally tally = kept_tally(properties, 4800);
  tally.values_used[Index::kScale][0] = false;
  tally.values_used[Index::kScale][99] = false;
  tally.values_used[Index::kSign][1] = false;
  tally.by_variant["sign=minus"] = {.passed = 0, .failed = 3};
  EXPECT_THAT(unmet_promises(properties, tally),
              ElementsAre("2 values of scale were not used", "no case of sign=minus"));
}

TEST(Promises, AGateOfFewCasesNeedNotDrawEveryValue) {
  const OpProperties properties = gated_ledger(4799);
  Tally tally = kept_tally(properties, 4799);
  tally.values_used[Index::kScale][0] = false;
  EXPECT_THAT(unmet_promises(properties, tally), IsEmpty());
}

TEST(Promises, EveryDTypePassed) {
  const OpProperties properties = gated_ledger(1000);
  Tally tally = kept_tally(properties, 1000);
  tally.by_dtype.erase("parts=int64");
  EXPECT_THAT(unmet_promises(properties, tally), ElementsAre("no case of parts=int64"));
  tally.by_dtype["parts=int64"].failed = 7;
  EXPECT_THAT(unmet_promises(properties, tally), ElementsAre("no case of parts=int64"));
  tally.by_dtype.clear();
  EXPECT_THAT(unmet_promises(properties, tally),
              ElementsAre("no case of parts=int32", "no case of parts=int64"));
}

TEST(Promises, OptionalTensorsWereThereAndWereNot) {
  const OpProperties properties = gated_ledger(1000);
  for (const std::string state : {"bias present", "bias absent"}) {
    Tally tally = kept_tally(properties, 1000);
    tally.by_presence.erase(state);
    EXPECT_THAT(unmet_promises(properties, tally), ElementsAre("no case with " + state));
    tally.by_presence[state].failed = 1;
    EXPECT_THAT(unmet_promises(properties, tally), ElementsAre("no case with " + state));
  }
}

TEST(Promises, EveryLayoutThatATensorMayHavePassed) {
  const OpProperties properties = gated_ledger(1000);
  Tally tally = kept_tally(properties, 1000);
  tally.by_layout.erase("keys repeated");
  tally.by_layout["table compact"] = {.passed = 0, .failed = 2};
  tally.by_layout.erase("spread strided");
  EXPECT_THAT(unmet_promises(properties, tally),
              ElementsAre("no case with keys repeated", "no case with table compact",
                          "no case with spread strided"));
  tally.by_layout["spread rows strided"].passed = 1;
  tally.by_layout["table compact"].passed = 1;
  EXPECT_THAT(unmet_promises(properties, tally), ElementsAre("no case with keys repeated"));
}

TEST(Promises, SomeCaseOutsideTheContractWasSurvivedWhereThereAreInputs) {
  OpProperties properties = gated_ledger(1000);
  Tally tally = kept_tally(properties, 1000);
  tally.survivals = {.passed = 0, .failed = 3};
  EXPECT_THAT(unmet_promises(properties, tally),
              ElementsAre("no case with elements outside the contract was survived"));
  Op without_inputs = ledger_op();
  std::erase_if(without_inputs.tensors,
                [](const TensorSpec& spec) { return spec.role == Role::kInput; });
  properties.op = &without_inputs;
  EXPECT_THAT(unmet_promises(properties, tally), IsEmpty());
}

TEST(Promises, EveryModeThatHalfAGateDrawsOftenPassed) {
  const OpProperties properties = gated_ledger(3000);
  Tally tally = kept_tally(properties, 3000);
  for (const ModeSpec& spec : kModes) tally.by_mode[std::string(spec.name)].passed = 1;
  for (const BackendKind backend : {BackendKind::kHost, BackendKind::kCuda}) {
    EXPECT_THAT(unmet_modes(properties, backend, tally), IsEmpty());
  }
  tally.by_mode["again"].passed = 0;
  tally.by_mode.erase("strided");
  tally.by_mode.erase("other_stream");
  EXPECT_THAT(unmet_modes(properties, BackendKind::kHost, tally),
              ElementsAre("no case of mode again", "no case of mode strided"));
  tally.all.passed = 1499;
  EXPECT_THAT(unmet_modes(properties, BackendKind::kHost, tally), IsEmpty());
}

TEST(Promises, EveryRelationAppliedInATwentiethOfAGate) {
  OpProperties properties = gated_ledger(100000);
  properties.relations = {{.name = "often"}, {.name = "never"}};
  Tally tally = kept_tally(properties, 5000);
  tally.by_relation = {5000, 0};
  EXPECT_THAT(unmet_relations(properties, tally),
              ElementsAre("no case was held to relation never"));
  EXPECT_THAT(unmet_promises(properties, tally), IsEmpty()) << "a gate asks few of its cases";
  tally.by_relation[1] = 1;
  EXPECT_THAT(unmet_relations(properties, tally), IsEmpty());
  tally.by_relation[1] = 0;
  tally.all.passed = 4999;
  EXPECT_THAT(unmet_relations(properties, tally), IsEmpty());
}

TEST(Promises, AnEmptyGateBreaksThemAll) {
  const OpProperties properties = gated_ledger(4800);
  Tally tally(properties);
  tally.all.failed = 4800;
  tally.by_presence["bias present"].failed = 4800;
  EXPECT_THAT(unmet_promises(properties, tally),
              UnorderedElementsAre("only 0 cases passed on path serial", "no case of class any",
                                   "no case of class empty", "100 values of scale were not used",
                                   "no case of sign=plus", "no case of sign=minus",
                                   "no case of parts=int32", "no case of parts=int64",
                                   "no case with bias present", "no case with bias absent",
                                   "no case with keys compact", "no case with keys strided",
                                   "no case with keys repeated", "no case with table compact",
                                   "no case with table strided", "no case with table repeated",
                                   "no case with scaled compact", "no case with scaled strided",
                                   "no case with spread compact", "no case with spread strided",
                                   "no case with elements outside the contract was survived"));
}

}  // namespace
}  // namespace bytegate
