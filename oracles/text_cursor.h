// Lines, words and numbers of a line-based text, without copying any of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace bytegate {

struct Line {
  int64_t number = 0;  // from 1
  std::string_view text;
  bool indented = false;
};

// The lines that are neither blank nor a comment (`#` first). They end in LF or CRLF.
class Lines {
 public:
  explicit Lines(std::string_view text) : rest_(text) {}

  // Nothing at the end of the text.
  std::optional<Line> next();
  const std::optional<Line>& peek();
  // The number of the line last looked at.
  [[nodiscard]] int64_t number() const { return number_; }
  [[nodiscard]] size_t bytes_left() const { return rest_.size(); }

 private:
  std::optional<Line> scan();

  std::string_view rest_;
  std::optional<Line> peeked_;
  int64_t number_ = 0;
};

// The words of a line, separated by spaces and tabs.
class Words {
 public:
  explicit Words(std::string_view text) : rest_(text) {}

  // Empty at the end of the line.
  std::string_view next();
  // Everything left, without the blanks around it; the line is then at its end.
  std::string_view take_rest();
  // Takes `c` when it is the next character that is not blank.
  bool take(char c);
  // Takes a decimal integer that starts at the next character that is not blank.
  std::optional<int64_t> take_int();
  [[nodiscard]] size_t bytes_left() const { return rest_.size(); }

 private:
  void skip_blanks();

  std::string_view rest_;
};

// The whole word as a decimal integer; nothing when it is none or does not fit.
std::optional<int64_t> parse_int64(std::string_view word);
std::optional<uint64_t> parse_uint64(std::string_view word);

// A word for use in a message: in quotes, cut when long, with unprintable bytes escaped.
std::string quoted(std::string_view word);

// Free text on one line: `\\`, and `\xHH` for control bytes and for blanks at either end.
std::string escape_text(std::string_view text);
// Nothing when an escape is neither of these.
std::optional<std::string> unescape_text(std::string_view text);

}  // namespace bytegate
