#include "properties/trace/trace_reader.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace bytegate::trace {
namespace {

using Requests = std::vector<Request>;

// From the Azure LLM inference trace 2023 (Azure/AzurePublicDataset, CC-BY).
constexpr char kAzureLines[] =
    "TIMESTAMP,ContextTokens,GeneratedTokens\r\n"
    "2023-11-16 18:17:03.9799600,4808,10\r\n"
    "2023-11-16 18:17:04.0319600,3180,8\r\n"
    "2023-11-16 18:17:04.0781490,110,27";
const Requests kAzureRequests = {{0, 4808, 10}, {52'000, 3180, 8}, {98'189, 110, 27}};

// From the Mooncake FAST'25 release (kvcache-ai/Mooncake, Apache-2.0).
constexpr char kMooncakeLines[] =
    "{\"timestamp\": 0, \"input_length\": 6758, \"output_length\": 500}\n"
    "{\"timestamp\": 0, \"input_length\": 7322, \"output_length\": 490}\n"
    "{\"timestamp\": 3536999, \"input_length\": 3224, \"output_length\": 386}\n";
const Requests kMooncakeRequests = {{0, 6758, 500}, {0, 7322, 490}, {3'536'999'000, 3224, 386}};

Requests read(std::string_view bytes) {
  TraceResult result = read_trace(bytes);
  if (const auto* error = std::get_if<TraceError>(&result)) {
    ADD_FAILURE() << to_string(*error);
    return {};
  }
  return std::get<Requests>(result);
}

// The one arrival after a request at `first`, both in a CSV trace.
int64_t arrival_after(const std::string& first, const std::string& second) {
  const Requests requests =
      read("TIMESTAMP,ContextTokens,GeneratedTokens\n" + first + ",1,1\n" + second + ",2,1\n");
  if (requests.size() != 2) return -1;
  EXPECT_EQ(requests[1].context_tokens, 2);
  return requests[1].arrival_us;
}

TEST(TraceReader, ReadsAzureLines) {
  EXPECT_EQ(read(kAzureLines), kAzureRequests);
}

TEST(TraceReader, ReadsMooncakeLines) {
  EXPECT_EQ(read(kMooncakeLines), kMooncakeRequests);
}

TEST(TraceReader, AcceptsAByteOrderMarkInBothFormats) {
  EXPECT_EQ(read(std::string("\xEF\xBB\xBF") + kAzureLines), kAzureRequests);
  EXPECT_EQ(read(std::string("\xEF\xBB\xBF") + kMooncakeLines), kMooncakeRequests);
}

TEST(TraceReader, AcceptsBlankLinesAnywhere) {
  EXPECT_EQ(read(std::string("\r\n\n") + kAzureLines + "\r\n\r\n  \n\n"), kAzureRequests);
  EXPECT_EQ(read(std::string("\n \r\n") + kMooncakeLines + "\n\t\n\r\n"), kMooncakeRequests);
}

TEST(TraceReader, AcceptsCarriageReturnsInJsonLines) {
  EXPECT_EQ(read("{\"timestamp\": 7, \"input_length\": 1, \"output_length\": 2}\r\n"
                 "{\"timestamp\": 9, \"input_length\": 3, \"output_length\": 4}\r\n"),
            (Requests{{0, 1, 2}, {2000, 3, 4}}));
}

TEST(TraceReader, FindsCsvColumnsByNameWhateverTheirOrder) {
  EXPECT_EQ(read("Model,GeneratedTokens, TIMESTAMP ,Prompt,ContextTokens\n"
                 "m1,2,100,\"a, \"\"b\"\"\nsecond line\",30\n"
                 "m2,4,100.5,,50\n"),
            (Requests{{0, 30, 2}, {500'000, 50, 4}}));
}

TEST(TraceReader, AcceptsQuotedNamesAndValues) {
  EXPECT_EQ(read("\"TIMESTAMP\",\"ContextTokens\",\"GeneratedTokens\"\r\n"
                 "\"2023-11-16 18:17:03\",\"5\",\"6\"\r\n"),
            (Requests{{0, 5, 6}}));
}

TEST(TraceReader, AcceptsOtherKeysInJsonLines) {
  EXPECT_EQ(read("{\"hash_ids\": [1, [2]], \"output_length\": 4, \"timestamp\": 0.25, "
                 "\"x\": {\"timestamp\": null, \"input_length\": -1}, \"input_length\": 3}\n"
                 "{\"timestamp\": 1.5, \"input_length\": 0, \"output_length\": 0}"),
            (Requests{{0, 3, 4}, {1250, 0, 0}}));
}

TEST(TraceReader, SortsByArrivalAndKeepsTheFileOrderOfOneMoment) {
  EXPECT_EQ(
      read("TIMESTAMP,ContextTokens,GeneratedTokens\n5,1,1\n3,2,1\n5,3,1\n3,4,1\n4,5,1\n"),
      (Requests{{0, 2, 1}, {0, 4, 1}, {1'000'000, 5, 1}, {2'000'000, 1, 1}, {2'000'000, 3, 1}}));
}

TEST(TraceReader, AThousandRequestsOfOneMomentKeepTheirOrder) {
  std::string text = "TIMESTAMP,ContextTokens,GeneratedTokens\n9,0,1\n";
  for (int i = 0; i < 1000; ++i) text += "5," + std::to_string(i) + ",1\n";
  const Requests requests = read(text);
  ASSERT_EQ(requests.size(), 1001U);
  for (int64_t i = 0; i < 1000; ++i) {
    EXPECT_EQ(requests[static_cast<size_t>(i)], (Request{0, i, 1}));
  }
  EXPECT_EQ(requests.back(), (Request{4'000'000, 0, 1}));
}

TEST(TraceReader, ReadsDatesAcrossMidnightMonthsAndLeapDays) {
  constexpr int64_t kDayUs = 86'400'000'000;
  EXPECT_EQ(arrival_after("2023-12-31 23:59:59.5", "2024-01-01 00:00:00.25"), 750'000);
  EXPECT_EQ(arrival_after("2024-02-28 00:00:00", "2024-03-01 00:00:00"), 2 * kDayUs);
  EXPECT_EQ(arrival_after("2023-02-28 00:00:00", "2023-03-01 00:00:00"), kDayUs);
}

TEST(TraceReader, DropsDigitsBeyondTheMicrosecond) {
  EXPECT_EQ(arrival_after("2023-11-16 18:17:03", "2023-11-16 18:17:03.0000019"), 1);
  EXPECT_EQ(arrival_after("2023-11-16 18:17:03", "2023-11-16 18:17:03.12345678901234"), 123'456);
}

TEST(TraceReader, ReadsTheLetterTAndZonesInDates) {
  EXPECT_EQ(arrival_after("2024-05-10T00:00:00Z", "2024-05-10 00:00:00.009930+00:00"), 9'930);
  EXPECT_EQ(arrival_after("2024-05-10 01:00:00+01:00", "2024-05-10 00:00:01"), 1'000'000);
  EXPECT_EQ(arrival_after("2024-05-10 00:00:00", "2024-05-09 23:30:00-00:45"), 900'000'000);
}

TEST(TraceReader, ReadsPlainSecondsToTheMicrosecond) {
  EXPECT_EQ(arrival_after("1700158623.979960", "1700158624.031961"), 52'001);
  EXPECT_EQ(arrival_after("0", "1e-6"), 1);
  EXPECT_EQ(arrival_after("0", "9007199254.740992"), kMaxTimeUs);
}

TEST(TraceReader, AcceptsTheLongestRequest) {
  EXPECT_EQ(read("TIMESTAMP,ContextTokens,GeneratedTokens\n0,2147483647,0\n0,2147483600,47\n"),
            (Requests{{0, kMaxTokens, 0}, {0, 2147483600, 47}}));
}

TEST(TraceReader, ReadsAFile) {
  const auto path = std::filesystem::temp_directory_path() /
                    ("bytegate_trace_test_" + std::to_string(getpid()) + ".csv");
  std::ofstream(path, std::ios::binary) << kAzureLines;
  const TraceResult result = read_trace_file(path.string());
  std::filesystem::remove(path);
  ASSERT_TRUE(std::holds_alternative<Requests>(result));
  EXPECT_EQ(std::get<Requests>(result), kAzureRequests);
}

TEST(TraceReader, NamesAFileItCannotRead) {
  const TraceResult absent = read_trace_file("/no/such/trace.csv");
  ASSERT_TRUE(std::holds_alternative<TraceError>(absent));
  EXPECT_EQ(to_string(std::get<TraceError>(absent)), "cannot open /no/such/trace.csv");
  const TraceResult folder = read_trace_file("/");
  ASSERT_TRUE(std::holds_alternative<TraceError>(folder));
  EXPECT_EQ(to_string(std::get<TraceError>(folder)), "cannot read /");
}

}  // namespace
}  // namespace bytegate::trace
