#include "properties/trace/slots.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace bytegate::trace {
namespace {

using Requests = std::vector<Request>;
using Ints = std::vector<int32_t>;
using Pages = std::vector<Ints>;

ServedRun created(const Requests& requests, const BatchingOptions& options) {
  auto run = ServedRun::create(requests, options);
  if (const auto* error = std::get_if<BatchingError>(&run)) {
    ADD_FAILURE() << to_string(*error);
    run = ServedRun::create({}, {});
  }
  return std::get<ServedRun>(std::move(run));
}

Pages pages_of(const ServedBatch& batch) {
  Pages pages;
  for (int64_t b = 0; b < batch.num_requests(); ++b) {
    const auto its = batch.pages_of(b);
    pages.emplace_back(its.begin(), its.end());
  }
  return pages;
}

struct Expected {
  Ints context_lens;
  Ints req_pool_indices;
  Pages pages;
};

// The expected batches of a run, one a step from step 0 on.
void expect_steps(ServedRun run, const std::vector<Expected>& steps) {
  for (size_t i = 0; i < steps.size(); ++i) {
    const auto batch = run.next();
    ASSERT_TRUE(batch) << "step " << i;
    EXPECT_EQ(batch->step_idx, static_cast<int64_t>(i));
    EXPECT_EQ(batch->context_lens, steps[i].context_lens) << "step " << i;
    EXPECT_EQ(batch->req_pool_indices, steps[i].req_pool_indices) << "step " << i;
    EXPECT_EQ(pages_of(*batch), steps[i].pages) << "step " << i;
  }
  EXPECT_FALSE(run.next());
}

// Three requests, two of them at a time, pages of 4 tokens:
//   A has 3 tokens and generates 3, B has 5 and generates 2, C arrives at 2 ms, has 6 and
//   generates 4. The worst step, 2, needs 4 pages and 2 rows.
//   step 0: A takes row 0 and page 0; B takes row 1 and pages 1, 2
//   step 1: A has 4 tokens, B 6: nothing is outgrown
//   step 2: B leaves; C joins and takes its row 1 and its pages 1, 2; A has 5 tokens and takes 3
//   step 3: A leaves, with row 0 and pages 0, 3; C has 7 tokens
//   step 4: C has 8 tokens, its pages are full
//   step 5: C has 9 tokens and takes the first page that A left, 0
const Requests kThreeRequests = {{0, 3, 3}, {0, 5, 2}, {2'000, 6, 4}};
const BatchingOptions kTwoAtATime = {.step_ms = 1, .max_batch = 2, .page_size = 4};

TEST(ServedRun, ThreeRequestsShareFourPages) {
  expect_steps(created(kThreeRequests, kTwoAtATime), {{{3, 5}, {0, 1}, {{0}, {1, 2}}},
                                                      {{4, 6}, {0, 1}, {{0}, {1, 2}}},
                                                      {{5, 6}, {0, 1}, {{0, 3}, {1, 2}}},
                                                      {{7}, {1}, {{1, 2}}},
                                                      {{8}, {1}, {{1, 2}}},
                                                      {{9}, {1}, {{1, 2, 0}}}});
}

TEST(ServedRun, PoolsAreAsLargeAsTheWorstStepAndWholeAtTheEnd) {
  ServedRun run = created(kThreeRequests, kTwoAtATime);
  const std::vector<int64_t> free_rows = {0, 0, 0, 1, 1, 1};
  const std::vector<int64_t> free_pages = {1, 1, 0, 2, 2, 1};
  for (size_t i = 0; i < free_rows.size(); ++i) {
    ASSERT_TRUE(run.step());
    EXPECT_EQ(run.num_free_rows(), free_rows[i]) << "step " << i;
    EXPECT_EQ(run.num_free_pages(), free_pages[i]) << "step " << i;
    const ServedBatch batch = run.batch();
    EXPECT_EQ(batch.num_pool_rows, 2);
    EXPECT_EQ(batch.num_pages, 4);
    EXPECT_EQ(batch.page_size, 4);
  }
  EXPECT_FALSE(run.step());
  EXPECT_EQ(run.num_free_rows(), 2);
  EXPECT_EQ(run.num_free_pages(), 4);
  EXPECT_FALSE(run.step());
  EXPECT_EQ(run.num_free_pages(), 4);
}

TEST(ServedRun, ATokenSitsInItsPage) {
  ServedRun run = created(kThreeRequests, kTwoAtATime);
  std::vector<ServedBatch> batches;
  while (auto batch = run.next()) batches.push_back(*std::move(batch));
  ASSERT_EQ(batches.size(), 6U);
  const auto slots = [](const ServedBatch& batch, int64_t b) {
    Ints out;
    for (int64_t t = 0; t < batch.context_lens[static_cast<size_t>(b)]; ++t) {
      out.push_back(batch.slot(b, t));
    }
    return out;
  };
  EXPECT_EQ(slots(batches[2], 0), (Ints{0, 1, 2, 3, 12}));
  EXPECT_EQ(slots(batches[2], 1), (Ints{4, 5, 6, 7, 8, 9}));
  EXPECT_EQ(slots(batches[5], 0), (Ints{4, 5, 6, 7, 8, 9, 10, 11, 0}));
}

TEST(ServedRun, RowsComeBackFirstInFirstOut) {
  // Rows 0, 1, 2 are A's, B's, C's. B leaves at step 1 and A at step 2, where D joins: row 1 has
  // been free for longer. E joins at step 3 and has row 0.
  const Requests requests = {{0, 1, 2}, {0, 1, 1}, {0, 1, 9}, {2'000, 1, 9}, {3'000, 1, 1}};
  ServedRun run = created(requests, {.step_ms = 1});
  const std::vector<Ints> rows = {{0, 1, 2}, {0, 2}, {2, 1}, {2, 1, 0}};
  for (const Ints& its : rows) EXPECT_EQ(run.next()->req_pool_indices, its);
}

TEST(ServedRun, PagesComeBackLastInFirstOut) {
  // A has pages 0, 1 and B has 2, 3; C has none. At step 1 A and B leave, B last; D joins and takes
  // B's pages, then A's first one; A's other one is left for C's first token.
  const Requests requests = {{0, 2, 1}, {0, 2, 1}, {0, 0, 2}, {1'000, 3, 1}};
  expect_steps(created(requests, {.step_ms = 1, .page_size = 1}),
               {{{2, 2, 0}, {0, 1, 2}, {{0, 1}, {2, 3}, {}}}, {{1, 3}, {2, 0}, {{1}, {2, 3, 0}}}});
}

TEST(ServedRun, WhoJoinsTakesPagesBeforeThoseWhoGrow) {
  const Requests requests = {{0, 1, 2}, {1'000, 2, 1}};
  expect_steps(created(requests, {.step_ms = 1, .page_size = 1}),
               {{{1}, {0}, {{0}}}, {{2, 2}, {0, 1}, {{0, 3}, {1, 2}}}});
}

TEST(ServedRun, AnEmptyPromptHasARowAndNoPage) {
  expect_steps(created({{0, 0, 2}}, {.step_ms = 1}), {{{0}, {0}, {{}}}, {{1}, {0}, {{0}}}});
  EXPECT_FALSE(created({}, {}).next());
}

TEST(ServedRun, SkippedStepsChangeTheBooksToo) {
  ServedRun run =
      created(kThreeRequests, {.step_ms = 1, .max_batch = 2, .every = 5, .page_size = 4});
  EXPECT_EQ(run.next()->step_idx, 0);
  const auto last = run.next();
  ASSERT_TRUE(last);
  EXPECT_EQ(last->step_idx, 5);
  EXPECT_EQ(pages_of(*last), (Pages{{1, 2, 0}}));
}

TEST(ServedRun, SlotsBeyondAnInt32AreRefused) {
  const BatchingOptions two_pages = {.step_ms = 1, .page_size = 1 << 30};
  const auto batch = created({{0, 1, 1}, {0, 1 << 30, 1}}, two_pages).next();
  ASSERT_TRUE(batch);
  EXPECT_EQ(batch->slot(1, (1 << 30) - 1), 2147483647);
  const auto refused = ServedRun::create({{0, 1, 2}, {0, 1 << 30, 2}}, two_pages);
  ASSERT_TRUE(std::holds_alternative<BatchingError>(refused));
  EXPECT_EQ(to_string(std::get<BatchingError>(refused)),
            "requests: at step 1 they hold 3 pages of 1073741824 tokens, and slots end at "
            "2147483647");
  EXPECT_TRUE(std::holds_alternative<BatchingError>(ServedRun::create({}, {.page_size = 0})));
}

// What one request had at the last step.
struct Before {
  int32_t row = 0;
  Ints pages;
};

void check_batch(const ServedRun& run, std::map<int64_t, Before>& before) {
  const ServedBatch batch = run.batch();
  const auto& running = run.batching().running();
  ASSERT_EQ(batch.num_requests(), std::ssize(running));
  ASSERT_EQ(std::ssize(batch.req_pool_indices), std::ssize(running));
  ASSERT_EQ(std::ssize(batch.first_page), std::ssize(running) + 1);
  std::map<int64_t, Before> now;
  std::set<int32_t> slots;
  int64_t num_tokens = 0;
  for (int64_t b = 0; b < batch.num_requests(); ++b) {
    const auto i = static_cast<size_t>(b);
    const int64_t held = batch.context_lens[i];
    ASSERT_EQ(held, run.batching().held_tokens(running[i]));
    const auto pages = batch.pages_of(b);
    ASSERT_GE(std::ssize(pages) * batch.page_size, held);
    ASSERT_LT((std::ssize(pages) - 1) * batch.page_size, held);
    for (int64_t t = 0; t < held; ++t) slots.insert(batch.slot(b, t));
    num_tokens += held;
    Before& its = now[running[i].request];
    its = {.row = batch.req_pool_indices[i], .pages = {pages.begin(), pages.end()}};
    if (const auto old = before.find(running[i].request); old != before.end()) {
      ASSERT_EQ(old->second.row, its.row);
      ASSERT_TRUE(std::equal(old->second.pages.begin(), old->second.pages.end(), pages.begin()));
    }
  }
  before = std::move(now);
  ASSERT_EQ(std::ssize(slots), num_tokens) << "two tokens share a slot";
  if (!slots.empty()) {
    ASSERT_GE(*slots.begin(), 0);
    ASSERT_LT(*slots.rbegin(), batch.num_pages * batch.page_size);
  }
  const std::set<int32_t> pages(batch.pages.begin(), batch.pages.end());
  ASSERT_EQ(pages.size(), batch.pages.size()) << "two requests share a page";
  ASSERT_EQ(std::ssize(pages) + run.num_free_pages(), batch.num_pages) << "a page is lost";
  const std::set<int32_t> rows(batch.req_pool_indices.begin(), batch.req_pool_indices.end());
  ASSERT_EQ(rows.size(), running.size()) << "two requests share a row";
  ASSERT_GE(*rows.begin(), 0);
  ASSERT_LT(*rows.rbegin(), batch.num_pool_rows);
  ASSERT_EQ(std::ssize(rows) + run.num_free_rows(), batch.num_pool_rows) << "a row is lost";
}

TEST(ServedRun, RandomRunsShareNothingAndLoseNothing) {
  std::mt19937_64 random(7);
  const auto up_to = [&random](int64_t most) {
    return static_cast<int64_t>(random() % static_cast<uint64_t>(most + 1));
  };
  int64_t num_scattered = 0;
  int64_t num_rows_out_of_order = 0;
  for (int round = 0; round < 300; ++round) {
    Requests requests(static_cast<size_t>(up_to(40)));
    int64_t arrival_us = 0;
    const int64_t most_gap_us = up_to(5'000);
    for (Request& request : requests) {
      arrival_us += up_to(most_gap_us);
      request = {arrival_us, up_to(up_to(60)), up_to(up_to(20))};
    }
    ServedRun run = created(
        requests, {.step_ms = 1, .max_batch = 1 + up_to(12), .page_size = 1 + up_to(up_to(20))});
    std::map<int64_t, Before> before;
    while (run.step()) {
      ASSERT_NO_FATAL_FAILURE(check_batch(run, before)) << "round " << round;
      const ServedBatch batch = run.batch();
      const Ints& rows = batch.req_pool_indices;
      num_rows_out_of_order += std::is_sorted(rows.begin(), rows.end()) ? 0 : 1;
      for (const Ints& its : pages_of(batch)) {
        num_scattered += std::is_sorted(its.begin(), its.end()) ? 0 : 1;
      }
    }
  }
  EXPECT_GT(num_scattered, 1000);
  EXPECT_GT(num_rows_out_of_order, 1000);
}

}  // namespace
}  // namespace bytegate::trace
