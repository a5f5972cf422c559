// NVIDIA's compute-sanitizer: where it is, how it is called, and what it prints.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace bytegate::cli {

struct CheckerSpec {
  std::string_view name;  // as --tool names it
  std::string_view summary;
  std::vector<std::string> options;
  bool needs_unwritten = false;  // sees nothing where the harness has filled the buffers
};

// memcheck, racecheck, initcheck and synccheck.
const std::vector<CheckerSpec>& checkers();
// Null: there is none of that name.
const CheckerSpec* checker_of_name(std::string_view name);

// "compute-sanitizer --tool memcheck .. --": what stands before the program under it.
std::vector<std::string> tool_command(const std::string& path, const CheckerSpec& checker);

struct FoundTool {
  std::string path;     // empty: not found
  std::string looked;   // where it was looked for
  std::string version;  // see version_of_tool
};
// `given` alone unless it is empty; else PATH, then where toolkits keep it.
FoundTool find_tool(const std::string& given);

// The line of `--version` that says which it is; empty: it does not say.
std::string version_of_tool(const std::string& path);

// How a child process ended.
struct ChildEnd {
  bool started = false;
  bool too_slow = false;  // and was killed for it
  int exit_code = -1;     // -1: it did not exit
  std::string how;        // "exited with 3", "died of signal 11", or why it did not start
};
// Runs `words` without a shell, and hands what it and its children print, stdout and stderr in one
// stream, to `on_bytes`, which returns whether that is a step forward. Without one for `limit`, it
// is killed with all its children.
ChildEnd run_child(const std::vector<std::string>& words, std::chrono::milliseconds limit,
                   const std::function<bool(std::string_view)>& on_bytes);

// The words as a line that a shell takes.
std::string shell_line(const std::vector<std::string>& words);

}  // namespace bytegate::cli
