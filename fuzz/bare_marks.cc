#include "fuzz/bare_marks.h"

#include <array>
#include <charconv>
#include <vector>

namespace bytegate {
namespace {

struct MarkWord {
  BareMark::Kind kind;
  std::string_view word;
  size_t num_fields;  // behind the word
};

constexpr std::array<MarkWord, 6> kWords = {{
    {BareMark::Kind::kBegin, "bytegate-begin", 1},
    {BareMark::Kind::kAbsent, "bytegate-absent", 1},
    {BareMark::Kind::kCase, "bytegate-case", 1},
    {BareMark::Kind::kVerdict, "bytegate-verdict", 5},
    {BareMark::Kind::kStop, "bytegate-stop", 1},
    {BareMark::Kind::kDone, "bytegate-done", 1},
}};

// One field of one line, whatever it holds.
std::string as_field(std::string_view text) {
  constexpr size_t kMaxField = 1000;  // the whole line goes into a pipe at once
  std::string field(text.substr(0, kMaxField));
  for (char& c : field) {
    if (static_cast<unsigned char>(c) < 0x20) c = ' ';
  }
  return field;
}

bool is_text(BareMark::Kind kind) {
  return kind == BareMark::Kind::kBegin || kind == BareMark::Kind::kAbsent;
}

std::vector<std::string_view> split_at_tabs(std::string_view line) {
  std::vector<std::string_view> fields;
  while (true) {
    const size_t tab = line.find('\t');
    fields.push_back(line.substr(0, tab));
    if (tab == std::string_view::npos) return fields;
    line.remove_prefix(tab + 1);
  }
}

std::optional<int64_t> number_of(std::string_view text) {
  int64_t number = 0;
  const char* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number);
  if (read.ec != std::errc() || read.ptr != end || number < 0) return std::nullopt;
  return number;
}

}  // namespace

std::string line_of(const BareMark& mark) {
  const MarkWord& spec = kWords[static_cast<size_t>(mark.kind)];
  std::string line = "\n" + std::string(spec.word) + "\t";
  line += is_text(mark.kind) ? as_field(mark.text) : std::to_string(mark.number);
  if (mark.kind == BareMark::Kind::kVerdict) {
    line += "\t" + std::string(verdict_name(mark.verdict.kind)) + "\t" +
            as_field(mark.verdict.origin) + "\t" + as_field(mark.verdict.path) + "\t" +
            as_field(mark.text);
  }
  return line + "\n";
}

std::optional<BareMark> read_mark(std::string_view line) {
  const std::vector<std::string_view> fields = split_at_tabs(line);
  for (const MarkWord& spec : kWords) {
    if (fields.front() != spec.word || fields.size() != spec.num_fields + 1) continue;
    BareMark mark{.kind = spec.kind};
    if (is_text(spec.kind)) {
      mark.text = fields[1];
      return mark;
    }
    const std::optional<int64_t> number = number_of(fields[1]);
    if (!number) return std::nullopt;
    mark.number = *number;
    if (spec.kind != BareMark::Kind::kVerdict) return mark;
    const std::optional<VerdictKind> verdict = verdict_of_name(fields[2]);
    if (!verdict) return std::nullopt;
    mark.verdict = {
        .kind = *verdict, .origin = std::string(fields[3]), .path = std::string(fields[4])};
    mark.text = fields[5];
    return mark;
  }
  return std::nullopt;
}

}  // namespace bytegate
