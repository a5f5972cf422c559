#include <malloc.h>

#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include "ci/cli/command_line.h"
#include "ci/cli/options.h"

namespace {

// Left to itself, the C library takes the size of a large block that comes back for a usual one and
// keeps such blocks from then on: a run of many hours then holds what its largest case took.
void give_large_blocks_back() {
  constexpr int kLargeBytes = 1 << 20;
  mallopt(M_MMAP_THRESHOLD, kLargeBytes);
}

}  // namespace

int main(int argc, char** argv) {
  give_large_blocks_back();
  try {
    const auto line =
        bytegate::cli::parse_command_line(std::vector<std::string>(argv + 1, argv + argc));
    std::cout << line.out << std::flush;
    std::cerr << line.err;
    return line.run == nullptr ? line.exit_code : line.run();
  } catch (const std::exception& error) {
    std::cerr << "bytegate: " << error.what() << "\n";
    return bytegate::kExitUsage;
  }
}
