#include "oracles/text_cursor.h"

#include <charconv>

namespace bytegate {
namespace {

constexpr std::string_view kBlanks = " \t";
constexpr size_t kMaxQuotedBytes = 40;

bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

void append_hex_escape(std::string& text, char c) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  const auto byte = static_cast<unsigned char>(c);
  text += "\\x";
  text += kDigits[byte >> 4];
  text += kDigits[byte & 15];
}

template <typename Int>
std::optional<Int> parse_whole(std::string_view word) {
  Int value = 0;
  const char* end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data(), end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

}  // namespace

std::optional<Line> Lines::scan() {
  while (!rest_.empty()) {
    const size_t length = rest_.find('\n');
    std::string_view text = rest_.substr(0, length);
    rest_.remove_prefix(length == std::string_view::npos ? rest_.size() : length + 1);
    ++number_;
    if (text.ends_with('\r')) text.remove_suffix(1);
    const size_t first = text.find_first_not_of(kBlanks);
    if (first == std::string_view::npos || text[first] == '#') continue;
    return Line{.number = number_, .text = text, .indented = first > 0};
  }
  return std::nullopt;
}

const std::optional<Line>& Lines::peek() {
  if (!peeked_) peeked_ = scan();
  return peeked_;
}

std::optional<Line> Lines::next() {
  const std::optional<Line> line = peek();
  peeked_.reset();
  return line;
}

void Words::skip_blanks() {
  size_t first = 0;
  while (first < rest_.size() && is_blank(rest_[first])) ++first;
  rest_.remove_prefix(first);
}

std::string_view Words::next() {
  skip_blanks();
  size_t length = 0;
  while (length < rest_.size() && !is_blank(rest_[length])) ++length;
  const std::string_view word = rest_.substr(0, length);
  rest_.remove_prefix(length);
  return word;
}

std::string_view Words::take_rest() {
  skip_blanks();
  const std::string_view text = rest_.substr(0, rest_.find_last_not_of(kBlanks) + 1);
  rest_ = {};
  return text;
}

bool Words::take(char c) {
  skip_blanks();
  if (!rest_.starts_with(c)) return false;
  rest_.remove_prefix(1);
  return true;
}

std::optional<int64_t> Words::take_int() {
  skip_blanks();
  int64_t value = 0;
  const auto [stop, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
  if (error != std::errc()) return std::nullopt;
  rest_.remove_prefix(static_cast<size_t>(stop - rest_.data()));
  return value;
}

std::optional<int64_t> parse_int64(std::string_view word) {
  return parse_whole<int64_t>(word);
}
std::optional<uint64_t> parse_uint64(std::string_view word) {
  return parse_whole<uint64_t>(word);
}

std::string quoted(std::string_view word) {
  std::string text = "'";
  for (const char c : word.substr(0, kMaxQuotedBytes)) {
    if (c < ' ' || c > '~') {
      append_hex_escape(text, c);
    } else {
      text += c;
    }
  }
  return text + (word.size() > kMaxQuotedBytes ? "..'" : "'");
}

std::string escape_text(std::string_view text) {
  std::string escaped;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool at_end = i == 0 || i + 1 == text.size();
    const bool is_control = (c >= 0 && c < ' ') || c == '\x7f';
    if (c == '\\') {
      escaped += "\\\\";
    } else if (is_control || (c == ' ' && at_end)) {
      append_hex_escape(escaped, c);
    } else {
      escaped += c;
    }
  }
  return escaped;
}

std::optional<std::string> unescape_text(std::string_view text) {
  std::string plain;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\') {
      plain += text[i];
    } else if (text.substr(i).starts_with("\\\\")) {
      plain += '\\';
      ++i;
    } else {
      if (!text.substr(i).starts_with("\\x") || i + 4 > text.size()) return std::nullopt;
      unsigned byte = 0;
      const char* end = text.data() + i + 4;
      const auto [stop, error] = std::from_chars(end - 2, end, byte, 16);
      if (error != std::errc() || stop != end) return std::nullopt;
      plain += static_cast<char>(byte);
      i += 3;
    }
  }
  return plain;
}

}  // namespace bytegate
