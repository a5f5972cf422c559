// Who has which slots: the books on the tokens of a run, as a serving engine keeps them.
//
// Beside continuous batching an engine has two pools. A running request has one row of the request
// pool (its line of the table req_to_token) and enough pages of the token pool for the tokens that
// it holds, none more. Each decode step does, in this order:
//   1. those who leave give back their row and their pages, in the order of left();
//   2. those who join take a row and pages for their prompt, in the order of joined();
//   3. of the others, whoever has outgrown its pages takes one more, in row order.
// Free rows are first in, first out: a row that was given back waits behind all that were free
// before. Free pages are last in, first out: those of a request that leaves are the next to be
// handed out, its first page first. Both pools begin with 0, 1, 2 .. in this order; no number is
// set apart for padding.
// So rows come in any order after a while, and the pages of a request are scattered.
//
// Both pools are as large as the run's worst step needs, which a first pass over the run tells;
// they cannot run out.
#pragma once

#include <cstdint>
#include <deque>
#include <iterator>
#include <optional>
#include <variant>
#include <vector>

#include "properties/trace/batching.h"
#include "properties/trace/served_batch.h"

namespace bytegate::trace {

class ServedRun {
 public:
  // As ContinuousBatching::create. An error, too, if at any step the pages reach beyond slot
  // 2^31 - 1.
  static std::variant<ServedRun, BatchingError> create(std::vector<Request> requests,
                                                       const BatchingOptions& options);

  // The next batch to emit; nothing once every request is done.
  std::optional<ServedBatch> next();

  // next() in two parts, for a caller who wants few of the batches: only batch() copies pages.
  bool advance();
  ServedBatch batch() const;

  // Goes to the next decode step, emitted or not; false once every request is done.
  bool step();
  const ContinuousBatching& batching() const { return batching_; }
  int64_t num_free_rows() const { return std::ssize(free_rows_); }
  int64_t num_free_pages() const { return std::ssize(free_pages_); }

 private:
  struct PoolSizes {
    int64_t num_rows = 0;
    int64_t num_pages = 0;
  };

  ServedRun(ContinuousBatching batching, const PoolSizes& sizes, int64_t page_size);

  static std::variant<PoolSizes, BatchingError> pool_sizes(ContinuousBatching run,
                                                           int64_t page_size);
  std::vector<int32_t>& pages_of(int64_t request);
  void give_back(int64_t request);
  void take_row(int64_t request);
  void take_pages(const ContinuousBatching::Running& row);

  ContinuousBatching batching_;
  PoolSizes sizes_;
  int64_t page_size_ = 0;
  std::deque<int32_t> free_rows_;                   // the next one in front
  std::vector<int32_t> free_pages_;                 // the next one at the back
  std::vector<int32_t> row_of_request_;             // of those running
  std::vector<std::vector<int32_t>> pages_of_row_;  // empty for free rows
};

}  // namespace bytegate::trace
