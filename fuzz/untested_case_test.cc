// What becomes of a case that never got a verdict, since others took its worker with them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fuzz/keeper.h"
#include "oracles/paged_mqa_metadata.h"
#include "oracles/testing/temp_folder.h"

namespace bytegate {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr const char* kMismatch = "mismatch:schedule_metadata";
const Verdict kLost = {.kind = VerdictKind::kUntested, .origin = "untested", .message = "lost"};

const OpProperties& properties() {
  return *find_properties(all_properties(), paged_mqa_metadata_op());
}

class UntestedCases : public TempFolder {
 protected:
  // Whether it is a finding.
  static bool keep_in(Keeper& keeper, const std::string& candidate, const Verdict& verdict) {
    const std::unique_ptr<Candidate> opened = open_candidate(candidate).candidate;
    const BackendResult backend = open_backend(BackendKind::kHost, {});
    FailedCase failed = {.kept = make_paged_mqa_metadata_case({600, 0, 1, 300}, 4),
                         .verdict = verdict,
                         .source = "generated",
                         .file = ""};
    return keeper.keep(std::move(failed), *opened, *backend.backend).has_value();
  }

  // As failures of a run with that candidate, one after the other.
  std::vector<Finding> keep(const std::string& candidate, const std::vector<Verdict>& verdicts) {
    RunOptions options;
    options.candidate = candidate;
    options.findings_dir = folder_.string();
    Keeper keeper(properties(), options);
    for (const Verdict& verdict : verdicts) keep_in(keeper, candidate, verdict);
    return keeper.take_findings();
  }
};

TEST_F(UntestedCases, OneThatFailsAloneIsAFindingOfThatOrigin) {
  const std::vector<Finding> findings = keep(BYTEGATE_SCHEDULE_WRONG, {kLost, kLost, kLost});
  ASSERT_THAT(findings, SizeIs(1));
  EXPECT_EQ(findings[0].verdict.origin, kMismatch);
  EXPECT_EQ(findings[0].num_failures, 3);
  EXPECT_TRUE(findings[0].minimal);
  EXPECT_THAT(files(), ElementsAre(findings[0].file));
}

TEST_F(UntestedCases, OneThatPassesAloneIsNoFindingBesideAnother) {
  const Verdict crashed = {.kind = VerdictKind::kCrashed, .origin = "crashed", .message = "gone"};
  const std::vector<Finding> findings = keep("production", {crashed, kLost});
  ASSERT_THAT(findings, SizeIs(1));
  EXPECT_EQ(findings[0].kept.origin, "crashed");
  EXPECT_EQ(findings[0].num_failures, 1);
}

// However many they are: most are not asked.
TEST_F(UntestedCases, AHundredBesideAnotherMakeNoFinding) {
  std::vector<Verdict> verdicts(101, kLost);
  verdicts.front() = {.kind = VerdictKind::kCrashed, .origin = "crashed", .message = "gone"};
  EXPECT_THAT(keep("production", verdicts), SizeIs(1));
}

TEST_F(UntestedCases, AFindingOfAnEarlierRunAnswersForNone) {
  RunOptions options;
  options.candidate = "production";
  Keeper keeper(properties(), options);
  Finding earlier;
  earlier.verdict = {.kind = VerdictKind::kCrashed, .origin = "crashed", .message = "gone"};
  keeper.know(earlier);
  EXPECT_TRUE(keep_in(keeper, options.candidate, kLost));
}

// A run that is to end leaves no time to ask.
TEST_F(UntestedCases, OneOfARunThatIsToStopIsKept) {
  RunOptions options;
  options.candidate = "production";
  Keeper keeper(properties(), options);
  const Verdict crashed = {.kind = VerdictKind::kCrashed, .origin = "crashed", .message = "gone"};
  EXPECT_TRUE(keep_in(keeper, options.candidate, crashed));
  options.stop = [] { return true; };
  EXPECT_TRUE(keep_in(keeper, options.candidate, kLost));
}

// Nothing is lost silently: then it was no candidate that took the worker.
TEST_F(UntestedCases, OneThatPassesAloneIsKeptWhereNothingElseFailed) {
  const std::vector<Finding> findings = keep("production", {kLost, kLost});
  ASSERT_THAT(findings, SizeIs(1));
  EXPECT_EQ(findings[0].verdict.origin, "untested");
  EXPECT_THAT(findings[0].kept.origin, HasSubstr("untested"));
}

}  // namespace
}  // namespace bytegate
