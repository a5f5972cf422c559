#include "properties/trace/json_trace.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "properties/trace/trace_fields.h"

namespace bytegate::trace {
namespace {

using nlohmann::json;

constexpr size_t kTime = 0;
constexpr size_t kContext = 1;
constexpr size_t kGenerated = 2;
constexpr std::array<const char*, 3> kKeys = {"timestamp", "input_length", "output_length"};
constexpr double kUsPerMs = 1000;
constexpr int kIdNumberOverflow = 406;  // nlohmann's id of "number overflow"

struct Absent {};
struct WrongType {
  const char* name;
};
using Value = std::variant<Absent, int64_t, double, WrongType>;

// Listens to the parser and keeps the values of kKeys in the outermost object. Nothing is built
// for the rest of a line, however deep it nests.
class LineListener {
 public:
  bool null() { return value(WrongType{"null"}); }
  bool boolean(bool) { return value(WrongType{"boolean"}); }
  bool number_integer(json::number_integer_t number) { return value(number); }
  bool number_unsigned(json::number_unsigned_t number) {
    if (number > json::number_unsigned_t{INT64_MAX}) return value(static_cast<double>(number));
    return value(static_cast<int64_t>(number));
  }
  bool number_float(json::number_float_t number, const std::string&) { return value(number); }
  bool string(std::string&) { return value(WrongType{"string"}); }
  bool binary(json::binary_t&) { return value(WrongType{"binary"}); }
  bool start_object(size_t) { return open("object"); }
  bool end_object() { return close(); }
  bool start_array(size_t) { return open("array"); }
  bool end_array() { return close(); }

  bool key(std::string& name) {
    if (depth_ != 1) return true;
    const auto found = std::find(kKeys.begin(), kKeys.end(), name);
    key_ = static_cast<size_t>(found - kKeys.begin());
    names_.push_back(name);
    if (found == kKeys.end() || std::holds_alternative<Absent>(values_[key_])) return true;
    return fail(*found, "duplicate key");
  }

  bool parse_error(size_t position, const std::string& token, const json::exception& problem) {
    if (problem.id == kIdNumberOverflow) {
      const bool ours = depth_ == 1 && key_ < kKeys.size();
      return fail(ours ? kKeys[key_] : "", "out of range: " + shown(token));
    }
    return fail("", "malformed JSON at byte " + std::to_string(position) + ": " + shown(token));
  }

  const std::array<Value, kKeys.size()>& values() const { return values_; }
  const std::vector<std::string>& names() const { return names_; }
  // Its line is left for the caller to fill in.
  const std::optional<TraceError>& error() const { return error_; }

 private:
  bool fail(std::string field, std::string message) {
    error_ = TraceError{0, std::move(field), std::move(message)};
    return false;
  }

  bool value(const Value& found) {
    if (depth_ == 0) return fail("", "not a JSON object");
    if (depth_ == 1 && key_ < kKeys.size()) values_[key_] = found;
    return true;
  }

  bool open(const char* type) {
    const bool outermost_object = depth_ == 0 && *type == 'o';
    if (!outermost_object && !value(WrongType{type})) return false;
    ++depth_;
    return true;
  }

  bool close() {
    --depth_;
    return true;
  }

  int64_t depth_ = 0;
  size_t key_ = kKeys.size();  // into kKeys; its size: another key
  std::array<Value, kKeys.size()> values_;
  std::vector<std::string> names_;
  std::optional<TraceError> error_;
};

Parsed time_of(const Value& value) {
  if (const auto* type = std::get_if<WrongType>(&value)) {
    return {0, std::string("wrong type: a number is wanted, not ") + type->name};
  }
  const auto* whole = std::get_if<int64_t>(&value);
  return time_from_real(whole ? static_cast<double>(*whole) : std::get<double>(value), kUsPerMs);
}

Parsed tokens_of(const Value& value) {
  if (const auto* type = std::get_if<WrongType>(&value)) {
    return {0, std::string("wrong type: a whole number is wanted, not ") + type->name};
  }
  if (const auto* real = std::get_if<double>(&value)) {
    if (std::abs(*real) <= static_cast<double>(kMaxTokens)) {
      return {0, "not a whole number: " + std::to_string(*real)};
    }
    return {0, *real < 0 ? "negative" : "out of range, beyond 2^31-1"};
  }
  return check_tokens(std::get<int64_t>(value));
}

std::optional<TraceError> read_line(std::string_view text, Request& request) {
  LineListener listener;
  json::sax_parse(text.begin(), text.end(), &listener);
  if (listener.error()) return listener.error();
  const auto& values = listener.values();
  for (size_t k = 0; k < kKeys.size(); ++k) {
    if (std::holds_alternative<Absent>(values[k])) {
      return TraceError{0, kKeys[k], "missing key; the line has " + shown_names(listener.names())};
    }
  }
  const Parsed time = time_of(values[kTime]);
  if (!time.ok()) return TraceError{0, kKeys[kTime], time.error};
  const Parsed context = tokens_of(values[kContext]);
  if (!context.ok()) return TraceError{0, kKeys[kContext], context.error};
  const Parsed generated = tokens_of(values[kGenerated]);
  if (!generated.ok()) return TraceError{0, kKeys[kGenerated], generated.error};
  std::string wrong = check_length(context.value, generated.value);
  if (!wrong.empty()) return TraceError{0, kKeys[kGenerated], std::move(wrong)};
  request = {.arrival_us = time.value,
             .context_tokens = context.value,
             .generated_tokens = generated.value};
  return std::nullopt;
}

}  // namespace

TraceResult read_json_trace(std::string_view text) {
  std::vector<Request> requests;
  int64_t line = 0;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view content = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    ++line;
    if (content.empty()) continue;
    Request request;
    if (auto error = read_line(content, request)) {
      error->line = line;
      return *std::move(error);
    }
    requests.push_back(request);
  }
  return requests;
}

}  // namespace bytegate::trace
