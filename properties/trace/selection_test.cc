#include "properties/trace/selection.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "properties/trace/slots.h"

namespace bytegate::trace {
namespace {

using Requests = std::vector<Request>;
using Batches = std::vector<ServedBatch>;
using StepsAndLens = std::vector<std::pair<int64_t, std::vector<int32_t>>>;
using Sizes = std::vector<int64_t>;

// counts for a run that reached every size from 1 to `largest`.
Sizes every_size(size_t largest) {
  Sizes counts(largest + 1, 1);
  counts[0] = 0;
  return counts;
}

// Batches at 1 ms a step: sizes 1, 2, 3, 3, 2, 1, 1.
const Requests kRampUpAndDown = {{0, 10, 7}, {1'000, 20, 4}, {2'000, 30, 2}};
const BatchingOptions kOneMs = {.step_ms = 1};

StepsAndLens selected(const BatchingOptions& options, int64_t count) {
  StepsAndLens out;
  const auto batches = std::get<Batches>(select_batches(kRampUpAndDown, options, count));
  for (const ServedBatch& batch : batches) {
    out.emplace_back(batch.step_idx, batch.context_lens);
  }
  return out;
}

TEST(Selection, CountsTheSizesOfARun) {
  EXPECT_EQ(std::get<Sizes>(count_batch_sizes(kRampUpAndDown, kOneMs)), (Sizes{0, 3, 2, 2}));
  EXPECT_EQ(std::get<Sizes>(count_batch_sizes({}, kOneMs)), Sizes{0});
  // With two slots the third request waits for the second to leave: 1, 2, 2, 2, 2, 2, 2.
  EXPECT_EQ(std::get<Sizes>(count_batch_sizes(kRampUpAndDown, {.step_ms = 1, .max_batch = 2})),
            (Sizes{0, 1, 6}));
}

TEST(Selection, ChoosesTheLargestThenTheSmallestThenTheFarthestByRatio) {
  const Sizes counts = every_size(16);
  EXPECT_EQ(choose_sizes(counts, 1), (Sizes{16}));
  EXPECT_EQ(choose_sizes(counts, 2), (Sizes{1, 16}));
  EXPECT_EQ(choose_sizes(counts, 3), (Sizes{1, 4, 16}));
  EXPECT_EQ(choose_sizes(counts, 4), (Sizes{1, 2, 4, 16}));
  EXPECT_EQ(choose_sizes(counts, 5), (Sizes{1, 2, 4, 8, 16}));
}

TEST(Selection, ChoosesOnlySizesThatTheRunReached) {
  Sizes counts(101);
  counts[7] = counts[9] = counts[80] = counts[100] = 1;
  EXPECT_EQ(choose_sizes(counts, 3), (Sizes{7, 9, 100}));
  EXPECT_EQ(choose_sizes(counts, 50), (Sizes{7, 9, 80, 100}));
  EXPECT_EQ(choose_sizes({0}, 5), Sizes{});
}

TEST(Selection, AMillionSizesAreSpreadByFactors) {
  const Sizes sizes = choose_sizes(every_size(1 << 20), 41);
  ASSERT_EQ(sizes.size(), 41U);
  EXPECT_EQ(sizes.front(), 1);
  EXPECT_EQ(sizes.back(), 1 << 20);
  for (size_t i = 1; i < sizes.size(); ++i) EXPECT_LE(sizes[i], 2 * sizes[i - 1]);
}

TEST(Selection, TakesTheMiddleBatchOfEachSize) {
  // Sizes by step: 1 at 0, 5, 6 (middle 5); 2 at 1, 4 (earlier 1); 3 at 2, 3 (earlier 2).
  EXPECT_EQ(selected(kOneMs, 3), (StepsAndLens{{5, {15}}, {1, {11, 20}}, {2, {12, 21, 30}}}));
  EXPECT_EQ(selected(kOneMs, 1), (StepsAndLens{{2, {12, 21, 30}}}));
}

TEST(Selection, ConsidersOnlyTheBatchesThatAreEmitted) {
  // Every third step is 0, 3, 6, with sizes 1, 3, 1.
  EXPECT_EQ(selected({.step_ms = 1, .every = 3}, 9), (StepsAndLens{{0, {10}}, {3, {13, 22, 31}}}));
}

TEST(Selection, ABatchHasTheSlotsOfItsStep) {
  const BatchingOptions options = {.step_ms = 1, .page_size = 4};
  const auto batches = std::get<Batches>(select_batches(kRampUpAndDown, options, 3));
  ASSERT_EQ(batches.size(), 3U);
  auto run = std::get<ServedRun>(ServedRun::create(kRampUpAndDown, options));
  int64_t num_found = 0;
  while (auto batch = run.next()) {
    num_found += std::count(batches.begin(), batches.end(), *batch);
  }
  EXPECT_EQ(num_found, 3);
}

TEST(Selection, BadOptionsAreNamed) {
  const auto no_count = select_batches(kRampUpAndDown, kOneMs, 0);
  EXPECT_EQ(to_string(std::get<BatchingError>(no_count)), "count: 0 is not 1 or more");
  const auto no_slots = select_batches(kRampUpAndDown, {.max_batch = 0}, 1);
  EXPECT_EQ(to_string(std::get<BatchingError>(no_slots)), "max_batch: 0 is not in 1 .. 2147483647");
  EXPECT_TRUE(std::holds_alternative<BatchingError>(count_batch_sizes({}, {.every = 0})));
  // Three requests at once, and two pages are all that slots of 31 bits have room for.
  const auto no_room = select_batches(kRampUpAndDown, {.step_ms = 1, .page_size = 1 << 30}, 1);
  EXPECT_EQ(to_string(std::get<BatchingError>(no_room)),
            "requests: at step 2 they hold 3 pages of 1073741824 tokens, and slots end at "
            "2147483647");
}

}  // namespace
}  // namespace bytegate::trace
