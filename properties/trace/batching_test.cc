#include "properties/trace/batching.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <string>
#include <vector>

namespace bytegate::trace {
namespace {

using Requests = std::vector<Request>;
using Batches = std::vector<Batch>;

ContinuousBatching created(Requests requests, const BatchingOptions& options) {
  auto run = ContinuousBatching::create(std::move(requests), options);
  if (const auto* error = std::get_if<BatchingError>(&run)) {
    ADD_FAILURE() << to_string(*error);
    run = ContinuousBatching::create({}, {});
  }
  return std::get<ContinuousBatching>(std::move(run));
}

Batches all_batches(Requests requests, const BatchingOptions& options) {
  ContinuousBatching run = created(std::move(requests), options);
  Batches batches;
  while (auto batch = run.next()) batches.push_back(*std::move(batch));
  EXPECT_FALSE(run.next());
  return batches;
}

std::string error_of(Requests requests, const BatchingOptions& options) {
  const auto run = ContinuousBatching::create(std::move(requests), options);
  const auto* error = std::get_if<BatchingError>(&run);
  return error == nullptr ? "no error" : to_string(*error);
}

// Three requests, two slots, steps of 10 ms:
//   A arrives at 0 ms with 100 tokens and generates 3, B at 5 ms with 200 and 2, C at 12 ms with
//   300 and 1.
//   step 0,  0 ms: A joins                              [A 100]
//   step 1, 10 ms: B has arrived and joins              [A 101, B 200]
//   step 2, 20 ms: C has arrived, but no slot is free   [A 102, B 201]
//   step 3, 30 ms: A and B are done and leave, C joins  [C 300]
const Requests kThreeRequests = {{0, 100, 3}, {5'000, 200, 2}, {12'000, 300, 1}};
const BatchingOptions kTwoSlots = {.step_ms = 10, .max_batch = 2};

TEST(ContinuousBatching, ThreeRequestsShareTwoSlots) {
  EXPECT_EQ(
      all_batches(kThreeRequests, kTwoSlots),
      (Batches{
          {0, 0, {100}}, {1, 10'000, {101, 200}}, {2, 20'000, {102, 201}}, {3, 30'000, {300}}}));
}

TEST(ContinuousBatching, StepsShowWhoJoinedAndLeft) {
  using Ids = std::vector<int64_t>;
  ContinuousBatching run = created(kThreeRequests, kTwoSlots);
  const std::vector<std::pair<Ids, Ids>> left_and_joined = {
      {{}, {0}}, {{}, {1}}, {{}, {}}, {{0, 1}, {2}}};
  for (const auto& [left, joined] : left_and_joined) {
    ASSERT_TRUE(run.step());
    EXPECT_EQ(run.left(), left) << "step " << run.step_idx();
    EXPECT_EQ(run.joined(), joined) << "step " << run.step_idx();
  }
  EXPECT_FALSE(run.step());
  EXPECT_EQ(run.left(), Ids{2});
  EXPECT_TRUE(run.running().empty());
}

TEST(ContinuousBatching, RowsStayInJoinOrderWhenOneLeaves) {
  // B leaves after step 0 from the middle; D, who waited, joins at the end.
  EXPECT_EQ(
      all_batches({{0, 10, 3}, {0, 20, 1}, {0, 30, 2}, {0, 40, 1}}, {.step_ms = 1, .max_batch = 3}),
      (Batches{{0, 0, {10, 20, 30}}, {1, 1'000, {11, 31, 40}}, {2, 2'000, {12}}}));
}

TEST(ContinuousBatching, TheFirstToArriveJoinsFirstWhateverItsLength) {
  EXPECT_EQ(
      all_batches({{0, 1, 2}, {0, 2, 2}, {1'000, 3, 1}}, {.step_ms = 1, .max_batch = 1}),
      (Batches{{0, 0, {1}}, {1, 1'000, {2}}, {2, 2'000, {2}}, {3, 3'000, {3}}, {4, 4'000, {3}}}));
}

TEST(ContinuousBatching, ArrivalAtAStepJoinsThatStepAndALaterOneTheNext) {
  EXPECT_EQ(all_batches({{0, 1, 3}, {10'000, 2, 1}, {10'001, 3, 1}}, {.step_ms = 10}),
            (Batches{{0, 0, {1}}, {1, 10'000, {2, 2}}, {2, 20'000, {3, 3}}}));
}

TEST(ContinuousBatching, TimeJumpsToTheNextArrivalWhenNothingRuns) {
  EXPECT_EQ(all_batches({{0, 5, 1}, {1'000'000'001, 6, 2}}, {.step_ms = 10}),
            (Batches{{0, 0, {5}}, {100'001, 1'000'010'000, {6}}, {100'002, 1'000'020'000, {7}}}));
}

TEST(ContinuousBatching, RequestsWithoutOutputNeverDecode) {
  EXPECT_EQ(all_batches({{0, 9, 0}, {0, 5, 1}, {0, 9, 0}, {0, 6, 1}, {9'000, 9, 0}},
                        {.step_ms = 1, .max_batch = 2}),
            (Batches{{0, 0, {5, 6}}}));
  EXPECT_EQ(all_batches({{0, 9, 0}, {70, 9, 0}}, {}), Batches{});
  EXPECT_EQ(all_batches({}, {}), Batches{});
}

TEST(ContinuousBatching, AnEmptyPromptIsARowOfZero) {
  EXPECT_EQ(all_batches({{0, 0, 2}}, {}), (Batches{{0, 0, {0}}, {1, 30'000, {1}}}));
}

TEST(ContinuousBatching, SpeedupDividesArrivals) {
  const Requests requests = {{0, 1, 1}, {90'000, 2, 1}, {90'003, 3, 1}};
  EXPECT_EQ(all_batches(requests, {.step_ms = 30, .speedup = 3}),
            (Batches{{0, 0, {1}}, {1, 30'000, {2}}, {2, 60'000, {3}}}));
  EXPECT_EQ(all_batches(requests, {.step_ms = 30, .speedup = 0.5}),
            (Batches{{0, 0, {1}}, {6, 180'000, {2}}, {7, 210'000, {3}}}));
}

TEST(ContinuousBatching, StepsMayBeAFractionOfAMillisecond) {
  EXPECT_EQ(all_batches({{0, 1, 2}, {2, 2, 1}}, {.step_ms = 0.001}),
            (Batches{{0, 0, {1}}, {1, 1, {2}}, {2, 2, {2}}}));
  EXPECT_EQ(all_batches({{0, 1, 2}}, {.step_ms = 12.5}), (Batches{{0, 0, {1}}, {1, 12'500, {2}}}));
}

TEST(ContinuousBatching, EveryCountsStepsThatDecodeFromTheFirstOn) {
  // Decode steps are 0, 1, 2 and, after a pause, 100, 101; every second is the 1st, 3rd and 5th.
  EXPECT_EQ(all_batches({{0, 10, 3}, {100'000, 20, 2}}, {.step_ms = 1, .every = 2}),
            (Batches{{0, 0, {10}}, {2, 2'000, {12}}, {101, 101'000, {21}}}));
}

TEST(ContinuousBatching, TheLongestContextIsTheLargestInt32) {
  constexpr int32_t kMaxLen = std::numeric_limits<int32_t>::max();
  EXPECT_EQ(all_batches({{0, kMaxTokens - 2, 2}}, {.step_ms = 1}),
            (Batches{{0, 0, {kMaxLen - 2}}, {1, 1'000, {kMaxLen - 1}}}));
}

TEST(ContinuousBatching, BadOptionsAreNamed) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  constexpr double kInf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(error_of({}, {.step_ms = 0}), "step_ms: 0.000000 is not in 0.001 .. 3600000");
  EXPECT_EQ(error_of({}, {.step_ms = kNan}), "step_ms: nan is not in 0.001 .. 3600000");
  EXPECT_EQ(error_of({}, {.step_ms = kInf}), "step_ms: inf is not in 0.001 .. 3600000");
  EXPECT_EQ(error_of({}, {.max_batch = 0}), "max_batch: 0 is not in 1 .. 2147483647");
  EXPECT_EQ(error_of({}, {.speedup = 0}), "speedup: 0.000000 is not a number above 0");
  EXPECT_EQ(error_of({}, {.speedup = kNan}), "speedup: nan is not a number above 0");
  EXPECT_EQ(error_of({}, {.speedup = kInf}), "speedup: inf is not a number above 0");
  EXPECT_EQ(error_of({}, {.every = 0}), "every: 0 is not 1 or more");
  EXPECT_EQ(error_of({}, {.page_size = 0}), "page_size: 0 is not in 1 .. 2147483647");
  EXPECT_EQ(error_of({}, {.page_size = kMaxTokens + 1}),
            "page_size: 2147483648 is not in 1 .. 2147483647");
  EXPECT_EQ(error_of({{0, 1, 1}, {5, 1, 1}}, {.speedup = 1e-300}),
            "speedup: too small: the last request arrives beyond 2^53 microseconds");
  EXPECT_EQ(error_of(Requests(2000, {0, 0, kMaxTokens}), {.step_ms = 3'600'000}),
            "step_ms: too long: the run may end beyond 2^62 microseconds");
}

TEST(ContinuousBatching, BadRequestsAreNamed) {
  EXPECT_EQ(error_of({{5, 1, 1}, {4, 1, 1}}, {}),
            "requests: request 1 arrives at 4: not sorted, negative or beyond 2^53");
  EXPECT_EQ(error_of({{-1, 1, 1}}, {}),
            "requests: request 0 arrives at -1: not sorted, negative or beyond 2^53");
  EXPECT_EQ(error_of({{0, 1, -1}}, {}),
            "requests: request 0 has 1 + -1 tokens: negative or beyond 2^31-1 together");
  EXPECT_EQ(error_of({{0, kMaxTokens, 1}}, {}),
            "requests: request 0 has 2147483647 + 1 tokens: negative or beyond 2^31-1 together");
}

// The definition once more, step by step from 0 with a queue and nothing clever.
Batches slow_batches(const Requests& requests, int64_t step_us, int64_t max_batch, int64_t speedup,
                     int64_t every) {
  struct Row {
    int64_t held;
    int64_t to_generate;
  };
  std::vector<Row> rows;
  Batches batches;
  size_t next = 0;
  int64_t decode_steps = 0;
  for (int64_t step = 0; next < requests.size() || !rows.empty(); ++step) {
    std::vector<Row> kept;
    for (const Row& row : rows) {
      if (row.to_generate > 0) kept.push_back(row);
    }
    rows = kept;
    while (next < requests.size() && requests[next].arrival_us <= step * step_us * speedup) {
      const Request& r = requests[next];
      if (r.generated_tokens > 0 && std::ssize(rows) == max_batch) break;
      if (r.generated_tokens > 0) rows.push_back({r.context_tokens, r.generated_tokens});
      ++next;
    }
    if (rows.empty()) continue;
    if (decode_steps++ % every == 0) {
      batches.push_back({step, step * step_us, {}});
      for (const Row& row : rows) {
        batches.back().context_lens.push_back(static_cast<int32_t>(row.held));
      }
    }
    for (Row& row : rows) {
      ++row.held;
      --row.to_generate;
    }
  }
  return batches;
}

TEST(ContinuousBatching, RandomRunsAreWhatTheDefinitionGives) {
  std::mt19937_64 random(4);
  const auto up_to = [&random](int64_t most) {
    return static_cast<int64_t>(random() % static_cast<uint64_t>(most + 1));
  };
  for (int round = 0; round < 2000; ++round) {
    Requests requests(static_cast<size_t>(up_to(30)));
    const int64_t most_gap_us = up_to(3'000);
    int64_t arrival_us = 0;
    for (Request& request : requests) {
      arrival_us += up_to(most_gap_us);
      request = {arrival_us, up_to(1000), up_to(up_to(20))};
    }
    const int64_t step_us = 1 + up_to(300);
    const int64_t max_batch = 1 + up_to(8);
    const int64_t speedup = 1 + up_to(4);
    const int64_t every = 1 + up_to(2);
    const BatchingOptions options = {.step_ms = static_cast<double>(step_us) / 1000,
                                     .max_batch = max_batch,
                                     .speedup = static_cast<double>(speedup),
                                     .every = every};
    ASSERT_EQ(all_batches(requests, options),
              slow_batches(requests, step_us, max_batch, speedup, every))
        << "round " << round;
  }
}

}  // namespace
}  // namespace bytegate::trace
