// What a target counts while it runs. It follows from the inputs alone.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "properties/op_properties.h"
#include "properties/verdict.h"

namespace bytegate {

struct TargetReport {
  int64_t executions = 0;
  int64_t passed = 0;
  int64_t failed = 0;
  int64_t set_aside = 0;  // verdicts that say nothing of the candidate
  std::vector<int64_t> expects = std::vector<int64_t>(3);  // by Expect
  std::vector<int64_t> verdicts = std::vector<int64_t>(kNumVerdictKinds);
  std::vector<int64_t> classes;  // as OpProperties::classes
  std::vector<int64_t> states;   // as OpProperties::states
  std::map<std::string, int64_t> paths = {};
  std::map<std::string, int64_t> origins = {};  // of failures

  explicit TargetReport(const OpProperties& properties)
      : classes(properties.classes.size()), states(properties.states.size()) {}

  void count(const Case& c, const Verdict& verdict);
  // JSON, as its readers know it: executions, passed, failed, set_aside, expect, paths, classes,
  // states, verdicts, origins. Names that were never counted are left out.
  [[nodiscard]] std::string json(const OpProperties& properties) const;
};

}  // namespace bytegate
