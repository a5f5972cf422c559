#include "properties/trace/csv_trace.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "properties/trace/trace_fields.h"

namespace bytegate::trace {
namespace {

constexpr size_t kTime = 0;
constexpr size_t kContext = 1;
constexpr size_t kGenerated = 2;
constexpr std::array<const char*, 3> kColumns = {"TIMESTAMP", "ContextTokens", "GeneratedTokens"};

using Columns = std::array<size_t, kColumns.size()>;  // where in a record each of kColumns is

// Walks a CSV text (RFC 4180) record by record.
class CsvCursor {
 public:
  explicit CsvCursor(std::string_view text) : text_(text) {}

  // Where the record that next() read began.
  int64_t line() const { return record_line_; }
  // Set when next() stopped at text that is no CSV.
  const std::optional<TraceError>& error() const { return error_; }

  // The next record that is not blank; false at the end and at an error.
  bool next(std::vector<std::string>& fields) {
    do {
      fields.clear();
      if (error_ || at_ == text_.size()) return false;
      record_line_ = line_;
      while (read_field(fields)) {
      }
      if (error_) return false;
    } while (fields.size() == 1 && fields[0].empty());
    return true;
  }

 private:
  // Appends one field, blanks around it taken off; true when the record has another.
  bool read_field(std::vector<std::string>& fields) {
    if (at_ < text_.size() && text_[at_] == '"') {
      if (!read_quoted(fields.emplace_back())) return false;
    } else {
      const size_t end = std::min(text_.find_first_of(",\n", at_), text_.size());
      fields.emplace_back(trimmed(text_.substr(at_, end - at_)));
      at_ = end;
    }
    if (at_ == text_.size()) return false;
    const bool more = text_[at_++] == ',';
    if (!more) ++line_;
    return more;
  }

  // Leaves the cursor at the comma, the newline or the end behind the closing quote.
  bool read_quoted(std::string& field) {
    const int64_t opened = line_;
    for (++at_; at_ < text_.size(); ++at_) {
      const bool quote = text_[at_] == '"';
      const bool doubled = quote && at_ + 1 < text_.size() && text_[at_ + 1] == '"';
      if (quote && !doubled) return close_quoted();
      if (doubled) ++at_;
      if (text_[at_] == '\n') ++line_;
      field += text_[at_];
    }
    error_ = TraceError{opened, "", "a quoted field that never ends"};
    return false;
  }

  bool close_quoted() {
    ++at_;
    if (at_ < text_.size() && text_[at_] == '\r') ++at_;
    if (at_ == text_.size() || text_[at_] == ',' || text_[at_] == '\n') return true;
    error_ = TraceError{line_, "", "text behind the closing quote of a field"};
    return false;
  }

  std::string_view text_;
  size_t at_ = 0;
  int64_t line_ = 1;
  int64_t record_line_ = 1;
  std::optional<TraceError> error_;
};

std::optional<TraceError> find_columns(const std::vector<std::string>& header, int64_t line,
                                       Columns& columns) {
  std::string missing;
  for (size_t c = 0; c < kColumns.size(); ++c) {
    const auto found = std::find(header.begin(), header.end(), kColumns[c]);
    if (found == header.end()) {
      missing += (missing.empty() ? "" : ", ") + std::string(kColumns[c]);
    } else if (std::find(found + 1, header.end(), kColumns[c]) != header.end()) {
      return TraceError{line, kColumns[c], "duplicate column"};
    }
    columns[c] = static_cast<size_t>(found - header.begin());
  }
  if (missing.empty()) return std::nullopt;
  return TraceError{line, missing, "missing column; the header has " + shown_names(header)};
}

// Reads rows into requests; holds what one row tells about the next.
class CsvRows {
 public:
  explicit CsvRows(const Columns& columns) : columns_(columns) {}

  std::optional<TraceError> add(const std::vector<std::string>& fields, int64_t line) {
    const ParsedTime time = parse_timestamp(fields[columns_[kTime]]);
    if (!time.us.ok()) return TraceError{line, kColumns[kTime], time.us.error};
    if (!requests_.empty() && kind_ != time.kind) {
      return TraceError{line, kColumns[kTime],
                        "dates and plain seconds in one file: " + shown(fields[columns_[kTime]])};
    }
    kind_ = time.kind;
    const Parsed context = parse_tokens(fields[columns_[kContext]]);
    if (!context.ok()) return TraceError{line, kColumns[kContext], context.error};
    const Parsed generated = parse_tokens(fields[columns_[kGenerated]]);
    if (!generated.ok()) return TraceError{line, kColumns[kGenerated], generated.error};
    std::string wrong = check_length(context.value, generated.value);
    if (!wrong.empty()) return TraceError{line, kColumns[kGenerated], std::move(wrong)};
    requests_.push_back({.arrival_us = time.us.value,
                         .context_tokens = context.value,
                         .generated_tokens = generated.value});
    return std::nullopt;
  }

  std::vector<Request> take() { return std::move(requests_); }

 private:
  Columns columns_;
  TimestampKind kind_ = TimestampKind::kDate;  // of the rows so far
  std::vector<Request> requests_;
};

}  // namespace

TraceResult read_csv_trace(std::string_view text) {
  CsvCursor cursor(text);
  std::vector<std::string> header;
  Columns columns = {};
  cursor.next(header);
  if (cursor.error()) return *cursor.error();
  if (auto error = find_columns(header, cursor.line(), columns)) return *std::move(error);
  CsvRows rows(columns);
  std::vector<std::string> fields;
  while (cursor.next(fields)) {
    if (fields.size() != header.size()) {
      return TraceError{cursor.line(), "",
                        "fields: " + std::to_string(fields.size()) + ", but the header has " +
                            std::to_string(header.size())};
    }
    if (auto error = rows.add(fields, cursor.line())) return *std::move(error);
  }
  if (cursor.error()) return *cursor.error();
  return rows.take();
}

}  // namespace bytegate::trace
