#include "properties/trace/trace_fields.h"

#include <charconv>
#include <chrono>
#include <cmath>
#include <system_error>

#include "properties/trace/trace_reader.h"

namespace bytegate::trace {
namespace {

constexpr size_t kShownBytes = 60;
constexpr size_t kShownNames = 20;
// Far inside kMaxTimeUs, whatever the zone.
constexpr int64_t kFirstYear = 1970;
constexpr int64_t kLastYear = 2199;
constexpr int64_t kUsPerSecond = 1'000'000;
constexpr int64_t kSecondsPerDay = 86'400;

constexpr char kNotATimestamp[] =
    "neither a number of seconds nor a date like 2023-11-16 18:17:03.9799600: ";

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// Reads a date from the left; after a mismatch every further read fails too.
class DateCursor {
 public:
  explicit DateCursor(std::string_view text) : rest_(text) {}

  bool ok() const { return ok_; }
  bool at_end() const { return rest_.empty(); }

  bool accept(char wanted) {
    if (rest_.empty() || rest_.front() != wanted) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void expect(char wanted) { ok_ = accept(wanted) && ok_; }

  int64_t digits(int count) {
    int64_t value = 0;
    for (int i = 0; i < count; ++i) {
      if (rest_.empty() || !is_digit(rest_.front())) {
        ok_ = false;
        return 0;
      }
      value = value * 10 + (rest_.front() - '0');
      rest_.remove_prefix(1);
    }
    return value;
  }

  // The digits after a decimal point, one at least, as whole microseconds.
  int64_t fraction_us() {
    if (rest_.empty() || !is_digit(rest_.front())) ok_ = false;
    int64_t us = 0;
    for (int64_t unit = kUsPerSecond / 10; !rest_.empty() && is_digit(rest_.front()); unit /= 10) {
      us += unit * (rest_.front() - '0');
      rest_.remove_prefix(1);
    }
    return us;
  }

 private:
  std::string_view rest_;
  bool ok_ = true;
};

// Seconds that the zone is ahead of UTC; 0 when the date names none.
int64_t zone_seconds(DateCursor& cursor, bool& in_range) {
  if (cursor.at_end() || cursor.accept('Z')) return 0;
  const bool behind = cursor.accept('-');
  if (!behind) cursor.expect('+');
  const int64_t hours = cursor.digits(2);
  cursor.expect(':');
  const int64_t minutes = cursor.digits(2);
  in_range = in_range && hours <= 23 && minutes <= 59;
  const int64_t seconds = hours * 3600 + minutes * 60;
  return behind ? -seconds : seconds;
}

Parsed parse_date(std::string_view text) {
  DateCursor cursor(text);
  const int64_t year = cursor.digits(4);
  cursor.expect('-');
  const int64_t month = cursor.digits(2);
  cursor.expect('-');
  const int64_t day = cursor.digits(2);
  if (!cursor.accept('T')) cursor.expect(' ');
  const int64_t hour = cursor.digits(2);
  cursor.expect(':');
  const int64_t minute = cursor.digits(2);
  cursor.expect(':');
  const int64_t second = cursor.digits(2);
  const int64_t us = cursor.accept('.') ? cursor.fraction_us() : 0;
  bool in_range = hour <= 23 && minute <= 59 && second <= 59;
  const int64_t zone = zone_seconds(cursor, in_range);
  if (!cursor.ok() || !cursor.at_end()) return {0, kNotATimestamp + shown(text)};

  const std::chrono::year_month_day date{std::chrono::year{static_cast<int>(year)},
                                         std::chrono::month{static_cast<unsigned>(month)},
                                         std::chrono::day{static_cast<unsigned>(day)}};
  if (!date.ok() || !in_range) return {0, "no such date or time of day: " + shown(text)};
  if (year < kFirstYear || year > kLastYear) {
    return {0, "out of range, years 1970 to 2199 are read: " + shown(text)};
  }
  const int64_t days = std::chrono::sys_days{date}.time_since_epoch().count();
  const int64_t seconds = days * kSecondsPerDay + hour * 3600 + minute * 60 + second - zone;
  return {seconds * kUsPerSecond + us, ""};
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r";
  const size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

std::string shown(std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string out = "`";
  for (const char c : text.substr(0, kShownBytes)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7f) {
      out += c;
    } else {
      out += "\\x";
      out += kHex[byte >> 4];
      out += kHex[byte & 15U];
    }
  }
  return out + (text.size() > kShownBytes ? "..`" : "`");
}

std::string shown_names(const std::vector<std::string>& names) {
  if (names.empty()) return "none";
  std::string out;
  for (size_t i = 0; i < names.size() && i < kShownNames; ++i) {
    out += (i == 0 ? "" : ", ") + shown(names[i]);
  }
  return out + (names.size() > kShownNames ? ", .." : "");
}

Parsed check_tokens(int64_t tokens) {
  if (tokens < 0) return {0, "negative: " + std::to_string(tokens)};
  if (tokens > kMaxTokens) {
    return {0, "out of range, beyond 2^31-1: " + std::to_string(tokens)};
  }
  return {tokens, ""};
}

Parsed parse_tokens(std::string_view text) {
  int64_t tokens = 0;
  const char* end = text.data() + text.size();
  const auto [stop, code] = std::from_chars(text.data(), end, tokens);
  if (text.empty() || stop != end || code == std::errc::invalid_argument) {
    return {0, "not a whole number: " + shown(text)};
  }
  if (code == std::errc::result_out_of_range) {
    const bool negative = text.front() == '-';
    return {0, (negative ? "negative: " : "out of range, beyond 2^31-1: ") + shown(text)};
  }
  return check_tokens(tokens);
}

std::string check_length(int64_t context_tokens, int64_t generated_tokens) {
  if (context_tokens <= kMaxTokens - generated_tokens) return "";
  return "out of range, prompt and output together are beyond 2^31-1: " +
         std::to_string(context_tokens) + " + " + std::to_string(generated_tokens);
}

Parsed time_from_real(double value, double us_per_unit) {
  if (!std::isfinite(value)) return {0, "not a finite number"};
  if (value < 0) return {0, "negative: " + std::to_string(value)};
  const double us = value * us_per_unit;
  if (us > static_cast<double>(kMaxTimeUs)) {
    return {0, "out of range, beyond 2^53 microseconds (285 years)"};
  }
  return {std::llround(us), ""};
}

ParsedTime parse_timestamp(std::string_view text) {
  double seconds = 0;
  const char* end = text.data() + text.size();
  const auto [stop, code] = std::from_chars(text.data(), end, seconds);
  if (text.empty() || stop != end || code == std::errc::invalid_argument) {
    return {parse_date(text), TimestampKind::kDate};
  }
  if (code == std::errc::result_out_of_range) {
    return {{0, "out of range: " + shown(text)}, TimestampKind::kSeconds};
  }
  return {time_from_real(seconds, static_cast<double>(kUsPerSecond)), TimestampKind::kSeconds};
}

}  // namespace bytegate::trace
