#include "properties/trace/selection.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "properties/trace/slots.h"

namespace bytegate::trace {
namespace {

// How far a size is from its nearer chosen neighbour, as a ratio above 1. Sizes are below 2^31, so
// that products of two fit an int64.
struct Distance {
  int64_t over = 1;
  int64_t under = 1;

  bool operator<(const Distance& other) const { return over * other.under < other.over * under; }
};

Distance distance_between(int64_t below, int64_t size, int64_t above) {
  return std::min(Distance{size, below}, Distance{above, size});
}

// The size farthest from the chosen ones around it; 0 when every size is chosen.
int64_t farthest(const std::vector<int64_t>& sizes, const std::set<int64_t>& chosen) {
  Distance best_distance;
  int64_t best = 0;
  auto above = chosen.begin();
  for (const int64_t size : sizes) {
    while (*above < size) ++above;
    if (*above == size) continue;
    const Distance distance = distance_between(*std::prev(above), size, *above);
    if (best_distance < distance) {
      best_distance = distance;
      best = size;
    }
  }
  return best;
}

}  // namespace

std::variant<std::vector<int64_t>, BatchingError> count_batch_sizes(
    const std::vector<Request>& requests, const BatchingOptions& options) {
  auto created = ContinuousBatching::create(requests, options);
  if (auto* error = std::get_if<BatchingError>(&created)) return std::move(*error);
  auto& run = std::get<ContinuousBatching>(created);
  std::vector<int64_t> counts(1);
  while (run.advance()) {
    const size_t size = run.running().size();
    if (size >= counts.size()) counts.resize(size + 1);
    ++counts[size];
  }
  return counts;
}

std::vector<int64_t> choose_sizes(const std::vector<int64_t>& counts, int64_t count) {
  std::vector<int64_t> sizes;
  for (size_t size = 1; size < counts.size(); ++size) {
    if (counts[size] > 0) sizes.push_back(static_cast<int64_t>(size));
  }
  if (sizes.empty() || count < 1) return {};
  std::set<int64_t> chosen = {sizes.back()};
  if (count > 1) chosen.insert(sizes.front());
  while (std::ssize(chosen) < std::min(count, static_cast<int64_t>(sizes.size()))) {
    chosen.insert(farthest(sizes, chosen));
  }
  return {chosen.begin(), chosen.end()};
}

std::variant<std::vector<ServedBatch>, BatchingError> select_batches(
    const std::vector<Request>& requests, const BatchingOptions& options, int64_t count) {
  if (count < 1) return BatchingError{"count", std::to_string(count) + " is not 1 or more"};
  auto counted = count_batch_sizes(requests, options);
  if (auto* error = std::get_if<BatchingError>(&counted)) return std::move(*error);
  const auto& counts = std::get<std::vector<int64_t>>(counted);

  // to_skip[s]: batches of size s still to pass before the one to take; -1: none (left) to take.
  std::vector<int64_t> to_skip(counts.size(), -1);
  const std::vector<int64_t> sizes = choose_sizes(counts, count);
  for (const int64_t size : sizes) {
    const auto s = static_cast<size_t>(size);
    to_skip[s] = (counts[s] - 1) / 2;
  }
  auto created = ServedRun::create(requests, options);
  if (auto* error = std::get_if<BatchingError>(&created)) return std::move(*error);
  auto& run = std::get<ServedRun>(created);
  std::vector<ServedBatch> batches;
  while (batches.size() < sizes.size() && run.advance()) {
    int64_t& skip = to_skip[run.batching().running().size()];
    if (skip >= 0 && skip-- == 0) batches.push_back(run.batch());
  }
  std::sort(batches.begin(), batches.end(), [](const ServedBatch& a, const ServedBatch& b) {
    return a.context_lens.size() < b.context_lens.size();
  });
  return batches;
}

}  // namespace bytegate::trace
