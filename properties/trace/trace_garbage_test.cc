// read_trace on bytes that nobody meant as a trace: an answer in bounds, whatever they are.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

#include "properties/trace/trace_reader.h"

namespace bytegate::trace {
namespace {

constexpr int kRounds = 4000;

// From the Azure LLM inference trace 2023 (Azure/AzurePublicDataset, CC-BY).
constexpr char kAzureLines[] =
    "TIMESTAMP,ContextTokens,GeneratedTokens\r\n"
    "2023-11-16 18:15:46.6805900,374,44\r\n"
    "2023-11-16 18:15:50.9951690,396,109\r\n"
    "2023-11-16 18:15:51.2224670,879,55\r\n";
constexpr char kSecondsLines[] =
    "ContextTokens,\"TIMESTAMP\",GeneratedTokens,Prompt\n"
    "12,0.5,3,\"a \"\"quoted\"\"\ntext\"\n0,1e3,0,\n";
// From the Mooncake FAST'25 release (kvcache-ai/Mooncake, Apache-2.0).
constexpr char kMooncakeLines[] =
    "{\"timestamp\": 0, \"input_length\": 6758, \"output_length\": 500}\n"
    "{\"timestamp\": 3536999, \"input_length\": 20774, \"output_length\": 508}\n";

using Random = std::mt19937_64;

size_t below(Random& random, size_t bound) {
  return static_cast<size_t>(random() % bound);
}

std::string random_text(Random& random, std::string_view alphabet, size_t max_size) {
  std::string text(below(random, max_size + 1), ' ');
  for (char& c : text) {
    c = alphabet.empty() ? static_cast<char>(random() & 0xff)
                         : alphabet[below(random, alphabet.size())];
  }
  return text;
}

// One to four edits: overwrite, erase, insert, or copy a piece elsewhere.
std::string mutated(Random& random, std::string text) {
  constexpr std::string_view kAlphabet = "0123456789-+.:,eE\"{}[]\r\n TZnaif\\\x80\xff";
  for (size_t edits = 1 + below(random, 4); edits > 0 && !text.empty(); --edits) {
    const size_t at = below(random, text.size());
    switch (below(random, 4)) {
      case 0:
        text[at] = random_text(random, below(random, 2) == 0 ? kAlphabet : "", 1).append("0")[0];
        break;
      case 1:
        text.erase(at, 1 + below(random, 8));
        break;
      case 2:
        text.insert(at, random_text(random, kAlphabet, 12));
        break;
      default:
        text.insert(at, text.substr(below(random, text.size()), below(random, 60)));
    }
  }
  return text;
}

void expect_an_answer_in_bounds(const std::string& bytes) {
  const TraceResult result = read_trace(bytes);
  if (const auto* error = std::get_if<TraceError>(&result)) {
    EXPECT_FALSE(error->message.empty());
    EXPECT_GE(error->line, 0);
    EXPECT_LE(error->line, 1 + std::count(bytes.begin(), bytes.end(), '\n'));
    return;
  }
  const auto& requests = std::get<std::vector<Request>>(result);
  ASSERT_FALSE(requests.empty());
  EXPECT_EQ(requests.front().arrival_us, 0);
  EXPECT_LE(requests.back().arrival_us, kMaxTimeUs);
  int64_t previous = 0;
  for (const Request& request : requests) {
    EXPECT_GE(request.arrival_us, previous);
    EXPECT_GE(request.context_tokens, 0);
    EXPECT_GE(request.generated_tokens, 0);
    EXPECT_LE(request.context_tokens + request.generated_tokens, kMaxTokens);
    previous = request.arrival_us;
  }
}

TEST(TraceGarbage, RandomBytesGetAnAnswer) {
  Random random(1);
  for (int i = 0; i < kRounds; ++i) expect_an_answer_in_bounds(random_text(random, "", 200));
}

TEST(TraceGarbage, RandomBytesBehindAGoodStartGetAnAnswer) {
  Random random(2);
  for (int i = 0; i < kRounds; ++i) {
    expect_an_answer_in_bounds(kAzureLines + random_text(random, "0123456789,\"-: .\r\n", 80));
    expect_an_answer_in_bounds("{" + random_text(random, "{}[]\":,0123456789eE.-tfnu \\\n", 80));
  }
}

TEST(TraceGarbage, MutatedLinesGetAnAnswer) {
  Random random(3);
  for (int i = 0; i < kRounds; ++i) {
    for (const char* lines : {kAzureLines, kSecondsLines, kMooncakeLines}) {
      expect_an_answer_in_bounds(mutated(random, lines));
    }
  }
}

TEST(TraceGarbage, EveryPrefixGetsAnAnswer) {
  for (const std::string lines : {kAzureLines, kSecondsLines, kMooncakeLines}) {
    for (size_t size = 0; size <= lines.size(); ++size) {
      expect_an_answer_in_bounds(lines.substr(0, size));
    }
  }
}

}  // namespace
}  // namespace bytegate::trace
