#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "fuzz/guided/case_bytes.h"
#include "fuzz/guided/input_mutator.h"
#include "fuzz/guided/op_target.h"
#include "oracles/case_text.h"
#include "oracles/paged_mqa_metadata.h"
#include "oracles/testing/temp_folder.h"
#include "properties/op_properties.h"

namespace bytegate {
namespace {

constexpr size_t kRoom = size_t{1} << 16;

std::vector<uint8_t> mutated_input(const OpProperties& properties, std::vector<uint8_t> input,
                                   uint64_t seed) {
  const std::vector<uint8_t> before = input;
  input.resize(kRoom);
  input.resize(mutate_input(properties, before, input, seed));
  return input;
}

const OpProperties& schedule_properties() {
  return *find_properties(all_properties(), paged_mqa_metadata_op());
}

TEST(Mutator, TheSameSeedMakesTheSameInput) {
  for (const OpProperties& properties : all_properties()) {
    std::vector<uint8_t> input;
    for (uint64_t seed = 0; seed < 200; ++seed) {
      const std::vector<uint8_t> once = mutated_input(properties, input, seed);
      EXPECT_EQ(mutated_input(properties, input, seed), once);
      input = once;
    }
  }
}

TEST(Mutator, MostOfWhatAChainOfChangesGivesIsValid) {
  for (const OpProperties& properties : all_properties()) {
    int num_valid = 0;
    int num_refused = 0;
    int num_calls = 0;
    for (uint64_t chain = 0; chain < 20; ++chain) {
      std::vector<uint8_t> input;
      for (uint64_t i = 0; i < 20; ++i, ++num_calls) {
        input = mutated_input(properties, input, chain * 1000 + i);
        const Case c = case_of_bytes(*properties.op, input);
        ASSERT_EQ(malformed_reason(c), std::nullopt);
        if (c.expect == Expect::kBytes) ++num_valid;
        if (c.expect == Expect::kRefused) ++num_refused;
      }
    }
    EXPECT_GE(num_valid, num_calls / 2) << properties.op->name;
    EXPECT_GT(num_refused, 0) << properties.op->name;
  }
}

TEST(Mutator, SomeElementsLeaveTheirRangeOnPurpose) {
  for (const OpProperties& properties : all_properties()) {
    Case c = make_case(*properties.op);
    for (const size_t seed : {size_t{1}, size_t{2}, size_t{3}}) {
      Draw draw(seed);
      const Case drawn = properties.generate(draw);
      if (bytes_of_case(drawn)) c = drawn;
    }
    const std::vector<uint8_t> start = bytes_of_case(c).value();
    // One change in 300 is of this kind; which one depends on the compiler's order of draws.
    constexpr uint64_t kMostTries = 20'000;
    bool leaves = false;
    for (uint64_t seed = 0; seed < kMostTries && !leaves; ++seed) {
      const Case changed = case_of_bytes(*properties.op, mutated_input(properties, start, seed));
      leaves = changed.expect == Expect::kSurvived;
    }
    EXPECT_TRUE(leaves) << properties.op->name;
  }
}

TEST(Mutator, CrossOverTakesOfBothAndFollowsFromTheSeed) {
  const OpProperties& properties = schedule_properties();
  const auto first = bytes_of_case(make_paged_mqa_metadata_case({1, 2, 3}, 7));
  const auto second = bytes_of_case(make_paged_mqa_metadata_case({600, 700}, 5));
  ASSERT_TRUE(first && second);
  std::set<std::vector<uint8_t>> made;
  for (uint64_t seed = 0; seed < 50; ++seed) {
    std::vector<uint8_t> out(kRoom);
    std::vector<uint8_t> again(kRoom);
    out.resize(cross_inputs(properties, *first, *second, out, seed));
    again.resize(cross_inputs(properties, *first, *second, again, seed));
    ASSERT_EQ(out, again);
    made.insert(out);
  }
  const auto both = bytes_of_case(make_paged_mqa_metadata_case({1, 2, 3, 600, 700}, 7));
  EXPECT_TRUE(made.count(*both) == 1) << "rows of one behind those of the other";
  EXPECT_GT(made.size(), 3U);
}

TEST(GuidedTargets, TheBuildNamesEveryOperation) {
  std::istringstream names(BYTEGATE_FUZZED_OPS);
  const std::set<std::string> named{std::istream_iterator<std::string>(names), {}};
  std::set<std::string> expect;
  for (const Op* op : all_ops()) expect.insert(std::string(op->name));
  EXPECT_EQ(named, expect);
}

// ---- the target

using GuidedTarget = TempFolder;

// Keeps what reaches a counter that none before reached, as an engine does.
class Engine {
 public:
  Engine(const OpProperties& properties, OpTarget& target, std::span<uint8_t> counters)
      : properties_(properties), target_(target), counters_(counters) {}

