#include "fuzz/finding.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "oracles/case_text.h"

namespace bytegate {

std::string shell_quoted(const std::string& word) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=,@+";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string quoted = "'";
  for (const char c : word) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

std::string finding_path(const std::string& dir, const Case& c, const std::string& origin) {
  std::string stem = origin;
  std::replace_if(
      stem.begin(), stem.end(), [](char ch) { return ch == ':' || ch == '/' || ch == ' '; }, '-');
  return dir + "/" + std::string(c.op->name) + "/regress/" + stem + "-" + case_digest(c) + ".case";
}

SavedFinding save_finding(const std::string& dir, Case c, const std::string& origin,
                          const std::string& note) {
  c.origin = origin;
  c.note = note;
  SavedFinding saved;
  saved.path = finding_path(dir, c, origin);
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path(saved.path).parent_path(), error);
  if (error) {
    saved.error = "cannot create the folder of " + saved.path + ": " + error.message();
  } else if (auto failure = save_case(saved.path, c)) {
    saved.error = *failure;
  }
  if (!saved.error.empty()) saved.path.clear();
  return saved;
}

std::string replay_line(const std::string& program, const std::string& file,
                        const std::string& candidate, BackendKind backend) {
  std::string line = shell_quoted(program) + " replay " + shell_quoted(file);
  if (candidate != "production") line += " --candidate " + shell_quoted(candidate);
  return line + " --backend " + std::string(backend_name(backend));
}

}  // namespace bytegate
