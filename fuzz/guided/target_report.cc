#include "fuzz/guided/target_report.h"

#include <nlohmann/json.hpp>

namespace bytegate {
namespace {

using Json = nlohmann::ordered_json;

template <typename NameOf>
Json by_name(const std::vector<int64_t>& counts, NameOf&& name_of) {
  Json json = Json::object();
  for (size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] > 0) json[std::string(name_of(i))] = counts[i];
  }
  return json;
}

Json by_name(const std::map<std::string, int64_t>& counts) {
  Json json = Json::object();
  for (const auto& [name, count] : counts) json[name] = count;
  return json;
}

}  // namespace

void TargetReport::count(const Case& c, const Verdict& verdict) {
  ++executions;
  ++expects[static_cast<size_t>(c.expect)];
  ++verdicts[static_cast<size_t>(verdict.kind)];
  if (!verdict.path.empty()) ++paths[verdict.path];
  if (verdict.passed()) {
    ++passed;
  } else if (says_nothing(verdict.kind)) {
    ++set_aside;
  } else {
    ++failed;
    ++origins[verdict.origin];
  }
}

std::string TargetReport::json(const OpProperties& properties) const {
  Json json;
  json["executions"] = executions;
  json["passed"] = passed;
  json["failed"] = failed;
  json["set_aside"] = set_aside;
  json["expect"] = by_name(expects, [](size_t i) { return expect_name(static_cast<Expect>(i)); });
  json["paths"] = by_name(paths);
  json["classes"] = by_name(classes, [&](size_t i) { return properties.classes[i]; });
  json["states"] = by_name(states, [&](size_t i) { return properties.states[i]; });
  json["verdicts"] =
      by_name(verdicts, [](size_t i) { return verdict_name(static_cast<VerdictKind>(i)); });
  json["origins"] = by_name(origins);
  return json.dump(2) + "\n";
}

}  // namespace bytegate
