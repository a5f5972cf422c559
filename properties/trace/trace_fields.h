// The values of a trace's fields, shared by both formats. Internal to the trace library.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace bytegate::trace {

// A value, or what is wrong with the text it should come from.
struct Parsed {
  int64_t value = 0;
  std::string error;  // empty: value is good

  bool ok() const { return error.empty(); }
};

enum class TimestampKind { kDate, kSeconds };

struct ParsedTime {
  Parsed us;
  TimestampKind kind = TimestampKind::kDate;  // only when us.ok()
};

// Without the blanks, tabs and carriage returns around it.
std::string_view trimmed(std::string_view text);
// For a message: in backquotes, bytes that are not printable ASCII as \xNN, cut after 60 of them.
std::string shown(std::string_view text);
// "`A`, `B`", cut after 20 names; "none" for no names.
std::string shown_names(const std::vector<std::string>& names);

// 0 .. kMaxTokens.
Parsed parse_tokens(std::string_view text);
Parsed check_tokens(int64_t tokens);
// What is wrong with a request of this length; empty when it is good.
std::string check_length(int64_t context_tokens, int64_t generated_tokens);

// A time of `value` units as whole microseconds, 0 .. kMaxTimeUs, rounded to the nearest.
Parsed time_from_real(double value, double us_per_unit);
// A date gives microseconds since 1970 (digits beyond the microsecond are dropped), a plain number
// is in seconds.
ParsedTime parse_timestamp(std::string_view text);

}  // namespace bytegate::trace
