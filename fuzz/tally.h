// What a run counted, for one operation on one backend.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
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
  Counts refusals;   // of all: the invalid calls
  Counts survivals;  // of all: those whose elements no contract allows
  std::array<int64_t, kNumVerdictKinds> by_verdict{};
  std::map<std::string, Counts> by_path;  // "" where the candidate did not say, or launched nothing
  std::map<std::string, Counts> by_source;  // "corpus", "trace", "generated"
  std::map<std::string, Counts> by_mode;
  std::map<std::string, Counts> by_variant;  // "remainder=last"
  // Of tensors that are there and for which the contract leaves a choice.
  std::map<std::string, Counts> by_dtype;   // "seq_lens=int64"
  std::map<std::string, Counts> by_layout;  // "seq_lens repeated"; see layout_class
  // Of tensors that may be left out of the case: "page_table present", "page_table absent".
  std::map<std::string, Counts> by_presence;
  std::vector<int64_t> by_class;  // passed cases, as in OpProperties::classes
  // Passed cases that were held to a relation, as in OpProperties::relations.
  std::vector<int64_t> by_relation;
  // Of the same cases, per entry of OpProperties::products: how many lie in each of its cells.
  std::vector<std::vector<int64_t>> by_cell;
  // Per scalar, which values of its range passed; empty where the range is too wide to list.
  std::vector<std::vector<bool>> values_used;

  explicit Tally(const OpProperties& properties);
  void add(const OpProperties& properties, const Case& c, const Verdict& verdict,
           const std::string& source, BackendKind backend);
  void merge(const Tally& other);
  // Passed cases whose output bytes were compared.
  [[nodiscard]] int64_t num_compared() const {
    return all.passed - refusals.passed - survivals.passed;
  }
};

// "repeated" where an axis longer than 1 has stride 0, else "compact" or "strided". Where the last
// axis and another one may be strided, "rows strided" when the last one is not, else "columns
// strided".
std::string_view layout_class(const TensorSpec& spec, const Tensor& tensor);

// Scalars with at most this many values have each of them counted.
constexpr int64_t kMaxListedValues = 4096;

}  // namespace bytegate
