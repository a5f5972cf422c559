#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "fuzz/finding_folder.h"
#include "fuzz/reproducer/cpp_reproducer.h"
#include "fuzz/reproducer/python_reproducer.h"
#include "oracles/paged_mqa_metadata.h"
#include "oracles/testing/temp_folder.h"

namespace bytegate {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

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

class FindingFolder : public TempFolder {
 protected:
  void write(const FindingContext& context) {
    Finding finding;
    finding.kept = make_paged_mqa_metadata_case({1000, 2}, 3);
    finding.op = finding.kept.op->name;
    finding.verdict = {.kind = VerdictKind::kMismatch, .origin = "mismatch:schedule_metadata"};
    finding.file = path("one.case");
    const OpProperties& properties = *find_properties(all_properties(), *finding.kept.op);
    ASSERT_EQ(write_finding_folder(finding, properties, context).value_or(""), "");
  }

  [[nodiscard]] std::map<std::string, std::string> held() const {
    std::map<std::string, std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(path("one"))) {
      files[entry.path().filename()] = text_of(entry.path());
    }
    return files;
  }

  const FindingContext here_ = {
      .candidate = BYTEGATE_SCHEDULE_WRONG, .backend_description = "here", .program_version = "1"};
};

TEST_F(FindingFolder, HasTheSameBytesForTheSameFinding) {
  write(here_);
  const auto first = held();
  write(here_);
  EXPECT_EQ(held(), first);
  EXPECT_EQ(first.size(), 5U);
  for (const char* name : {"README.md", "difference.txt", "reproducer.cc", "reproducer.py"}) {
    ASSERT_TRUE(first.count(name) == 1) << name;
    EXPECT_THAT(first.at(name), Not(IsEmpty())) << name;
  }
  EXPECT_THAT(first.at("difference.txt"), HasSubstr(": expect "));
  EXPECT_THAT(first.rbegin()->first, StartsWith("versions-"));
}

TEST_F(FindingFolder, OfTwoMachinesDiffersByWhichTheyAre) {
  write(here_);
  const auto first = held();
  FindingContext there = here_;
  there.backend_description = "there";
  write(there);
  auto both = held();
  EXPECT_EQ(both.size(), first.size() + 1);
  for (const auto& [name, text] : first) EXPECT_EQ(both[name], text) << name;
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
