// Continuous batching: turns a request trace into the batches that a serving engine decodes.
//
// Time is cut into steps: step k happens at k * step (BatchingOptions::step_ms). A request whose
// scaled arrival is t may join from the first step at or after t on. Each step does, in this order:
//   1. leave: requests whose output is done leave, and their slots are free at once;
//   2. join:  requests that have arrived join while slots are free, first come, first served
//             (those of one moment in trace order);
//   3. decode: every running request generates one token.
// The prompt is held when a request joins: a request with c context and g generated tokens that
// joins at step j holds exactly c + i tokens at step j + i, for i in 0 .. g - 1 (no + 1: the token
// that a step generates is held from the next step on). It leaves at step j + g. A request with
// g = 0 never decodes and takes no slot.
// Rows are in join order: those who leave are taken out and the rest keep their order, so row b of
// a batch is the b-th longest running request. When nothing runs, time jumps to the step at which
// the next request joins; no batch is ever empty.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "properties/trace/trace_reader.h"

namespace bytegate::trace {

struct BatchingOptions {
  double step_ms = 30;      // length of a step, 0.001 .. 3,600,000; rounded to whole microseconds
  int64_t max_batch = 256;  // slots, 1 .. 2^31-1
  double speedup = 1;       // divides arrival times (rounded up to microseconds); finite, > 0
  int64_t every = 1;        // of the decode steps, emit the 1st, (1 + every)-th, ..; >= 1
  int64_t page_size = 64;   // tokens to a page of slots (ServedRun), 1 .. 2^31-1
};

struct BatchingError {
  std::string field;  // the option, or "requests"
  std::string message;
};

// "max_batch: 0 is not in 1 .. 2147483647"
std::string to_string(const BatchingError& error);

struct Batch {
  int64_t step_idx = 0;               // time_us / step; counts the steps jumped over, too
  int64_t time_us = 0;                // since the first arrival, on the scaled clock
  std::vector<int32_t> context_lens;  // tokens held by each running request; never empty

  friend bool operator==(const Batch&, const Batch&) = default;
};

// One run. next() is all that most callers need; it can be left at any time.
//
// Below it, step() shows every decode step and what changed, for whoever keeps books on the
// requests' tokens: free what left() names, allocate for joined(), then grow each of running() by
// one token (ServedRun does).
class ContinuousBatching {
 public:
  struct Running {
    int64_t request = 0;     // index into requests()
    int64_t first_step = 0;  // the step at which it joined
    int64_t end_step = 0;    // the step at which it leaves; first_step < end_step
  };

  // `requests` as read_trace gives them: sorted by arrival, from 0 on, lengths in range.
  static std::variant<ContinuousBatching, BatchingError> create(std::vector<Request> requests,
                                                                const BatchingOptions& options);

  // The next batch to emit; nothing once every request is done.
  std::optional<Batch> next();

  // next() in two parts, for a caller who wants few of the batches: advance() goes to the next
  // batch to emit, false at the end; batch() is that batch (after a true advance() or step()).
  bool advance();
  Batch batch() const;

  // Goes to the next decode step, emitted or not; false once every request is done.
  bool step();
  bool emits() const { return (steps_done_ - 1) % options_.every == 0; }  // the last step()
  int64_t step_idx() const { return step_idx_; }
  const std::vector<Request>& requests() const { return requests_; }
  const std::vector<Running>& running() const { return running_; }  // in row order
  const std::vector<int64_t>& left() const { return left_; }        // at the last step()
  const std::vector<int64_t>& joined() const { return joined_; }    // at the last step()
  int64_t held_tokens(const Running& row) const;                    // at the last step()

 private:
  ContinuousBatching(std::vector<Request> requests, const BatchingOptions& options,
                     int64_t step_us);

  int64_t arrival_step(const Request& request) const;
  void skip_requests_without_output();
  void leave(int64_t step);
  void join(int64_t step);

  std::vector<Request> requests_;
  BatchingOptions options_;
  int64_t step_us_ = 0;
  int64_t next_request_ = 0;  // the first that has neither joined nor been skipped
  int64_t step_idx_ = -1;
  int64_t steps_done_ = 0;
  int64_t next_end_ = 0;  // no running request leaves before this step
  std::vector<Running> running_;
  std::vector<int64_t> left_;
  std::vector<int64_t> joined_;
};

}  // namespace bytegate::trace
