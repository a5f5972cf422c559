// Where the multiprocessors of a schedule start, counted in splits: what relations of schedules are
// stated in.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace bytegate {

// ceil(len / kSplitKv); `len` is not negative.
int64_t num_splits(int32_t len_tokens);
int64_t num_splits(std::span<const int32_t> lens_tokens);

// Of each row of `table` ([num_sm + 1][2], columns (q, offset)), the splits before it in a batch of
// these lengths; nothing where a row lies outside the batch or a length is negative.
std::optional<std::vector<int64_t>> schedule_starts(std::span<const int32_t> lens_tokens,
                                                    std::span<const int32_t> table);

// The first row in which `table` is not `expect`, or nothing.
std::optional<std::string> different_row(std::span<const int32_t> expect,
                                         std::span<const int32_t> table);
// The first multiprocessor that does not start where it must, or nothing.
std::optional<std::string> different_start(std::span<const int64_t> expect,
                                           std::span<const int64_t> starts);

}  // namespace bytegate
