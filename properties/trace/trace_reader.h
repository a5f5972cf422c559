// Request traces: when each request of a serving system arrived and how many tokens it had.
//
// Two formats are read, told apart by content (a first non-blank line that starts with `{` is JSON
// Lines) and read by the names of their columns:
//   CSV          a header naming TIMESTAMP, ContextTokens and GeneratedTokens in any order.
//                TIMESTAMP is a date (2023-11-16 18:17:03.9799600, `T` for the blank, `Z` or an
//                offset such as +01:00 behind it) or a plain number of seconds; one kind a file.
//   JSON Lines   one object a line with `timestamp` (milliseconds, may be fractional),
//                `input_length` and `output_length`.
// Other columns and keys are passed over. CRLF, a UTF-8 byte order mark, blank lines and quoted CSV
// fields (with doubled quotes, commas and newlines inside) are accepted.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace bytegate::trace {

// The longest request, prompt and output together, in tokens: lengths are int32 to the kernels.
inline constexpr int64_t kMaxTokens = (int64_t{1} << 31) - 1;
// The latest arrival, in microseconds (285 years): whole microseconds are exact in a double.
inline constexpr int64_t kMaxTimeUs = int64_t{1} << 53;
// The largest file read_trace_file accepts.
inline constexpr int64_t kMaxTraceBytes = int64_t{1} << 30;

struct Request {
  int64_t arrival_us = 0;        // since the first request of the trace; 0 .. kMaxTimeUs
  int64_t context_tokens = 0;    // prompt, >= 0
  int64_t generated_tokens = 0;  // output, >= 0; context + generated <= kMaxTokens

  friend bool operator==(const Request&, const Request&) = default;
};

struct TraceError {
  int64_t line = 0;     // of the file, from 1; 0: about the file as a whole
  std::string field;    // the column or key; empty: about the line as a whole
  std::string message;  // what is wrong; foreign bytes in it are escaped and cut short
};

// "line 3, ContextTokens: not a whole number: `x`"
std::string to_string(const TraceError& error);

// The requests by arrival (those of one moment in file order), or the first thing wrong in the
// file. Never empty, never throws for what the bytes are.
using TraceResult = std::variant<std::vector<Request>, TraceError>;

TraceResult read_trace(std::string_view bytes);
TraceResult read_trace_file(const std::string& path);

}  // namespace bytegate::trace
