#include "ci/cli/report_campaign.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "oracles/paged_mqa_metadata.h"

namespace bytegate::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const OpProperties& schedule() {
  return *find_properties(all_properties(), paged_mqa_metadata_op());
}

CampaignRow row_of(BackendKind backend, int64_t num_slices, int64_t num_slices_now) {
  CampaignRow row;
  row.properties = &schedule();
  row.backend = backend;
  row.sum.passed = 10;
  row.sum.verdicts = {{"pass", 10}};
  row.num_slices = num_slices;
  row.num_slices_now = num_slices_now;
  return row;
}

Finding finding_of(VerdictKind kind, const std::string& origin) {
  Finding finding;
  finding.op = schedule().op->name;
  finding.source = "state";
  finding.kept = make_paged_mqa_metadata_case({1}, 2);
  finding.verdict = {.kind = kind, .origin = origin};
  return finding;
}

Report report_of(CampaignOutcome outcome) {
  Report report;
  report.candidate = "test 1";
  enter_campaign(std::move(outcome), {}, {}, report);
  return report;
}

TEST(ReportOfACampaign, ACrashOutranksAWrongByteInEitherOrder) {
  const Finding wrong = finding_of(VerdictKind::kMismatch, "mismatch:schedule_metadata");
  const Finding crash = finding_of(VerdictKind::kCrashed, "crashed:kernel");
  for (const auto& findings : {std::vector{wrong, crash}, std::vector{crash, wrong}}) {
    CampaignOutcome outcome;
    outcome.rows = {row_of(BackendKind::kHost, 3, 3)};
    outcome.findings = findings;
    EXPECT_EQ(exit_code_of(report_of(std::move(outcome))), 3);
  }
}

TEST(ReportOfACampaign, SlicesThatEndedEarlyNeedAFinding) {
  CampaignOutcome outcome;
  outcome.rows = {row_of(BackendKind::kHost, 3, 3)};
  outcome.rows.front().num_early_ends = 1;
  EXPECT_THAT(report_of(outcome).unmet, ElementsAre(HasSubstr("1 slices ended early")));
  outcome.findings = {finding_of(VerdictKind::kCrashed, "crashed:target")};
  EXPECT_THAT(report_of(outcome).unmet, IsEmpty());
}

TEST(ReportOfACampaign, AGpuThatMustRunHasToFinishASliceNow) {
  for (const auto& [num_slices, num_slices_now] : {std::pair{0, 0}, {3, 0}, {3, 1}}) {
    CampaignOutcome outcome;
    outcome.rows = {row_of(BackendKind::kHost, 3, 3),
                    row_of(BackendKind::kCuda, num_slices, num_slices_now)};
    Report report = report_of(std::move(outcome));
    demand_slices_now(BackendKind::kCuda, report);
    EXPECT_EQ(report.unmet.empty(), num_slices_now > 0);
  }
}

}  // namespace
}  // namespace bytegate::cli
