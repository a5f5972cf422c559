// What becomes of a case that never got a verdict, since others took its worker with them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fuzz/keeper.h"
#include "fuzz/testing/temp_folder.h"
#include "oracles/paged_mqa_metadata.h"

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
  // As failures of a run with that candidate, one after the other.
  std::vector<Finding> keep(const std::string& candidate, const std::vector<Verdict>& verdicts) {
    RunOptions options;
    options.candidate = candidate;
    options.findings_dir = folder_.string();
    Keeper keeper(properties(), options);
    const std::unique_ptr<Candidate> opened = open_candidate(candidate).candidate;
    const BackendResult backend = open_backend(BackendKind::kHost, {});
    for (const Verdict& verdict : verdicts) {
      keeper.keep({.kept = make_paged_mqa_metadata_case({600, 0, 1, 300}, 4),
                   .verdict = verdict,
                   .source = "generated",
                   .file = ""},
                  *opened, *backend.backend);
    }
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

// Nothing is lost silently: then it was no candidate that took the worker.
TEST_F(UntestedCases, OneThatPassesAloneIsKeptWhereNothingElseFailed) {
  const std::vector<Finding> findings = keep("production", {kLost, kLost});
  ASSERT_THAT(findings, SizeIs(1));
  EXPECT_EQ(findings[0].verdict.origin, "untested");
  EXPECT_THAT(findings[0].kept.origin, HasSubstr("untested"));
}

}  // namespace
}  // namespace bytegate
