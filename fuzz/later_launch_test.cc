// Flaws that an earlier launch brings about: one finding each, of a case that shows it by itself.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fuzz/flaw.h"
#include "fuzz/keeper.h"
#include "fuzz/sources.h"
#include "oracles/case_text.h"
#include "oracles/paged_mqa_metadata.h"
#include "oracles/testing/temp_folder.h"

namespace bytegate {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

constexpr const char* kAlways = "mismatch:schedule_metadata";
constexpr const char* kLaunchedAgain = "unstable:schedule_metadata@again";

const OpProperties& properties() {
  return *find_properties(all_properties(), paged_mqa_metadata_op());
}

// The library is wrong in every launch of a process but the first.
class LaterLaunches : public TempFolder {
 protected:
  void SetUp() override {
    TempFolder::SetUp();
    options_.candidate = BYTEGATE_REMEMBERS_LIBRARY;
    options_.findings_dir = folder_.string();
  }

  // As a run does that has launched before, or not.
  std::optional<Finding> keep(Keeper& keeper, const Case& c, bool launched_before) {
    const BackendResult backend = open_backend(BackendKind::kHost, {});
    if (launched_before) check({&c, 1}, *candidate_, *backend.backend, properties());
    const Verdict verdict = check({&c, 1}, *candidate_, *backend.backend, properties()).front();
    EXPECT_FALSE(verdict.passed());
    return keeper.keep({.kept = c, .verdict = verdict, .source = "generated", .file = ""},
                       *candidate_, *backend.backend);
  }

  // What a replay of the one finding says.
  void expect_replay(const Finding& finding) {
    const LoadResult loaded = load_case(finding.file, all_ops());
    ASSERT_TRUE(loaded.value) << loaded.error;
    EXPECT_THAT(loaded.value->note, Not(HasSubstr("alone")));
    EXPECT_EQ(loaded.value->origin, finding.verdict.origin);
    const BackendResult backend = open_backend(BackendKind::kHost, {});
    const Verdict verdict =
        check({&*loaded.value, 1}, *candidate_, *backend.backend, properties()).front();
    EXPECT_EQ(verdict.origin, finding.verdict.origin);
  }

  RunOptions options_;
  const std::unique_ptr<Candidate> candidate_ =
      open_candidate(BYTEGATE_REMEMBERS_LIBRARY).candidate;
};

TEST_F(LaterLaunches, AFlawThatAnEarlierCaseBringsAboutIsKeptAsACaseThatIsLaunchedTwice) {
  Keeper keeper(properties(), options_);
  const Case plain = make_paged_mqa_metadata_case({1, 2, 3}, 4);
  const std::optional<Finding> finding = keep(keeper, plain, true);
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->verdict.origin, kLaunchedAgain);
  EXPECT_EQ(finding->kept.mode, Mode::kAgain);
  EXPECT_TRUE(finding->minimal);
  EXPECT_EQ(finding->kept.dims[0], 0) << "small as well";
  expect_replay(*finding);
  EXPECT_THAT(files(), ElementsAre(finding->file));
}

TEST_F(LaterLaunches, InWhateverModeItIsSeenItIsOneFinding) {
  Keeper keeper(properties(), options_);
  Case c = make_paged_mqa_metadata_case({1, 2, 3}, 4);
  for (const bool launched_before : {true, false}) {
    for (const Mode mode : {Mode::kPlain, Mode::kAgain, Mode::kStrided, Mode::kGraph}) {
      c.mode = mode;
      c.later_steps.assign(mode == Mode::kGraph ? 1 : 0, {});
      const bool shows = launched_before || mode == Mode::kAgain || mode == Mode::kGraph;
      if (shows) keep(keeper, c, launched_before);
    }
  }
  const std::vector<Finding> findings = keeper.take_findings();
  ASSERT_THAT(findings, SizeIs(1));
  EXPECT_EQ(findings[0].verdict.origin, kLaunchedAgain);
  EXPECT_EQ(findings[0].num_failures, 6);
  EXPECT_THAT(files(), ElementsAre(findings[0].file));
}

TEST_F(LaterLaunches, AStepThatFailsForTheLaunchBeforeItIsLaunchedTwice) {
  Keeper keeper(properties(), options_);
  Case c = make_paged_mqa_metadata_case({1, 2, 3}, 4);
  c.later_steps.push_back(
      {.changes = {{.tensor = 0, .elements = Elements(std::vector<int32_t>{600, 700, 800})}}});
  const std::optional<Finding> finding = keep(keeper, c, false);
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->verdict.origin, kLaunchedAgain);
  EXPECT_THAT(finding->kept.later_steps, IsEmpty());
  expect_replay(*finding);
}

TEST_F(LaterLaunches, AnotherFlawOfTheSameBytesIsAFindingOfItsOwn) {
  for (const bool later_first : {true, false}) {
    Keeper keeper(properties(), options_);
    const Case at_once = make_paged_mqa_metadata_case({1, 2, 3}, 7);
    if (!later_first) {
      EXPECT_TRUE(keep(keeper, at_once, false));
    }
    Case later = make_paged_mqa_metadata_case({1, 2, 3}, 4);
    if (!later_first) later.mode = Mode::kAgain;
    EXPECT_TRUE(keep(keeper, later, later_first));
    EXPECT_FALSE(keep(keeper, later, true)) << "counted";
    EXPECT_EQ(keeper.knows(kAlways), !later_first);
    if (later_first) {
      EXPECT_TRUE(keep(keeper, at_once, true));
    }
    std::vector<std::string> origins;
    for (const Finding& finding : keeper.take_findings()) {
      expect_replay(finding);
      origins.push_back(finding.verdict.origin);
    }
    EXPECT_THAT(origins, UnorderedElementsAre(kAlways, kLaunchedAgain));
  }
}

TEST_F(LaterLaunches, ALongRunOnManyThreadsFindsEachOnce) {
  options_.num_jobs = 2;
  const RunOutcome outcome =
      run(properties(), source_of_generator(properties(), {.num_cases = 600}, BackendKind::kHost),
          options_);
  EXPECT_EQ(outcome.error, "");
  std::vector<std::string> origins;
  for (const Finding& finding : outcome.findings) {
    expect_replay(finding);
    origins.push_back(finding.verdict.origin);
  }
  EXPECT_THAT(origins, ElementsAre(kLaunchedAgain));
}

TEST(Flaws, AMismatchIsUnstableWhereALaunchBeforeItWasRight) {
  EXPECT_TRUE(is_same_flaw("mismatch:a", "unstable:a@again"));
  EXPECT_TRUE(is_same_flaw("crashed@strided", "crashed"));
  EXPECT_FALSE(is_same_flaw("mismatch:a", "unstable:b@again"));
  EXPECT_FALSE(is_same_flaw("unwritten:a", "unstable:a@again"));
}

}  // namespace
}  // namespace bytegate
