// The command line of `bytegate`, read and not yet run.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace bytegate::cli {

struct ParsedLine {
  std::function<int()> run;  // the command that was given; null: nothing is to be run
  int exit_code = 0;         // without a command
  std::string out;           // for stdout, without a command: help or the version
  std::string err;           // for stderr: what is wrong with the line
};

// `words` are those behind the name of the program; any bytes are taken. Nothing is run, opened or
// printed.
ParsedLine parse_command_line(const std::vector<std::string>& words);

struct KnownOption {
  std::string name;  // "--cases"; a place without a name, such as "file", has no dashes
  bool takes_value = false;
};
struct KnownCommand {
  std::vector<std::string> words;  // {"corpus", "show"}; none: what stands before every command
  std::vector<KnownOption> options;
};
// Everything that the parser knows.
std::vector<KnownCommand> known_commands();

}  // namespace bytegate::cli
