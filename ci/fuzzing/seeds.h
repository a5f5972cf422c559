// Seed corpora of fuzz targets: small inputs that an engine starts from.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "oracles/case.h"

namespace bytegate {

struct Seed {
  std::string name;  // of its file; distinct within a target
  std::string bytes;
};

using Seeds = std::vector<Seed>;

// Longer inputs slow an engine down more than they teach it.
constexpr size_t kMaxSeedBytes = 16384;

// The cases of the corpus that take no gigabytes.
struct SeedCases {
  std::vector<Case> cases;
  std::vector<std::string> names;   // one each
  std::vector<std::string> errors;  // each names a file
};
SeedCases load_seed_cases(const std::string& corpus);

// For case_text_fuzzer: their text.
Seeds case_text_seeds(const SeedCases& corpus);
// For the target of an operation: the bytes of those cases that have some.
Seeds op_seeds(const SeedCases& corpus, const Op& op);
// For command_line_fuzzer: help of every command, and every option by itself.
Seeds command_line_seeds();

}  // namespace bytegate
