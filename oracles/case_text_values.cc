#include "oracles/case_text_values.h"

#include <algorithm>
#include <charconv>
#include <span>

namespace bytegate {
namespace {

// `first`, `first + step`, .. : `count` values.
struct Item {
  int64_t first = 0;
  int64_t step = 0;
  int64_t count = 1;
};

std::string not_a_value(std::string_view word) {
  return quoted(word) + " is not a value: write V, V*COUNT, V+STEP*COUNT or V-STEP*COUNT";
}

std::optional<std::string> parse_item(std::string_view word, Item& item) {
  const char* const end = word.data() + word.size();
  auto at = std::from_chars(word.data(), end, item.first);
  if (at.ec == std::errc() && at.ptr == end) return std::nullopt;
  if (at.ec == std::errc() && (*at.ptr == '+' || *at.ptr == '-')) {
    // A negative step keeps its sign, for the sake of INT64_MIN.
    if (*at.ptr == '+' && at.ptr + 1 != end && at.ptr[1] == '-') return not_a_value(word);
    at = std::from_chars(at.ptr + (*at.ptr == '+' ? 1 : 0), end, item.step);
  }
  if (at.ec == std::errc() && at.ptr != end && *at.ptr == '*') {
    at = std::from_chars(at.ptr + 1, end, item.count);
    if (at.ec == std::errc() && at.ptr == end) {
      if (item.count >= 1) return std::nullopt;
      return quoted(word) + " repeats less than once";
    }
  }
  if (at.ec == std::errc::result_out_of_range) return quoted(word) + " does not fit 64 bits";
  return not_a_value(word);
}

// Whether all values of the item are values of the type.
bool fits(const Item& item, DType dtype) {
  const int64_t min = dtype_min(dtype);
  const int64_t max = dtype_max(dtype);
  if (item.first < min || item.first > max) return false;
  if (item.step == 0) return true;
  // Unsigned, where the distance between any two values and the size of any step fit.
  const uint64_t room = item.step > 0 ? static_cast<uint64_t>(max) - item.first
                                      : static_cast<uint64_t>(item.first) - min;
  const uint64_t step = item.step > 0 ? static_cast<uint64_t>(item.step)
                                      : uint64_t{0} - static_cast<uint64_t>(item.step);
  return static_cast<uint64_t>(item.count - 1) <= room / step;
}

std::string type_range(DType dtype) {
  return std::string(dtype_name(dtype)) + " " + std::to_string(dtype_min(dtype)) + " .. " +
         std::to_string(dtype_max(dtype));
}

template <typename T>
std::optional<std::string> read_runs(ValueWords& words, std::string_view word, DType dtype,
                                     int64_t count, std::vector<T>& values) {
  values.reserve(static_cast<size_t>(std::min(count, words.max_words_left() + 1)));
  for (; !word.empty(); word = words.next()) {
    Item item;
    if (auto reason = parse_item(word, item)) return reason;
    if (!fits(item, dtype)) return quoted(word) + " leaves " + type_range(dtype);
    if (item.count > count - static_cast<int64_t>(values.size())) {
      return "holds more elements than its shape, which has " + std::to_string(count);
    }
    if (item.count == 1) {
      values.push_back(static_cast<T>(item.first));
    } else if (item.step == 0) {
      values.insert(values.end(), static_cast<size_t>(item.count), static_cast<T>(item.first));
    } else {
      uint64_t value = static_cast<uint64_t>(item.first);
      for (int64_t i = 0; i < item.count; ++i, value += static_cast<uint64_t>(item.step)) {
        values.push_back(static_cast<T>(value));
      }
    }
  }
  if (static_cast<int64_t>(values.size()) == count) return std::nullopt;
  return "holds " + std::to_string(values.size()) + " elements, its shape " + std::to_string(count);
}

std::optional<std::string> read_pattern(ValueWords& words, DType dtype, Pattern& pattern) {
  const std::string_view version_word = words.next();
  const std::optional<int64_t> version = parse_int64(version_word);
  if (!version) return "a pattern is written: pattern VERSION SEED LOW HIGH";
  if (*version != Pattern().version) {
    return "pattern version " + std::to_string(*version) + " is unknown; this program knows " +
           std::to_string(Pattern().version);
  }
  const std::optional<uint64_t> seed = parse_uint64(words.next());
  const std::optional<int64_t> low = parse_int64(words.next());
  const std::optional<int64_t> high = parse_int64(words.next());
  if (!seed || !low || !high) return "a pattern is written: pattern VERSION SEED LOW HIGH";
  pattern.seed = *seed;
  pattern.low = *low;
  pattern.high = *high;
  if (is_writable(pattern, dtype)) return std::nullopt;
  return "pattern of " + std::to_string(*low) + " .. " + std::to_string(*high) +
         " is empty or leaves " + type_range(dtype);
}

template <typename T>
std::optional<std::string> read_overrides(ValueWords& words, DType dtype,
                                          std::optional<Pattern>& pattern, std::vector<T>& values) {
  const int64_t count = static_cast<int64_t>(values.size());
  int64_t last_idx = -1;
  int64_t num_overrides = 0;
  for (std::string_view word = words.next(); !word.empty(); word = words.next()) {
    const std::optional<int64_t> idx =
        word.starts_with('@') ? parse_int64(word.substr(1)) : std::nullopt;
    if (!idx) return quoted(word) + " is not an override: write @INDEX VALUE";
    if (*idx < 0 || *idx >= count) {
      return "override " + quoted(word) + " is outside the " + std::to_string(count) + " elements";
    }
    if (*idx <= last_idx) return "override " + quoted(word) + " is not in ascending order";
    last_idx = *idx;
    const std::optional<int64_t> value = parse_int64(words.next());
    if (!value || !fits({.first = *value}, dtype)) {
      return "override " + quoted(word) + " needs a value of " + type_range(dtype);
    }
    T& element = values[static_cast<size_t>(*idx)];
    if (element != static_cast<T>(*value)) ++num_overrides;
    element = static_cast<T>(*value);
  }
  if (!keeps_pattern(count, num_overrides)) pattern.reset();
  return std::nullopt;
}

template <typename T>
std::optional<std::string> read_typed(ValueWords& words, DType dtype, int64_t count,
                                      Values& values) {
  std::vector<T> typed;
  const std::string_view word = words.next();
  if (word == "pattern") {
    Pattern pattern;
    if (auto reason = read_pattern(words, dtype, pattern)) return reason;
    values.pattern = pattern;
    typed.resize(static_cast<size_t>(count));
    for (int64_t i = 0; i < count; ++i) {
      typed[static_cast<size_t>(i)] = static_cast<T>(pattern_value(pattern, i));
    }
    if (auto reason = read_overrides(words, dtype, values.pattern, typed)) return reason;
  } else {
    if (auto reason = read_runs(words, word, dtype, count, typed)) return reason;
  }
  values.elements = Elements(std::move(typed));
  return std::nullopt;
}

}  // namespace

std::string_view ValueWords::next() {
  while (true) {
    const std::string_view word = words_.next();
    if (!word.empty()) return word;
    if (!lines_->peek() || !lines_->peek()->indented) return {};
    const Line line = *lines_->next();
    words_ = Words(line.text);
    line_ = line.number;
  }
}

int64_t ValueWords::max_words_left() const {
  return static_cast<int64_t>((words_.bytes_left() + lines_->bytes_left() + 1) / 2);
}

std::optional<ParseError> read_values(ValueWords& words, DType dtype, int64_t count,
                                      Values& values) {
  auto reason = dtype == DType::kInt32 ? read_typed<int32_t>(words, dtype, count, values)
                                       : read_typed<int64_t>(words, dtype, count, values);
  if (!reason) return std::nullopt;
  return ParseError{.line = words.line(), .field = {}, .message = std::move(*reason)};
}

bool is_writable(const Pattern& pattern, DType dtype) {
  return pattern.version == Pattern().version && pattern.low <= pattern.high &&
         pattern.low >= dtype_min(dtype) && pattern.high <= dtype_max(dtype);
}

}  // namespace bytegate
