#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "fuzz/finding_folder.h"
#include "fuzz/reproducer/cpp_reproducer.h"
#include "fuzz/reproducer/python_reproducer.h"
#include "fuzz/testing/temp_folder.h"
#include "oracles/paged_mqa_metadata.h"

namespace bytegate {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

Elements elements(std::vector<int32_t> values) {
  return Elements(std::move(values));
}

CasePlan plan_on(BackendKind backend, Mode mode) {
  Case c = make_paged_mqa_metadata_case({1, 2, 3}, 4);
  c.mode = mode;
  return plan_reproducer(c, "mismatch:schedule_metadata", backend, {});
}

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(ValueRuns, OneRunHoldsWhatCountsUp) {
  EXPECT_THAT(value_runs(elements({3, 5, 7, 9})), ElementsAre(ValueRun{0, 4, 3, 2}));
  EXPECT_THAT(value_runs(elements({})), IsEmpty());
}

TEST(ValueRuns, AnotherStepBeginsAnotherRun) {
  EXPECT_THAT(value_runs(elements({1, 1, 1, 9})),
              ElementsAre(ValueRun{0, 3, 1, 0}, ValueRun{3, 1, 9, 0}));
}

TEST(ValueRuns, WhatIsNotHeldIsInNoRun) {
  EXPECT_THAT(value_runs(elements({4, 4, 4}), {1, 0, 1}),
              ElementsAre(ValueRun{0, 1, 4, 0}, ValueRun{2, 1, 4, 0}));
}

TEST(ValueRuns, AStepThatDoesNotFitBeginsAnotherRun) {
  EXPECT_THAT(value_runs(Elements(std::vector<int64_t>{INT64_MIN, INT64_MAX})),
              ElementsAre(ValueRun{0, 1, INT64_MIN, 0}, ValueRun{1, 1, INT64_MAX, 0}));
}

TEST(Reproducer, SaysWhatItDoesNotDo) {
  const CasePlan plan = plan_on(BackendKind::kCuda, Mode::kTwoStreams);
  EXPECT_THAT(cpp_reproducer(plan), HasSubstr("There is no second instance"));
  EXPECT_THAT(python_reproducer(plan), HasSubstr("There is no second instance"));
  EXPECT_THAT(cpp_reproducer(plan_on(BackendKind::kCuda, Mode::kGraph)),
              Not(HasSubstr("Not as in the run")));
}

TEST(Reproducer, ThatOfTheHostNeedsNoToolkit) {
  EXPECT_THAT(cpp_reproducer(plan_on(BackendKind::kHost, Mode::kPlain)),
              Not(HasSubstr("cuda_runtime")));
  EXPECT_THAT(cpp_reproducer(plan_on(BackendKind::kCuda, Mode::kPlain)),
              HasSubstr("#include <cuda_runtime_api.h>"));
}

TEST(Reproducer, QuotesWhateverANameHolds) {
  EXPECT_EQ(quoted_text("a\"b\\c\n?"), R"("a\"b\\c\012\077")");
}

class FindingFolder : public TempFolder {};

TEST_F(FindingFolder, HasTheSameBytesForTheSameFinding) {
  Finding finding;
  finding.kept = make_paged_mqa_metadata_case({1000, 2}, 3);
  finding.op = finding.kept.op->name;
  finding.verdict = {.kind = VerdictKind::kMismatch, .origin = "mismatch:schedule_metadata"};
  finding.file = path("one.case");
  const FindingContext context = {
      .candidate = BYTEGATE_SCHEDULE_WRONG, .backend_description = "here", .program_version = "1"};
  const OpProperties& properties = *find_properties(all_properties(), *finding.kept.op);
  std::vector<std::string> texts;
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(write_finding_folder(finding, properties, context).value_or(""), "");
    std::string text;
    for (const char* name :
         {"README.md", "difference.txt", "versions.txt", "reproducer.cc", "reproducer.py"}) {
      const std::string held = text_of(path(std::string("one/") + name));
      EXPECT_THAT(held, Not(IsEmpty())) << name;
      text += held;
    }
    texts.push_back(text);
  }
  EXPECT_EQ(texts[0], texts[1]);
  EXPECT_THAT(text_of(path("one/difference.txt")), HasSubstr(": expect "));
}

TEST_F(FindingFolder, OfAFindingWithoutAFileIsRefused) {
  Finding finding;
  finding.kept = make_paged_mqa_metadata_case({1}, 1);
  const auto error = write_finding_folder(
      finding, *find_properties(all_properties(), *finding.kept.op), FindingContext{});
  EXPECT_THAT(error.value_or(""), HasSubstr("without a file"));
}

}  // namespace
}  // namespace bytegate
