#include "properties/trace/slots.h"

#include <algorithm>
#include <cassert>
#include <iterator>
#include <numeric>
#include <string>
#include <utility>

namespace bytegate::trace {
namespace {

// Slots are int32 to the kernels.
constexpr int64_t kMaxSlots = int64_t{1} << 31;

int64_t num_pages_for(int64_t num_tokens, int64_t page_size) {
  return (num_tokens + page_size - 1) / page_size;
}

}  // namespace

std::variant<ServedRun, BatchingError> ServedRun::create(std::vector<Request> requests,
                                                         const BatchingOptions& options) {
  auto created = ContinuousBatching::create(std::move(requests), options);
  if (auto* error = std::get_if<BatchingError>(&created)) return std::move(*error);
  auto& batching = std::get<ContinuousBatching>(created);
  auto sizes = pool_sizes(batching, options.page_size);
  if (auto* error = std::get_if<BatchingError>(&sizes)) return std::move(*error);
  return ServedRun(std::move(batching), std::get<PoolSizes>(sizes), options.page_size);
}

ServedRun::ServedRun(ContinuousBatching batching, const PoolSizes& sizes, int64_t page_size)
    : batching_(std::move(batching)),
      sizes_(sizes),
      page_size_(page_size),
      free_rows_(static_cast<size_t>(sizes.num_rows)),
      free_pages_(static_cast<size_t>(sizes.num_pages)),
      row_of_request_(batching_.requests().size()),
      pages_of_row_(static_cast<size_t>(sizes.num_rows)) {
  std::iota(free_rows_.begin(), free_rows_.end(), 0);
  std::iota(free_pages_.rbegin(), free_pages_.rend(), 0);
}

// A page is made only when none is free, and what leaves is free before anything is taken: the most
// that are held after a step is all that a pool needs.
std::variant<ServedRun::PoolSizes, BatchingError> ServedRun::pool_sizes(ContinuousBatching run,
                                                                        int64_t page_size) {
  const int64_t max_pages = kMaxSlots / page_size;
  PoolSizes sizes;
  while (run.step()) {
    int64_t num_pages = 0;
    for (const ContinuousBatching::Running& row : run.running()) {
      num_pages += num_pages_for(run.held_tokens(row), page_size);
    }
    if (num_pages > max_pages) {
      return BatchingError{"requests", "at step " + std::to_string(run.step_idx()) + " they hold " +
                                           std::to_string(num_pages) + " pages of " +
                                           std::to_string(page_size) +
                                           " tokens, and slots end at 2147483647"};
    }
    sizes.num_rows = std::max(sizes.num_rows, static_cast<int64_t>(std::ssize(run.running())));
    sizes.num_pages = std::max(sizes.num_pages, num_pages);
  }
  return sizes;
}

std::optional<ServedBatch> ServedRun::next() {
  if (!advance()) return std::nullopt;
  return batch();
}

bool ServedRun::advance() {
  while (step()) {
    if (batching_.emits()) return true;
  }
  return false;
}

bool ServedRun::step() {
  const bool decodes = batching_.step();
  for (const int64_t request : batching_.left()) give_back(request);
  if (!decodes) return false;
  for (const int64_t request : batching_.joined()) take_row(request);
  const auto& running = batching_.running();
  const auto first_joined = running.end() - std::ssize(batching_.joined());
  for (auto row = first_joined; row != running.end(); ++row) take_pages(*row);
  for (auto row = running.begin(); row != first_joined; ++row) take_pages(*row);
  return true;
}

ServedBatch ServedRun::batch() const {
  ServedBatch out;
  out.step_idx = batching_.step_idx();
  out.context_lens = batching_.batch().context_lens;
  out.num_pool_rows = sizes_.num_rows;
  out.page_size = page_size_;
  out.num_pages = sizes_.num_pages;
  out.req_pool_indices.reserve(out.context_lens.size());
  out.first_page.reserve(out.context_lens.size() + 1);
  out.pages.reserve(static_cast<size_t>(sizes_.num_pages - num_free_pages()));
  for (const ContinuousBatching::Running& row : batching_.running()) {
    const int32_t pool_row = row_of_request_[static_cast<size_t>(row.request)];
    const std::vector<int32_t>& pages = pages_of_row_[static_cast<size_t>(pool_row)];
    out.req_pool_indices.push_back(pool_row);
    out.pages.insert(out.pages.end(), pages.begin(), pages.end());
    out.first_page.push_back(std::ssize(out.pages));
  }
  return out;
}

std::vector<int32_t>& ServedRun::pages_of(int64_t request) {
  return pages_of_row_[static_cast<size_t>(row_of_request_[static_cast<size_t>(request)])];
}

void ServedRun::give_back(int64_t request) {
  const std::vector<int32_t> pages = std::exchange(pages_of(request), {});
  free_pages_.insert(free_pages_.end(), pages.rbegin(), pages.rend());
  free_rows_.push_back(row_of_request_[static_cast<size_t>(request)]);
}

void ServedRun::take_row(int64_t request) {
  assert(!free_rows_.empty());
  row_of_request_[static_cast<size_t>(request)] = free_rows_.front();
  free_rows_.pop_front();
}

void ServedRun::take_pages(const ContinuousBatching::Running& row) {
  std::vector<int32_t>& pages = pages_of(row.request);
  const int64_t wanted = num_pages_for(batching_.held_tokens(row), page_size_);
  while (std::ssize(pages) < wanted) {
    assert(!free_pages_.empty());
    pages.push_back(free_pages_.back());
    free_pages_.pop_back();
  }
}

}  // namespace bytegate::trace
