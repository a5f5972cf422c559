#include "properties/trace/batching.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <utility>

namespace bytegate::trace {
namespace {

constexpr double kUsPerMs = 1000;
constexpr double kMinStepMs = 0.001;
constexpr double kMaxStepMs = 3'600'000;
constexpr int64_t kMaxRows = kMaxTokens;
// No step of a run is later: its time still fits an int64.
constexpr int64_t kMaxRunUs = int64_t{1} << 62;
constexpr int64_t kNever = std::numeric_limits<int64_t>::max();

std::optional<BatchingError> check_options(const BatchingOptions& options) {
  // Written so that NaN fails, too.
  if (!(options.step_ms >= kMinStepMs && options.step_ms <= kMaxStepMs)) {
    return BatchingError{"step_ms",
                         std::to_string(options.step_ms) + " is not in 0.001 .. 3600000"};
  }
  if (options.max_batch < 1 || options.max_batch > kMaxRows) {
    return BatchingError{"max_batch",
                         std::to_string(options.max_batch) + " is not in 1 .. 2147483647"};
  }
  if (!(options.speedup > 0) || !std::isfinite(options.speedup)) {
    return BatchingError{"speedup", std::to_string(options.speedup) + " is not a number above 0"};
  }
  if (options.every < 1) {
    return BatchingError{"every", std::to_string(options.every) + " is not 1 or more"};
  }
  if (options.page_size < 1 || options.page_size > kMaxTokens) {
    return BatchingError{"page_size",
                         std::to_string(options.page_size) + " is not in 1 .. 2147483647"};
  }
  return std::nullopt;
}

std::optional<BatchingError> check_requests(const std::vector<Request>& requests) {
  int64_t previous = 0;
  for (size_t i = 0; i < requests.size(); ++i) {
    const Request& r = requests[i];
    const std::string name = "request " + std::to_string(i);
    if (r.arrival_us < previous || r.arrival_us > kMaxTimeUs) {
      return BatchingError{"requests", name + " arrives at " + std::to_string(r.arrival_us) +
                                           ": not sorted, negative or beyond 2^53"};
    }
    const bool lengths_good = r.context_tokens >= 0 && r.generated_tokens >= 0 &&
                              r.context_tokens <= kMaxTokens &&
                              r.generated_tokens <= kMaxTokens - r.context_tokens;
    if (!lengths_good) {
      return BatchingError{"requests", name + " has " + std::to_string(r.context_tokens) + " + " +
                                           std::to_string(r.generated_tokens) +
                                           " tokens: negative or beyond 2^31-1 together"};
    }
    previous = r.arrival_us;
  }
  return std::nullopt;
}

// Every step index of a run is at most the last arrival's step and one step per generated token.
std::optional<BatchingError> check_duration(const std::vector<Request>& requests,
                                            const BatchingOptions& options, int64_t step_us) {
  if (requests.empty()) return std::nullopt;
  const double last_us = static_cast<double>(requests.back().arrival_us) / options.speedup;
  if (!(last_us <= static_cast<double>(kMaxTimeUs))) {
    return BatchingError{"speedup", "too small: the last request arrives beyond 2^53 microseconds"};
  }
  int64_t steps_left = (kMaxRunUs - static_cast<int64_t>(last_us)) / step_us - 2;
  for (const Request& request : requests) {
    steps_left -= request.generated_tokens;
    if (steps_left < 0) {
      return BatchingError{"step_ms", "too long: the run may end beyond 2^62 microseconds"};
    }
  }
  return std::nullopt;
}

}  // namespace

std::string to_string(const BatchingError& error) {
  return error.field + ": " + error.message;
}

std::variant<ContinuousBatching, BatchingError> ContinuousBatching::create(
    std::vector<Request> requests, const BatchingOptions& options) {
  if (auto error = check_options(options)) return *std::move(error);
  if (auto error = check_requests(requests)) return *std::move(error);
  const int64_t step_us = std::llround(options.step_ms * kUsPerMs);
  if (auto error = check_duration(requests, options, step_us)) return *std::move(error);
  return ContinuousBatching(std::move(requests), options, step_us);
}

ContinuousBatching::ContinuousBatching(std::vector<Request> requests,
                                       const BatchingOptions& options, int64_t step_us)
    : requests_(std::move(requests)), options_(options), step_us_(step_us), next_end_(kNever) {}

std::optional<Batch> ContinuousBatching::next() {
  if (!advance()) return std::nullopt;
  return batch();
}

bool ContinuousBatching::advance() {
  while (step()) {
    if (emits()) return true;
  }
  return false;
}

Batch ContinuousBatching::batch() const {
  Batch out{.step_idx = step_idx_, .time_us = step_idx_ * step_us_, .context_lens = {}};
  out.context_lens.reserve(running_.size());
  for (const Running& row : running_) {
    out.context_lens.push_back(static_cast<int32_t>(held_tokens(row)));
  }
  return out;
}

bool ContinuousBatching::step() {
  left_.clear();
  joined_.clear();
  int64_t now = step_idx_ + 1;
  leave(now);
  skip_requests_without_output();
  if (running_.empty()) {
    if (next_request_ == std::ssize(requests_)) return false;
    now = std::max(now, arrival_step(requests_[static_cast<size_t>(next_request_)]));
  }
  join(now);
  step_idx_ = now;
  ++steps_done_;
  return true;
}

int64_t ContinuousBatching::held_tokens(const Running& row) const {
  assert(row.first_step <= step_idx_ && step_idx_ < row.end_step);
  return requests_[static_cast<size_t>(row.request)].context_tokens + step_idx_ - row.first_step;
}

int64_t ContinuousBatching::arrival_step(const Request& request) const {
  const double scaled_us = std::ceil(static_cast<double>(request.arrival_us) / options_.speedup);
  return (static_cast<int64_t>(scaled_us) + step_us_ - 1) / step_us_;
}

void ContinuousBatching::skip_requests_without_output() {
  while (next_request_ < std::ssize(requests_) &&
         requests_[static_cast<size_t>(next_request_)].generated_tokens == 0) {
    ++next_request_;
  }
}

void ContinuousBatching::leave(int64_t step) {
  if (step < next_end_) return;
  next_end_ = kNever;
  auto kept = running_.begin();
  for (const Running& row : running_) {
    if (row.end_step == step) {
      left_.push_back(row.request);
    } else {
      next_end_ = std::min(next_end_, row.end_step);
      *kept++ = row;
    }
  }
  running_.erase(kept, running_.end());
}

void ContinuousBatching::join(int64_t step) {
  for (; std::ssize(running_) < options_.max_batch; ++next_request_) {
    skip_requests_without_output();
    if (next_request_ == std::ssize(requests_)) return;
    const Request& request = requests_[static_cast<size_t>(next_request_)];
    if (arrival_step(request) > step) return;
    const int64_t end_step = step + request.generated_tokens;
    running_.push_back({.request = next_request_, .first_step = step, .end_step = end_step});
    next_end_ = std::min(next_end_, end_step);
    joined_.push_back(next_request_);
  }
}

}  // namespace bytegate::trace
