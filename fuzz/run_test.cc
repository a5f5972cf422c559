#include "fuzz/run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "fuzz/interrupted.h"
#include "fuzz/sources.h"
#include "oracles/case_text.h"
#include "oracles/paged_mqa_metadata.h"
#include "oracles/testing/temp_folder.h"

namespace bytegate {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const OpProperties& properties() {
  return *find_properties(all_properties(), paged_mqa_metadata_op());
}

// Batches of one case each, `num_batches` of them; `taken` counts.
CaseSource batches_of(const Case& c, int num_batches, int& taken) {
  return [c, num_batches, &taken]() -> std::optional<CaseBatch> {
    if (taken == num_batches) return std::nullopt;
    ++taken;
    return CaseBatch{.source = kGeneratedSource, .make = [c] { return std::vector<Case>{c}; }};
  };
}

class RunTest : public TempFolder {
 protected:
  [[nodiscard]] RunOptions options() const {
    RunOptions made;
    made.findings_dir = folder_.string();
    made.version = "1";
    return made;
  }
};

TEST_F(RunTest, ACaseIsOnDiskWhileItIsOnItsWayAndGoneAfterwards) {
  size_t num_seen = 0;
  const Case c = make_paged_mqa_metadata_case({1, 2, 3}, 4);
  // The second batch is asked for when the first is on its way.
  CaseSource source = [&, num_taken = 0]() mutable -> std::optional<CaseBatch> {
    if (num_taken++ == 2) return std::nullopt;
    num_seen = files().size();
    return CaseBatch{.source = kGeneratedSource, .make = [c] { return std::vector<Case>{c}; }};
  };
  const RunOutcome outcome = run(properties(), std::move(source), options());
  EXPECT_EQ(outcome.journal_error, "");
  EXPECT_EQ(outcome.tally.all.passed, 2);
  EXPECT_EQ(num_seen, 2U) << "the owner and one batch";
  EXPECT_THAT(files(), IsEmpty());
}

TEST_F(RunTest, ARunThatIsStoppedSettlesWhatIsOnItsWay) {
  std::atomic<int> num_asked = 0;
  RunOptions stopping = options();
  stopping.stop = [&] { return ++num_asked > 3; };
  int taken = 0;
  const RunOutcome outcome =
      run(properties(), batches_of(make_paged_mqa_metadata_case({1}, 2), 100, taken), stopping);
  EXPECT_TRUE(outcome.stopped);
  EXPECT_EQ(outcome.tally.all.passed, 3);
  EXPECT_THAT(files(), IsEmpty());
}

TEST_F(RunTest, ARunThatHasNoMoreToDoWasNotStopped) {
  RunOptions stopping = options();
  int taken = 0;
  stopping.stop = [&] { return taken == 3; };
  CaseSource source = batches_of(make_paged_mqa_metadata_case({1}, 2), 2, taken);
  EXPECT_FALSE(run(properties(), std::move(source), stopping).stopped);
}

TEST_F(RunTest, AJournalThatCannotBeKeptIsSaidAndTheCasesRun) {
  RunOptions nowhere = options();
  nowhere.findings_dir = "/proc/nothing";
  int taken = 0;
  const RunOutcome outcome =
      run(properties(), batches_of(make_paged_mqa_metadata_case({1}, 2), 2, taken), nowhere);
  EXPECT_EQ(outcome.tally.all.passed, 2);
  EXPECT_NE(outcome.journal_error, "");
}

TEST_F(RunTest, InterruptedCasesAreForgottenOnceTheyHaveVerdictsAndAreNotGenerated) {
  InterruptedRun left;
  int num_forgotten = 0;
  const std::vector<Case> cases = {make_paged_mqa_metadata_case({1}, 2)};
  left.batches.push_back({.cases = cases, .forget = [&] { ++num_forgotten; }});
  left.batches.push_back({.cases = cases, .forget = [&] { ++num_forgotten; }});
  RunOptions late = options();
  late.deadline = std::chrono::steady_clock::now();
  const RunOutcome outcome = run(properties(), source_of_interrupted({&left}), late);
  EXPECT_EQ(outcome.tally.by_source.at("interrupted").passed, 2);
  EXPECT_EQ(outcome.generated.all.passed, 0);
  EXPECT_EQ(num_forgotten, 2);
}

TEST_F(RunTest, AnInterruptedCaseThatWasNotRunIsNotForgotten) {
  InterruptedRun left;
  left.batches.push_back({.cases = {make_paged_mqa_metadata_case({1}, 2)},
                          .forget = [] { FAIL() << "it has no verdict"; }});
  RunOptions stopping = options();
  stopping.stop = [] { return true; };
  EXPECT_TRUE(run(properties(), source_of_interrupted({&left}), stopping).stopped);
}

TEST_F(RunTest, ARunThatFailsFastEndsOnceItsFirstFailureIsKept) {
  const Case good = make_paged_mqa_metadata_case({256, 256}, 2);
  const Case bad = make_paged_mqa_metadata_case({700, 1, 513}, 5);
  RunOptions wrong = options();
  wrong.candidate = BYTEGATE_SCHEDULE_WRONG;
  for (const bool fail_fast : {false, true}) {
    wrong.fail_fast = fail_fast;
    int taken = 0;
    const RunOutcome outcome = run(
        properties(),
        [&]() -> std::optional<CaseBatch> {
          if (taken == 20) return std::nullopt;
          const Case c = taken++ < 5 ? good : bad;
          return CaseBatch{.source = kGeneratedSource, .make = [c] { return std::vector{c}; }};
        },
        wrong);
    EXPECT_EQ(outcome.failed_fast, fail_fast);
    EXPECT_FALSE(outcome.stopped);
    EXPECT_EQ(outcome.tally.all.passed, 5);
    EXPECT_EQ(outcome.tally.all.failed, fail_fast ? 2 : 15) << "one more was on its way";
    ASSERT_THAT(outcome.findings, SizeIs(1));
    EXPECT_EQ(outcome.findings[0].after_cases, 5);
    EXPECT_TRUE(outcome.findings[0].minimal);
  }
}

TEST_F(RunTest, AFailureInSeveralModesIsOneFindingInOneFile) {
  std::vector<Case> cases;
  for (const Mode mode : {Mode::kGuardBefore, Mode::kElementAligned, Mode::kOtherStream,
                          Mode::kTwoStreams, Mode::kOverwritten}) {
    cases.push_back(make_paged_mqa_metadata_case({700, 1, 513}, 5));
    cases.back().mode = mode;
  }
  RunOptions wrong = options();
  wrong.candidate = BYTEGATE_SCHEDULE_WRONG;
  const RunOutcome outcome = run(
      properties(),
      [&, given = false]() mutable -> std::optional<CaseBatch> {
        if (std::exchange(given, true)) return std::nullopt;
        return CaseBatch{.source = kGeneratedSource, .make = [&] { return cases; }};
      },
      wrong);
  ASSERT_THAT(outcome.findings, SizeIs(1));
  EXPECT_EQ(outcome.findings[0].verdict.origin, "mismatch:schedule_metadata");
  EXPECT_EQ(outcome.findings[0].num_failures, 5);
  EXPECT_TRUE(outcome.findings[0].minimal);
  EXPECT_THAT(files(), ElementsAre(outcome.findings[0].file));
}

TEST(CandidateIdentity, IsTheSameForAllNamesOfALibrary) {
  const fs::path library = BYTEGATE_SCHEDULE_WRONG;
  EXPECT_EQ(candidate_identity("production"), "production");
  EXPECT_EQ(candidate_identity(fs::proximate(library).string()), library);
  EXPECT_EQ(candidate_identity((library.parent_path() / "." / library.filename()).string()),
            library);
}

}  // namespace
}  // namespace bytegate
