// The promises hold of the reader there is, and each of them can be broken.
#include "fuzz/guided/trace_promises.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace bytegate {
namespace {

using testing::HasSubstr;
using testing::Optional;
using trace::Request;
using trace::TraceError;
using trace::TraceResult;

constexpr char kCsv[] =
    "TIMESTAMP,ContextTokens,GeneratedTokens\n"
    "0.25,374,44\n1.5,396,109\n1.75,12,0\n2,879,55\n";
constexpr char kJsonLines[] =
    "{\"timestamp\": 5, \"input_length\": 67, \"output_length\": 50}\n"
    "{\"timestamp\": 3536999.125, \"input_length\": 207, \"output_length\": 8}\n";

TraceReader always(TraceResult result) {
  return [result = std::move(result)](std::string_view) { return result; };
}

// What a reader that answers every text alike is caught for.
std::optional<std::string> broken_by(TraceResult result) {
  return broken_trace_promise("a\nb", always(std::move(result)));
}

TEST(TracePromises, HoldOfTheReader) {
  for (const char* text : {kCsv, kJsonLines, "", "\xEF\xBB\xBF", "TIMESTAMP\n\"", "{\n{}"}) {
    EXPECT_EQ(broken_trace_promise(text, trace::read_trace), std::nullopt) << text;
  }
}

TEST(TracePromises, TellTheFormatsApartAsTheReaderDoes) {
  EXPECT_EQ(trace_format(kCsv), TraceFormat::kCsv);
  EXPECT_EQ(trace_format(kJsonLines), TraceFormat::kJsonLines);
  EXPECT_EQ(trace_format("\xEF\xBB\xBF \r\n{"), TraceFormat::kJsonLines);
  EXPECT_EQ(trace_format("\xEF{"), TraceFormat::kCsv);
  EXPECT_EQ(trace_format(""), TraceFormat::kCsv);
}

TEST(TracePromises, AnErrorNamesALineOfTheFileAndCanBePrinted) {
  EXPECT_THAT(broken_by(TraceError{1, "", ""}), Optional(HasSubstr("without a message")));
  EXPECT_THAT(broken_by(TraceError{3, "", "wrong"}), Optional(HasSubstr("line 3 of 2")));
  EXPECT_THAT(broken_by(TraceError{-1, "", "wrong"}), Optional(HasSubstr("line -1 of 2")));
  EXPECT_THAT(broken_by(TraceError{0, "a", "wrong"}), Optional(HasSubstr("without its line")));
  EXPECT_THAT(broken_by(TraceError{1, "a", "\x1b"}), Optional(HasSubstr("cannot be printed")));
  EXPECT_THAT(broken_by(TraceError{1, "a", std::string(20000, 'x')}),
              Optional(HasSubstr("not cut short")));
}

TEST(TracePromises, RequestsAreSortedAndInRange) {
  using Requests = std::vector<Request>;
  EXPECT_THAT(broken_by(Requests{}), Optional(HasSubstr("without requests")));
  EXPECT_THAT(broken_by(Requests{{1, 1, 1}}), Optional(HasSubstr("does not arrive at 0")));
  EXPECT_THAT(broken_by(Requests{{0, 1, 1}, {2, 1, 1}, {1, 1, 1}}), Optional(HasSubstr("order")));
  EXPECT_THAT(broken_by(Requests{{0, -1, 1}}), Optional(HasSubstr("lengths")));
  EXPECT_THAT(broken_by(Requests{{0, trace::kMaxTokens, 1}}), Optional(HasSubstr("lengths")));
}

TEST(TracePromises, AReaderThatLosesPartOfATimeIsCaught) {
  const TraceReader whole_milliseconds = [](std::string_view text) {
    TraceResult result = trace::read_trace(text);
    if (trace_format(text) == TraceFormat::kJsonLines) {
      for (Request& request : std::get<0>(result)) request.arrival_us -= request.arrival_us % 1000;
    }
    return result;
  };
  EXPECT_EQ(broken_trace_promise(kCsv, whole_milliseconds), std::nullopt);
  EXPECT_THAT(broken_trace_promise("TIMESTAMP,ContextTokens,GeneratedTokens\n0,1,1\n0.0005,1,1\n",
                                   whole_milliseconds),
              Optional(HasSubstr("read differently")));
}

TEST(TracePromises, AReaderThatRefusesDatesIsCaught) {
  const TraceReader no_dates = [](std::string_view text) {
    if (text.find("1970-01-01") == std::string_view::npos) return trace::read_trace(text);
    return TraceResult(TraceError{2, "TIMESTAMP", "no dates"});
  };
  EXPECT_THAT(broken_trace_promise(kCsv, no_dates), Optional(HasSubstr("is refused")));
}

}  // namespace
}  // namespace bytegate
