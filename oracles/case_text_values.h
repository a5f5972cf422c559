// The values of one tensor in a case file: plain numbers, runs, or a pattern with overrides.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "oracles/case_text.h"
#include "oracles/text_cursor.h"

namespace bytegate {

struct Values {
  Elements elements;
  std::optional<Pattern> pattern;
};

// The words of a tensor's values: what is left of its line, then the indented lines below it.
class ValueWords {
 public:
  ValueWords(Lines& lines, Words words) : lines_(&lines), words_(words), line_(lines.number()) {}

  // Empty at the end of the values.
  std::string_view next();
  // The line of the last word.
  [[nodiscard]] int64_t line() const { return line_; }
  // No less than the number of words left.
  [[nodiscard]] int64_t max_words_left() const;

 private:
  Lines* lines_;
  Words words_;
  int64_t line_;
};

// Reads exactly `count` elements; the error's field is left for the caller to name.
std::optional<ParseError> read_values(ValueWords& words, DType dtype, int64_t count,
                                      Values& values);

// Appends the values to a line that so far ends in `=`, on the same line when they fit into 100
// columns, else on indented lines of at most 100 columns. No line end follows.
void write_values(std::string& text, const Elements& elements,
                  const std::optional<Pattern>& pattern);

// Whether `num_overrides` of `count` elements are few enough for a pattern to be kept.
constexpr bool keeps_pattern(int64_t count, int64_t num_overrides) {
  return num_overrides <= count / 8;
}
// Whether the format can hold the pattern.
bool is_writable(const Pattern& pattern, DType dtype);

}  // namespace bytegate