  void run(uint64_t num_runs) {
    corpus_.emplace_back();
    for (uint64_t i = 0; i < num_runs; ++i) {
      const std::vector<uint8_t> input =
          mutated_input(properties_, corpus_[(i * 7919) % corpus_.size()], i);
      std::fill(counters_.begin(), counters_.end(), uint8_t{0});
      ASSERT_EQ(target_.run(input), std::nullopt);
      const size_t before = reached_.size();
      for (size_t counter = 0; counter < counters_.size(); ++counter) {
        if (counters_[counter] > 0) reached_.insert(counter * 4 + counters_[counter]);
      }
      if (reached_.size() > before) corpus_.push_back(input);
    }
  }

 private:
  const OpProperties& properties_;
  OpTarget& target_;
  std::span<uint8_t> counters_;
  std::vector<std::vector<uint8_t>> corpus_;
  std::set<size_t> reached_;
};

TEST_F(GuidedTarget, FindsAWrongCandidateAndKeepsItsFirstCase) {
  std::vector<uint8_t> counters(kNumFeedbackCounters);
  auto made = OpTarget::make(schedule_properties(),
                             {.candidate = BYTEGATE_SCHEDULE_WRONG,
                              .failures = folder_.string(),
                              .last_input = path("last")},
                             counters);
  ASSERT_NE(made.target, nullptr) << made.error;
  Engine(schedule_properties(), *made.target, counters).run(300);
  EXPECT_GT(made.target->report().failed, 0);
  const OpTable ops = all_ops();
  std::set<std::string> origins;
  for (const auto& file : files()) {
    if (file.extension() != ".case") continue;
    const LoadResult kept = load_case(file.string(), ops);
    ASSERT_TRUE(kept.value.has_value()) << kept.error;
    origins.insert(kept.value->origin);
  }
  EXPECT_EQ(origins.count("mismatch:schedule_metadata"), 1U);
  EXPECT_EQ(origins.size(), made.target->report().origins.size());
}

int64_t num_states(const TargetReport& report) {
  return std::count_if(report.states.begin(), report.states.end(), [](int64_t n) { return n > 0; });
}

TEST_F(GuidedTarget, PassesProductionAndReportsWhatItReached) {
  constexpr int64_t kRound = 150;
  constexpr int64_t kMaxRuns =
      10 * kRound;  // some operations have valid cases with rows only later
  for (const OpProperties& properties : all_properties()) {
    std::vector<uint8_t> counters(kNumFeedbackCounters);
    auto made = OpTarget::make(properties, {.report = path("report.json")}, counters);
    ASSERT_NE(made.target, nullptr) << made.error;
    const TargetReport& report = made.target->report();
    Engine engine(properties, *made.target, counters);
    int64_t num_runs = 0;
    for (; num_runs < kMaxRuns && num_states(report) < 4; num_runs += kRound) engine.run(kRound);
    EXPECT_EQ(made.target->finish(), std::nullopt);
    EXPECT_EQ(report.executions, num_runs);
    EXPECT_EQ(report.failed, 0);
    EXPECT_EQ(report.passed + report.set_aside, report.executions);
    EXPECT_GT(num_states(report), 3) << properties.op->name;
  }
}

TEST_F(GuidedTarget, ALastInputOutlivesItsProcess) {
  LastInput last;
  ASSERT_EQ(last.open(path("last")), std::nullopt);
  EXPECT_EQ(read_last_input(path("last")), std::nullopt) << "none was set";
  const std::vector<uint8_t> large(300000, 7);
  for (const std::vector<uint8_t>& input : {std::vector<uint8_t>{1, 2}, large, {}}) {
    ASSERT_TRUE(last.set(input));
    EXPECT_EQ(read_last_input(path("last")), input);
  }
  EXPECT_EQ(read_last_input(path("missing")), std::nullopt);
}

}  // namespace
}  // namespace bytegate
