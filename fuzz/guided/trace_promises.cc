#include "fuzz/guided/trace_promises.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <vector>

#include "properties/trace/batching.h"
#include "properties/trace/slots.h"

namespace bytegate {
namespace {

using trace::Request;
using Broken = std::optional<std::string>;

constexpr int64_t kUsPerMs = 1000;
constexpr int64_t kUsPerSecond = 1'000'000;
// Up to here a double that is read from six decimals is rounded to the same microsecond.
constexpr int64_t kMaxExactUs = int64_t{1} << 50;
// Dates are read from 1970 to 2199.
constexpr int64_t kMaxDateUs = int64_t{200} * 365 * 86'400 * kUsPerSecond;
// More than any list of names that is cut short.
constexpr size_t kMaxErrorBytes = 16384;

constexpr int64_t kMaxSteps = 64;
// What a run of all steps, and a table of all pages, may cost.
constexpr int64_t kMaxServedSteps = 512;
constexpr int64_t kMaxServedTokens = int64_t{1} << 20;

Broken broken_error(std::string_view bytes, const trace::TraceError& error) {
  const int64_t num_lines = 1 + std::count(bytes.begin(), bytes.end(), '\n');
  if (error.message.empty()) return "an error without a message";
  if (error.line < 0 || error.line > num_lines) {
    return "an error in line " + std::to_string(error.line) + " of " + std::to_string(num_lines);
  }
  if (error.line == 0 && !error.field.empty()) return "an error of a field without its line";
  const std::string text = to_string(error);
  if (text.size() > kMaxErrorBytes) return "an error that is not cut short: " + text;
  const bool printable =
      std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x20 && c < 0x7f; });
  if (!printable) return "an error that cannot be printed: " + text;
  return std::nullopt;
}

Broken broken_requests(const std::vector<Request>& requests) {
  if (requests.empty()) return "a trace without requests";
  if (requests.front().arrival_us != 0) return "a first request that does not arrive at 0";
  int64_t previous = 0;
  for (const Request& request : requests) {
    if (request.arrival_us < previous || request.arrival_us > trace::kMaxTimeUs) {
      return "an arrival out of order or range: " + std::to_string(request.arrival_us);
    }
    const bool lengths_good =
        request.context_tokens >= 0 && request.generated_tokens >= 0 &&
        request.context_tokens <= trace::kMaxTokens &&
        request.generated_tokens <= trace::kMaxTokens - request.context_tokens;
    if (!lengths_good) {
      return "lengths out of range: " + std::to_string(request.context_tokens) + " + " +
             std::to_string(request.generated_tokens);
    }
    previous = request.arrival_us;
  }
  return std::nullopt;
}

std::string date_of(int64_t time_us) {
  using std::chrono::floor;
  const std::chrono::sys_time<std::chrono::microseconds> time{std::chrono::microseconds(time_us)};
  const auto day = floor<std::chrono::days>(time);
  const std::chrono::year_month_day date{day};
  const std::chrono::hh_mm_ss clock{time - day};
  std::array<char, 64> text = {};
  std::snprintf(
      text.data(), text.size(), "%04d-%02u-%02u %02d:%02d:%02d.%06d", static_cast<int>(date.year()),
      static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
      static_cast<int>(clock.hours().count()), static_cast<int>(clock.minutes().count()),
      static_cast<int>(clock.seconds().count()), static_cast<int>(clock.subseconds().count()));
  return text.data();
}

// A decimal number of units.
std::string decimal(int64_t time_us, int64_t us_per_unit) {
  std::array<char, 64> text = {};
  const int digits = us_per_unit == kUsPerMs ? 3 : 6;
  std::snprintf(text.data(), text.size(), "%" PRId64 ".%0*" PRId64, time_us / us_per_unit, digits,
                time_us % us_per_unit);
  return text.data();
}

std::string csv_of(const std::vector<Request>& requests, bool dates) {
  std::string text = "TIMESTAMP,ContextTokens,GeneratedTokens\n";
  for (const Request& request : requests) {
    text += dates ? date_of(request.arrival_us) : decimal(request.arrival_us, kUsPerSecond);
    text += "," + std::to_string(request.context_tokens) + "," +
            std::to_string(request.generated_tokens) + "\n";
  }
  return text;
}

std::string json_lines_of(const std::vector<Request>& requests) {
  std::string text;
  for (const Request& request : requests) {
    text += "{\"timestamp\": " + decimal(request.arrival_us, kUsPerMs) +
            ", \"input_length\": " + std::to_string(request.context_tokens) +
            ", \"output_length\": " + std::to_string(request.generated_tokens) + "}\n";
  }
  return text;
}

