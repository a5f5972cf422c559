// A small set of batches that stands for a whole run: sizes from the smallest to the largest that
// the run reached, evenly spread on a log scale.
#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "properties/trace/batching.h"
#include "properties/trace/served_batch.h"

namespace bytegate::trace {

// counts[s] = how many emitted batches have s rows; counts.size() - 1 is the largest size reached,
// counts[0] is 0. For a run without any batch: {0}.
std::variant<std::vector<int64_t>, BatchingError> count_batch_sizes(
    const std::vector<Request>& requests, const BatchingOptions& options);

// Of the sizes that counts (as above) shows, `count` at most, ascending. The largest comes first
// into the choice, then the smallest, then whichever is farthest, by ratio, from its chosen
// neighbours (the smaller one of two as far). Exact integer arithmetic: the same on every machine.
std::vector<int64_t> choose_sizes(const std::vector<int64_t>& counts, int64_t count);

// One batch of each chosen size, by size: of the run's batches of that size, the middle one (the
// earlier of two). Never holds more than the batches that it returns.
// count >= 1.
std::variant<std::vector<ServedBatch>, BatchingError> select_batches(
    const std::vector<Request>& requests, const BatchingOptions& options, int64_t count);

}  // namespace bytegate::trace
