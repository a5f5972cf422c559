// What read_trace says of files that are wrong: line, column, message.
#include <gtest/gtest.h>

#include <string>

#include "properties/trace/trace_reader.h"

namespace bytegate::trace {
namespace {

using std::string_literals::operator""s;

constexpr char kHeader[] = "TIMESTAMP,ContextTokens,GeneratedTokens\n";
constexpr char kGoodRow[] = "2023-11-16 18:17:03.9799600,4808,10\n";
constexpr char kGoodLine[] = "{\"timestamp\": 0, \"input_length\": 1, \"output_length\": 1}\n";

std::string error_of(const std::string& bytes) {
  const TraceResult result = read_trace(bytes);
  const auto* error = std::get_if<TraceError>(&result);
  return error == nullptr ? "no error" : to_string(*error);
}

std::string row_error(const std::string& row) {
  return error_of(kHeader + row);
}
std::string second_row_error(const std::string& row) {
  return error_of(kHeader + (kGoodRow + row));
}
std::string json_error(const std::string& line) {
  return error_of(kGoodLine + line);
}

TEST(TraceErrors, AFileWithoutRequestsIsRefused) {
  EXPECT_EQ(error_of(""), "the file is empty");
  EXPECT_EQ(error_of("\xEF\xBB\xBF"), "the file is empty");
  EXPECT_EQ(error_of(" \r\n\n\t"), "the file is empty");
  EXPECT_EQ(error_of(kHeader), "no requests, only a header");
}

TEST(TraceErrors, MissingColumnsAreNamedWithThoseFound) {
  EXPECT_EQ(error_of("TIMESTAMP,context_tokens,GeneratedTokens\n"),
            "line 1, ContextTokens: missing column; the header has `TIMESTAMP`, `context_tokens`, "
            "`GeneratedTokens`");
  EXPECT_EQ(error_of("\nhello\n"),
            "line 2, TIMESTAMP, ContextTokens, GeneratedTokens: missing column; the header has "
            "`hello`");
  EXPECT_EQ(json_error("{\"timestamp\": 1, \"output_length\": 2, \"in\": 3}"),
            "line 2, input_length: missing key; the line has `timestamp`, `output_length`, `in`");
  EXPECT_EQ(json_error("{}"), "line 2, timestamp: missing key; the line has none");
}

TEST(TraceErrors, DuplicateColumnsAreRefused) {
  EXPECT_EQ(error_of("TIMESTAMP,ContextTokens,GeneratedTokens,ContextTokens\n"),
            "line 1, ContextTokens: duplicate column");
  EXPECT_EQ(json_error("{\"timestamp\": 1, \"input_length\": 2, \"timestamp\": 3}"),
            "line 2, timestamp: duplicate key");
}

TEST(TraceErrors, TokenCountsThatAreNoWholeNumbersAreRefused) {
  EXPECT_EQ(row_error("0,x1,1"), "line 2, ContextTokens: not a whole number: `x1`");
  EXPECT_EQ(row_error("0,1,"), "line 2, GeneratedTokens: not a whole number: ``");
  EXPECT_EQ(row_error("0,1.5,1"), "line 2, ContextTokens: not a whole number: `1.5`");
  EXPECT_EQ(row_error("0,NaN,1"), "line 2, ContextTokens: not a whole number: `NaN`");
  EXPECT_EQ(row_error("0,1 2,1"), "line 2, ContextTokens: not a whole number: `1 2`");
  EXPECT_EQ(row_error("0,0x10,1"), "line 2, ContextTokens: not a whole number: `0x10`");
  EXPECT_EQ(json_error("{\"timestamp\": 1, \"input_length\": 1.5, \"output_length\": 2}"),
            "line 2, input_length: not a whole number: 1.500000");
}

TEST(TraceErrors, NegativeNumbersAreRefused) {
  EXPECT_EQ(second_row_error("2023-11-16 18:17:04,-1,1"), "line 3, ContextTokens: negative: -1");
  EXPECT_EQ(row_error("0,1,-99999999999999999999"),
            "line 2, GeneratedTokens: negative: `-99999999999999999999`");
  EXPECT_EQ(row_error("-0.5,1,1"), "line 2, TIMESTAMP: negative: -0.500000");
  EXPECT_EQ(json_error("{\"timestamp\": -1, \"input_length\": 1, \"output_length\": 2}"),
            "line 2, timestamp: negative: -1.000000");
  EXPECT_EQ(json_error("{\"timestamp\": 1, \"input_length\": 1, \"output_length\": -2}"),
            "line 2, output_length: negative: -2");
}

TEST(TraceErrors, NumbersOutOfRangeAreRefused) {
  EXPECT_EQ(row_error("0,2147483648,0"),
            "line 2, ContextTokens: out of range, beyond 2^31-1: 2147483648");
  EXPECT_EQ(row_error("0,99999999999999999999,0"),
            "line 2, ContextTokens: out of range, beyond 2^31-1: `99999999999999999999`");
  EXPECT_EQ(row_error("0,2147483647,1"),
            "line 2, GeneratedTokens: out of range, prompt and output together are beyond 2^31-1: "
            "2147483647 + 1");
  EXPECT_EQ(row_error("9007199255,1,1"),
            "line 2, TIMESTAMP: out of range, beyond 2^53 microseconds (285 years)");
  EXPECT_EQ(row_error("1e999,1,1"), "line 2, TIMESTAMP: out of range: `1e999`");
  EXPECT_EQ(json_error("{\"timestamp\": 1e30, \"input_length\": 1, \"output_length\": 1}"),
            "line 2, timestamp: out of range, beyond 2^53 microseconds (285 years)");
  EXPECT_EQ(json_error("{\"timestamp\": 1e999, \"input_length\": 1, \"output_length\": 1}"),
            "line 2, timestamp: out of range: `1e999`");
  EXPECT_EQ(json_error("{\"timestamp\": 1, \"input_length\": 18446744073709551615}"),
            "line 2, output_length: missing key; the line has `timestamp`, `input_length`");
  EXPECT_EQ(json_error("{\"timestamp\": 1, \"input_length\": 18446744073709551615, "
                       "\"output_length\": 1}"),
            "line 2, input_length: out of range, beyond 2^31-1");
  EXPECT_EQ(json_error("{\"timestamp\": 1, \"input_length\": 1e300, \"output_length\": 1}"),
            "line 2, input_length: out of range, beyond 2^31-1");
}

TEST(TraceErrors, TimesThatAreNotFiniteAreRefused) {
  EXPECT_EQ(row_error("nan,1,1"), "line 2, TIMESTAMP: not a finite number");
  EXPECT_EQ(row_error("inf,1,1"), "line 2, TIMESTAMP: not a finite number");
  EXPECT_EQ(json_error("{\"timestamp\": NaN, \"input_length\": 1, \"output_length\": 1}"),
            "line 2: malformed JSON at byte 15: `\"timestamp\": N`");
}

TEST(TraceErrors, MalformedDatesAreRefused) {
  const std::string prefix =
      "line 2, TIMESTAMP: neither a number of seconds nor a date like 2023-11-16 "
      "18:17:03.9799600: ";
  for (const char* date :
       {"", "yesterday", "2023-11-16", "2023-11-16 18:17", "2023/11/16 18:17:03",
        "2023-11-16 18:17:03.", "2023-11-16 18:17:03.1x", "2023-11-16 18:17:03 ",
        "2023-11-16  18:17:03", "23-11-16 18:17:03", "2023-11-16 18:17:03+1", "5s"}) {
    const std::string quoted = "\"" + std::string(date) + "\",1,1";
    EXPECT_EQ(row_error(quoted), prefix + "`" + date + "`");
  }
}

TEST(TraceErrors, DatesThatDoNotExistAreRefused) {
  const std::string prefix = "line 2, TIMESTAMP: no such date or time of day: ";
  for (const char* date : {"2023-13-01 00:00:00", "2023-00-01 00:00:00", "2023-02-29 00:00:00",
                           "2023-01-32 00:00:00", "2023-01-01 24:00:00", "2023-01-01 00:60:00",
                           "2023-01-01 00:00:60", "2023-01-01 00:00:00+24:00"}) {
    EXPECT_EQ(row_error(std::string(date) + ",1,1"), prefix + "`" + date + "`");
  }
  EXPECT_EQ(row_error("1969-12-31 00:00:00,1,1"),
            "line 2, TIMESTAMP: out of range, years 1970 to 2199 are read: `1969-12-31 00:00:00`");
}

TEST(TraceErrors, DatesAndSecondsInOneFileAreRefused) {
  EXPECT_EQ(second_row_error("17,1,1"),
            "line 3, TIMESTAMP: dates and plain seconds in one file: `17`");
}

TEST(TraceErrors, MalformedCsvIsRefused) {
  EXPECT_EQ(row_error("1,2"), "line 2: fields: 2, but the header has 3");
  EXPECT_EQ(second_row_error("\n1,2,3,4"), "line 4: fields: 4, but the header has 3");
  EXPECT_EQ(row_error("1,\"2,3\n\n"), "line 2: a quoted field that never ends");
  EXPECT_EQ(row_error("1,\"2\"0,3\n"), "line 2: text behind the closing quote of a field");
  EXPECT_EQ(error_of("\"TIMESTAMP\nContextTokens"), "line 1: a quoted field that never ends");
}

TEST(TraceErrors, LinesAfterAQuotedNewlineAreCountedInTheFile) {
  EXPECT_EQ(error_of("TIMESTAMP,ContextTokens,GeneratedTokens,Prompt\n0,1,1,\"a\nb\"\n0,1,x,\n"),
            "line 4, GeneratedTokens: not a whole number: `x`");
}

TEST(TraceErrors, MalformedJsonIsRefused) {
  EXPECT_EQ(error_of("{\"timestamp\": 0"), "line 1: malformed JSON at byte 16: `0`");
  EXPECT_EQ(json_error("\n{\"timestamp\" 0}"), "line 3: malformed JSON at byte 14: `0`");
  EXPECT_EQ(json_error("{} {}"), "line 2: malformed JSON at byte 4: `{} {`");
  EXPECT_EQ(json_error("TIMESTAMP"), "line 2: malformed JSON at byte 1: `T`");
  EXPECT_EQ(json_error("[1]"), "line 2: not a JSON object");
  EXPECT_EQ(json_error("7"), "line 2: not a JSON object");
}

TEST(TraceErrors, WrongJsonTypesAreRefused) {
  const std::string rest = ", \"input_length\": 1, \"output_length\": 1}";
  for (const auto& [value, type] : {std::pair{"\"5\"", "string"},
                                    {"null", "null"},
                                    {"true", "boolean"},
                                    {"[5]", "array"},
                                    {"{\"a\": 5}", "object"}}) {
    EXPECT_EQ(json_error("{\"timestamp\": "s + value + rest),
              "line 2, timestamp: wrong type: a number is wanted, not "s + type);
    EXPECT_EQ(
        json_error("{\"timestamp\": 0, \"output_length\": 1, \"input_length\": "s + value + "}"),
        "line 2, input_length: wrong type: a whole number is wanted, not "s + type);
  }
}

TEST(TraceErrors, BytesThatAreNoTextAreRefused) {
  EXPECT_EQ(error_of(kHeader + "0,1,1\n\0"s), "line 3: a NUL byte: not a text file in UTF-8");
  EXPECT_EQ(error_of("{\"a\": 1}\n{\0}"s), "line 2: a NUL byte: not a text file in UTF-8");
  EXPECT_EQ(row_error("0,\x01\xff\x7f,1"),
            "line 2, ContextTokens: not a whole number: `\\x01\\xff\\x7f`");
  EXPECT_EQ(row_error("0," + std::string(70, '7') + "x,1"),
            "line 2, ContextTokens: not a whole number: `" + std::string(60, '7') + "..`");
}

TEST(TraceErrors, DeeplyNestedJsonIsRefusedWithoutRecursion) {
  const std::string deep(1'000'000, '[');
  EXPECT_EQ(error_of("{\"x\": " + deep).substr(0, 22), "line 1: malformed JSON");
  const std::string closed = deep + std::string(deep.size(), ']');
  EXPECT_EQ(error_of("{\"x\": " + closed + "}"),
            "line 1, timestamp: missing key; the line has `x`");
}

}  // namespace
}  // namespace bytegate::trace
