#include "oracles/schedule_walker.h"

#include <vector>

#include "oracles/schedule_consumer.h"

namespace bytegate {
namespace {

struct Position {
  int64_t row = 0;
  int64_t offset = 0;
};

std::string at(int64_t sm, const Position& position) {
  return "row " + std::to_string(sm) + " is (" + std::to_string(position.row) + ", " +
         std::to_string(position.offset) + ")";
}

uint64_t splits_of(const PagedMqaMetadataCase& c, int64_t row) {
  // Rounds up by adding, where the oracle divides and looks at the rest.
  const uint64_t len = static_cast<uint64_t>(c.context_lens[static_cast<size_t>(row)]);
  return (len + kSplitKv - 1) / kSplitKv;
}

std::optional<std::string> bounds_reason(const PagedMqaMetadataCase& c, int64_t sm,
                                         const Position& start) {
  const int64_t num_rows = static_cast<int64_t>(c.context_lens.size());
  if (start.row < 0 || start.row > num_rows) {
    return at(sm, start) + ": q is outside 0 .. " + std::to_string(num_rows);
  }
  if (start.row == num_rows) {
    if (start.offset == 0) return std::nullopt;
    return at(sm, start) + ": the sentinel's offset must be 0";
  }
  const uint64_t splits = splits_of(c, start.row);
  if (start.offset < 0 || static_cast<uint64_t>(start.offset) >= splits) {
    return at(sm, start) + ": request " + std::to_string(start.row) + " has " +
           std::to_string(splits) + " splits";
  }
  return std::nullopt;
}

// Splits from the walker's place to `stop`, moving the place there; nothing when `stop` lies
// behind.
std::optional<uint64_t> advance(const PagedMqaMetadataCase& c, Position& place,
                                const Position& stop) {
  uint64_t visited = 0;
  while (place.row < stop.row) {
    visited += splits_of(c, place.row) - static_cast<uint64_t>(place.offset);
    place = {place.row + 1, 0};
  }
  if (place.row > stop.row || place.offset > stop.offset) return std::nullopt;
  visited += static_cast<uint64_t>(stop.offset - place.offset);
  place.offset = stop.offset;
  return visited;
}

}  // namespace

std::optional<std::string> walk_schedule(const PagedMqaMetadataCase& c,
                                         std::span<const int32_t> table) {
  const int64_t num_rows = static_cast<int64_t>(c.context_lens.size());
  const size_t num_sm = static_cast<size_t>(c.num_sm);
  if (table.size() != 2 * (num_sm + 1)) return "the table has another number of rows";
  std::vector<uint64_t> share(num_sm);
  Position place;  // everything before it has been visited
  for (size_t sm = 0; sm <= num_sm; ++sm) {
    const Position stop{table[2 * sm], table[2 * sm + 1]};
    if (auto reason = bounds_reason(c, static_cast<int64_t>(sm), stop)) return reason;
    const std::optional<uint64_t> visited = advance(c, place, stop);
    if (!visited) return at(static_cast<int64_t>(sm), stop) + ": before the row above it";
    if (sm > 0) share[sm - 1] = *visited;
    if (sm == 0 && *visited != 0) {
      return at(0, stop) + ": " + std::to_string(*visited) + " splits before it are never visited";
    }
  }
  if (place.row != num_rows) {
    return at(c.num_sm, place) + ": the last row must be (" + std::to_string(num_rows) + ", 0)";
  }
  // Shares differ by at most one, and the larger ones stand at the end the variant names.
  for (size_t sm = 1; sm < num_sm; ++sm) {
    const uint64_t before = c.remainder == Remainder::kLast ? share[sm - 1] : share[sm];
    const uint64_t after = c.remainder == Remainder::kLast ? share[sm] : share[sm - 1];
    if (before > after || share.front() + 1 < share.back() || share.back() + 1 < share.front()) {
      return "SM " + std::to_string(sm - 1) + " gets " + std::to_string(share[sm - 1]) +
             " splits, SM " + std::to_string(sm) + " gets " + std::to_string(share[sm]) +
             ", SM 0 gets " + std::to_string(share.front());
    }
  }
  return watch_consumer(c, table);
}

}  // namespace bytegate
