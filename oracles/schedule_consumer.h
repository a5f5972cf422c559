// An attention kernel as far as it follows a schedule: each SM works from its row of the table to
// the next one, and looks at lengths as it goes. Watched, so that it is seen which.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "oracles/paged_mqa_metadata.h"

namespace bytegate {

// Where an SM starts and where it stops: two rows of the table.
struct ScheduleRows {
  int64_t row = 0;
  int64_t offset = 0;
  int64_t end_row = 0;
  int64_t end_offset = 0;
};

// The length of a request; nothing when there is no such request, and then the SM must stop.
using ReadLen = std::function<std::optional<int32_t>(int64_t request)>;
// Splits first .. last-1 of a request are worked on.
using VisitSplits = std::function<void(int64_t request, int64_t first, int64_t last)>;
// One SM.
using ScheduleConsumer = void (*)(const ScheduleRows& rows, const ReadLen& read_len,
                                  const VisitSplits& visit);

// The right one: it asks whether there is work before it loads a length. An SM whose start is its
// stop reads none, wherever that is.
void consume_rows(const ScheduleRows& rows, const ReadLen& read_len, const VisitSplits& visit);

// Lets the consumer follow a schedule, SM by SM, and says what is wrong: a split that is not
// visited exactly once or out of order, a length that is not there, a length read by an SM without
// work. `table` is [num_sm + 1][2] and may hold anything.
std::optional<std::string> watch_consumer(const PagedMqaMetadataCase& c,
                                          std::span<const int32_t> table,
                                          ScheduleConsumer consumer = consume_rows);

}  // namespace bytegate
