// Any bytes are read as a command line, a word a line: it is a command, help, or an error that says
// what is wrong. Nothing is run.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "ci/cli/command_line.h"
#include "ci/cli/options.h"

namespace {

// As a shell hands them over: a NUL ends a word, too.
std::vector<std::string> words_of(std::string_view bytes) {
  std::vector<std::string> words;
  while (!bytes.empty()) {
    const size_t end = bytes.find_first_of(std::string_view("\n\0", 2));
    words.emplace_back(bytes.substr(0, end));
    bytes.remove_prefix(end == std::string_view::npos ? bytes.size() : end + 1);
  }
  return words;
}

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const bytegate::cli::ParsedLine line = bytegate::cli::parse_command_line(words_of(bytes));
  if (line.run != nullptr) return 0;
  if (line.exit_code == bytegate::kExitPass) {
    require(!line.out.empty(), "help that says nothing");
  } else {
    require(line.exit_code == bytegate::kExitUsage, "an exit code that is no usage error");
    require(!line.err.empty(), "an error that says nothing");
  }
  return 0;
}
