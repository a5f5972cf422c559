// Seed corpora of fuzz targets: small inputs that an engine starts from.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace bytegate {

struct Seed {
  std::string name;  // of its file; distinct within a target
  std::string bytes;
};

struct Seeds {
  std::vector<Seed> seeds;
  std::vector<std::string> errors;  // each names a file
};

// Longer inputs slow an engine down more than they teach it.
constexpr size_t kMaxSeedBytes = 16384;

// For case_text_fuzzer: the files themselves.
Seeds case_text_seeds(const std::string& corpus);
// For command_line_fuzzer: help of every command, and every option by itself.
Seeds command_line_seeds();

}  // namespace bytegate
