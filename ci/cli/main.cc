#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include "ci/cli/command_line.h"
#include "ci/cli/options.h"

int main(int argc, char** argv) {
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
