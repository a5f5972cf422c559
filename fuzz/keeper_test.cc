#include "fuzz/keeper.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>
#include <thread>

#include "oracles/case_text.h"
#include "oracles/testing/temp_folder.h"
#include "properties/check.h"
#include "properties/testing/ledger_op.h"

namespace bytegate {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

// Crashes in some modes, and is right in the others.
class FragileBackend final : public Backend {
 public:
  explicit FragileBackend(std::set<Mode> crashing) : crashing_(std::move(crashing)) {}
  [[nodiscard]] BackendKind kind() const override { return BackendKind::kHost; }
  [[nodiscard]] std::string description() const override { return "fragile"; }
  std::unique_ptr<Submission> submit(Candidate&, std::span<const Case> cases) override {
    class Ready final : public Submission {
     public:
      explicit Ready(std::vector<RunResult> results) : results_(std::move(results)) {}
      std::vector<RunResult> collect() override { return results_; }

     private:
      std::vector<RunResult> results_;
    };
    if (on_submit) on_submit();
    std::vector<RunResult> results;
    for (const Case& c : cases) results.push_back(result_of(c));
    return std::make_unique<Ready>(std::move(results));
  }

  std::function<void()> on_submit = nullptr;

 private:
  [[nodiscard]] RunResult result_of(const Case& c) const {
    if (crashing_.count(c.mode) > 0) return {.status = RunStatus::kFault, .message = "crash"};
    RunResult result = {.status = RunStatus::kDone};
    for (const size_t step : launched_steps(c)) {
      result.steps.push_back({.outputs = expected_outputs(at_step(c, step)),
                              .untouched = std::vector<ElementSet>(c.tensors.size()),
                              .damage = std::nullopt});
    }
    return result;
  }

  std::set<Mode> crashing_;
};

constexpr std::array kModesHere = {Mode::kGuardBefore, Mode::kOtherStream, Mode::kGuardBefore,
                                   Mode::kTwoStreams, Mode::kPlain};

class KeeperTest : public TempFolder {
 protected:
  // Checks a case in each of the modes and keeps what fails.
  std::vector<Finding> keep_all(FragileBackend& backend, const RunOptions& options) {
    Keeper keeper(properties_, options);
    for (const Mode mode : kModesHere) {
      Case c = make_ledger_case(2, 2);
      c.mode = mode;
      const Verdict verdict = check({&c, 1}, *candidate_, backend, properties_).front();
      if (verdict.passed()) continue;
      keeper.keep({.kept = c, .verdict = verdict, .source = "generated", .file = ""}, *candidate_,
                  backend);
    }
    return keeper.take_findings();
  }

  const OpProperties properties_ = ledger_properties();
  const std::unique_ptr<Candidate> candidate_ = open_candidate("production").candidate;
};

TEST_F(KeeperTest, AFlawOfPlainLaunchesThatIsSeenInManyModesIsOneFinding) {
  FragileBackend backend({kModesHere.begin(), kModesHere.end()});
  const std::vector<Finding> findings = keep_all(backend, {});
  ASSERT_THAT(findings, SizeIs(1));
  EXPECT_EQ(findings[0].verdict.origin, "crashed");
  EXPECT_EQ(findings[0].kept.mode, Mode::kPlain);
  EXPECT_EQ(findings[0].num_failures, 5);
}

TEST_F(KeeperTest, AFlawOfAModeKeepsIt) {
  FragileBackend backend({Mode::kGuardBefore, Mode::kTwoStreams});
  const std::vector<Finding> findings = keep_all(backend, {});
  ASSERT_THAT(findings, SizeIs(2));
  EXPECT_EQ(findings[0].verdict.origin, "crashed@guard_before");
  EXPECT_EQ(findings[0].kept.mode, Mode::kGuardBefore);
  EXPECT_EQ(findings[0].num_failures, 2);
  EXPECT_EQ(findings[1].verdict.origin, "crashed@two_streams");
}

TEST_F(KeeperTest, APlainLaunchIsTriedOnceForEachOrigin) {
  FragileBackend backend({kModesHere.begin(), kModesHere.end()});
  int num_submitted = 0;
  backend.on_submit = [&] { ++num_submitted; };
  keep_all(backend, {});
  EXPECT_EQ(num_submitted, 5 + 3);
}

TEST_F(KeeperTest, AFindingIsOnDiskBeforeItIsMadeSmall) {
  FragileBackend backend({Mode::kPlain});
  std::vector<size_t> num_files;
  std::string first_text;
  RunOptions options;
  options.findings_dir = folder_.string();
  Keeper keeper(properties_, options);
  backend.on_submit = [&] {
    num_files.push_back(files().size());
    if (num_files.size() > 1) return;
    const std::array<const Op*, 1> ops = {&ledger_op()};
    const LoadResult first = load_case(files().at(0).string(), ops);
    ASSERT_TRUE(first.value) << first.error;
    EXPECT_EQ(first.value->tensors, make_ledger_case(20, 5).tensors);
    EXPECT_THAT(first.value->note, HasSubstr("; not minimised"));
  };
  keeper.keep({.kept = make_ledger_case(20, 5),
               .verdict = {.kind = VerdictKind::kCrashed, .origin = "crashed"},
               .source = "generated",
               .file = ""},
              *candidate_, backend);
  EXPECT_GT(num_files.size(), 3U);
  EXPECT_THAT(num_files, Each(1U));
  const std::vector<Finding> findings = keeper.take_findings();
  ASSERT_THAT(files(), ElementsAre(findings.at(0).file)) << "the first file is still there";
  EXPECT_TRUE(findings[0].minimal);
  const std::array<const Op*, 1> ops = {&ledger_op()};
  EXPECT_THAT(load_case(findings[0].file, ops).value->note, Not(HasSubstr("minimised")));
}

TEST_F(KeeperTest, ARunThatIsToStopSavesWhatFailedAndRunsNothingMore) {
  FragileBackend backend({Mode::kPlain, Mode::kGuardBefore});
  bool ran = false;
  backend.on_submit = [&] { ran = true; };
  RunOptions options;
  options.findings_dir = folder_.string();
  options.stop = [] { return true; };
  Keeper keeper(properties_, options);
  keeper.keep({.kept = make_ledger_case(20, 5),
               .verdict = {.kind = VerdictKind::kCrashed, .origin = "crashed@guard_before"},
               .source = "generated",
               .file = ""},
              *candidate_, backend);
  EXPECT_FALSE(ran);
  EXPECT_THAT(files(), SizeIs(1));
  const std::vector<Finding> findings = keeper.take_findings();
  EXPECT_EQ(findings.at(0).file, files().at(0));
  EXPECT_FALSE(findings.at(0).minimal);
  EXPECT_THAT(findings.at(0).replay, HasSubstr("replay"));
}

TEST_F(KeeperTest, ThreadsThatSeeTheSameFlawAgreeOnOneFinding) {
  RunOptions options;
  Keeper keeper(properties_, options);
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        FragileBackend backend({kModesHere.begin(), kModesHere.end()});
        for (const Mode mode : kModesHere) {
          Case c = make_ledger_case(2, 2);
          c.mode = mode;
          const Verdict verdict = check({&c, 1}, *candidate_, backend, properties_).front();
          keeper.keep({.kept = c, .verdict = verdict, .source = "generated", .file = ""},
                      *candidate_, backend);
        }
      });
    }
  }
  const std::vector<Finding> findings = keeper.take_findings();
  ASSERT_THAT(findings, SizeIs(1));
  EXPECT_EQ(findings[0].num_failures, 20);
}

}  // namespace
}  // namespace bytegate