Broken broken_reading(const std::vector<Request>& requests, const std::string& text,
                      const TraceReader& read) {
  const trace::TraceResult again = read(text);
  if (const auto* error = std::get_if<trace::TraceError>(&again)) {
    return "what was read is refused when it is written out (" + to_string(*error) + "):\n" + text;
  }
  if (std::get<std::vector<Request>>(again) != requests) {
    return "what was read is read differently when it is written out:\n" + text;
  }
  return std::nullopt;
}

Broken broken_round_trip(const std::vector<Request>& requests, const TraceReader& read) {
  const int64_t last_us = requests.back().arrival_us;
  if (last_us <= kMaxDateUs) {
    if (auto broken = broken_reading(requests, csv_of(requests, true), read)) return broken;
  }
  if (last_us > kMaxExactUs) return std::nullopt;
  if (auto broken = broken_reading(requests, csv_of(requests, false), read)) return broken;
  return broken_reading(requests, json_lines_of(requests), read);
}

// A few steps of the run, and their limits.
Broken broken_batching(const std::vector<Request>& requests,
                       const trace::BatchingOptions& options) {
  auto created = trace::ContinuousBatching::create(requests, options);
  if (std::holds_alternative<trace::BatchingError>(created))
    return "requests that cannot be batched";
  auto& run = std::get<trace::ContinuousBatching>(created);
  int64_t previous = -1;
  for (int64_t i = 0; i < kMaxSteps; ++i) {
    const auto batch = run.next();
    if (!batch) break;
    if (batch->step_idx <= previous) return "steps that do not go forward";
    if (batch->context_lens.empty()) return "an empty batch";
    if (std::ssize(batch->context_lens) > options.max_batch) return "a batch over its limit";
    for (const int32_t len : batch->context_lens) {
      if (len < 0) return "a request that holds " + std::to_string(len) + " tokens";
    }
    previous = batch->step_idx;
  }
  return std::nullopt;
}

// Every step with the places of its tokens, where that is cheap.
Broken broken_serving(const std::vector<Request>& requests, const trace::BatchingOptions& options) {
  int64_t num_steps = 0;
  int64_t num_tokens = 0;
  for (const Request& request : requests) {
    num_steps += request.generated_tokens;
    num_tokens += request.context_tokens + request.generated_tokens;
    if (num_steps > kMaxServedSteps || num_tokens > kMaxServedTokens) return std::nullopt;
  }
  auto created = trace::ServedRun::create(requests, options);
  if (std::holds_alternative<trace::BatchingError>(created))
    return "requests that cannot be served";
  auto& run = std::get<trace::ServedRun>(created);
  while (const auto batch = run.next()) {
    std::vector<int32_t> pages = batch->pages;
    std::sort(pages.begin(), pages.end());
    if (std::adjacent_find(pages.begin(), pages.end()) != pages.end()) return "a page held twice";
    if (!pages.empty() && (pages.front() < 0 || pages.back() >= batch->num_pages)) {
      return "a page outside of its pool";
    }
    for (const int32_t row : batch->req_pool_indices) {
      if (row < 0 || row >= batch->num_pool_rows) return "a row outside of its pool";
    }
  }
  if (run.num_free_rows() < 0 || run.num_free_pages() < 0) return "a pool that ran out";
  return std::nullopt;
}

}  // namespace

TraceFormat trace_format(std::string_view bytes) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (bytes.starts_with(kByteOrderMark)) bytes.remove_prefix(kByteOrderMark.size());
  const size_t first = bytes.find_first_not_of(" \t\r\n");
  const bool json = first != std::string_view::npos && bytes[first] == '{';
  return json ? TraceFormat::kJsonLines : TraceFormat::kCsv;
}

std::optional<std::string> broken_trace_promise(std::string_view bytes, const TraceReader& read) {
  const trace::TraceResult result = read(bytes);
  if (const auto* error = std::get_if<trace::TraceError>(&result)) {
    return broken_error(bytes, *error);
  }
  const auto& requests = std::get<std::vector<Request>>(result);
  if (auto broken = broken_requests(requests)) return broken;
  if (auto broken = broken_round_trip(requests, read)) return broken;
  // Few slots, so that requests wait.
  const trace::BatchingOptions options = {.step_ms = 30, .max_batch = 3};
  if (auto broken = broken_batching(requests, options)) return broken;
  return broken_serving(requests, options);
}

}  // namespace bytegate
