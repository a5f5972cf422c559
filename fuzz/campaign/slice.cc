#include "fuzz/campaign/slice.h"

#include <nlohmann/json.hpp>

#include <array>
#include <charconv>
#include <utility>

#include "oracles/text_digest.h"

namespace bytegate {
namespace {

using Json = nlohmann::json;  // sorts by name

constexpr int64_t kRecordVersion = 1;
constexpr std::array<std::string_view, 2> kKindNames = {"guided", "drawn"};
constexpr std::array<std::string_view, 4> kEndNames = {"done", "crashed", "hung", "exhausted"};

template <size_t kSize>
std::optional<size_t> position(const std::array<std::string_view, kSize>& names,
                               std::string_view name) {
  for (size_t i = 0; i < kSize; ++i) {
    if (names[i] == name) return i;
  }
  return std::nullopt;
}

std::optional<BackendKind> backend_of_name(std::string_view name) {
  for (const BackendKind kind : {BackendKind::kHost, BackendKind::kCuda}) {
    if (backend_name(kind) == name) return kind;
  }
  return std::nullopt;
}

// Takes the text up to the next dot, or all of it.
std::string_view take_word(std::string_view& text) {
  const size_t dot = text.find('.');
  const std::string_view word = text.substr(0, dot);
  text.remove_prefix(dot == std::string_view::npos ? text.size() : dot + 1);
  return word;
}

// Throws what the library throws where a field is missing or of another type.
SliceRecord record_of(const Json& json) {
  SliceRecord record;
  const std::optional<Chain> chain = parse_chain(json.at("chain").get<std::string>());
  const auto end = position(kEndNames, json.at("end").get<std::string>());
  if (!chain || !end) throw std::runtime_error("names an unknown chain or end");
  record.chain = *chain;
  record.end = static_cast<SliceEnd>(*end);
  json.at("campaign").get_to(record.campaign);
  json.at("slice").get_to(record.idx);
  json.at("passed").get_to(record.passed);
  json.at("failed").get_to(record.failed);
  json.at("set_aside").get_to(record.set_aside);
  json.at("expect").get_to(record.expects);
  json.at("verdicts").get_to(record.verdicts);
  json.at("paths").get_to(record.paths);
  json.at("classes").get_to(record.classes);
  json.at("states").get_to(record.states);
  json.at("origins").get_to(record.origins);
  json.at("coverage").get_to(record.coverage);
  json.at("inputs").get_to(record.inputs);
  return record;
}

}  // namespace

std::string_view slice_kind_name(SliceKind kind) {
  return kKindNames[static_cast<size_t>(kind)];
}

std::string_view slice_end_name(SliceEnd end) {
  return kEndNames[static_cast<size_t>(end)];
}

std::string Chain::name() const {
  std::string text = std::string(slice_kind_name(kind)) + "." + op;
  if (kind == SliceKind::kDrawn) text += "." + std::string(backend_name(backend));
  return text + ".s" + std::to_string(stream);
}

std::optional<Chain> parse_chain(std::string_view name) {
  std::string_view rest = name;
  Chain chain;
  const auto kind = position(kKindNames, take_word(rest));
  if (!kind) return std::nullopt;
  chain.kind = static_cast<SliceKind>(*kind);
  chain.op = take_word(rest);
  if (chain.kind == SliceKind::kDrawn) {
    const std::optional<BackendKind> backend = backend_of_name(take_word(rest));
    if (!backend) return std::nullopt;
    chain.backend = *backend;
  }
  if (rest.size() < 2 || rest[0] != 's') return std::nullopt;
  std::from_chars(rest.data() + 1, rest.data() + rest.size(), chain.stream);
  if (chain.name() != name) return std::nullopt;
  return chain;
}

std::string slice_record_text(const SliceRecord& record) {
  const Json json = {{"format", kRecordVersion},
                     {"campaign", record.campaign},
                     {"chain", record.chain.name()},
                     {"slice", record.idx},
                     {"end", slice_end_name(record.end)},
                     {"passed", record.passed},
                     {"failed", record.failed},
                     {"set_aside", record.set_aside},
                     {"expect", record.expects},
                     {"verdicts", record.verdicts},
                     {"paths", record.paths},
                     {"classes", record.classes},
                     {"states", record.states},
                     {"origins", record.origins},
                     {"coverage", record.coverage},
                     {"inputs", record.inputs}};
  return json.dump(1, ' ', true, Json::error_handler_t::replace) + "\n";
}

ParsedSliceRecord parse_slice_record(const std::string& text) {
  try {
    const Json json = Json::parse(text);
    if (const int64_t version = json.at("format").get<int64_t>(); version != kRecordVersion) {
      return {std::nullopt, "is of format " + std::to_string(version) +
                                "; this bytegate reads format " + std::to_string(kRecordVersion)};
    }
    return {record_of(json), ""};
  } catch (const std::exception& error) {
    return {std::nullopt, std::string("is no record of a slice: ") + error.what()};
  }
}

std::string slice_file_name(const Chain& chain, int64_t idx, const std::string& text) {
  return chain.name() + "." + std::to_string(idx) + "-" + text_digest(text) + ".json";
}

void add_counts(NamedCounts& sum, const NamedCounts& more) {
  for (const auto& [name, count] : more) sum[name] += count;
}

}  // namespace bytegate
