// What a run counted, for one operation on one backend.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "properties/op_properties.h"
#include "properties/verdict.h"

namespace bytegate {

struct Counts {
  int64_t passed = 0;
  int64_t failed = 0;
  int64_t set_aside = 0;  // unsupported or vacuous
};

struct Tally {
  Counts all;
  Counts refusals;  // of all: the invalid calls
  std::array<int64_t, kNumVerdictKinds> by_verdict{};
  std::map<std::string, Counts> by_path;  // "" where the candidate did not say, or launched nothing
  std::map<std::string, Counts> by_source;  // "corpus", "trace", "generated"
  std::map<std::string, Counts> by_mode;
  std::map<std::string, Counts> by_variant;  // "remainder=last"
  std::vector<int64_t> by_class;             // passed cases, as in OpProperties::classes
  // Per scalar, which values of its range passed; empty where the range is too wide to list.
  std::vector<std::vector<bool>> values_used;

  explicit Tally(const OpProperties& properties);
  void add(const OpProperties& properties, const Case& c, const Verdict& verdict,
           const std::string& source, BackendKind backend);
  void merge(const Tally& other);
};

// Scalars with at most this many values have each of them counted.
constexpr int64_t kMaxListedValues = 4096;

}  // namespace bytegate
