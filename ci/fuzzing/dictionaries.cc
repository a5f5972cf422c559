#include "ci/fuzzing/dictionaries.h"

#include <algorithm>
#include <set>

#include "ci/cli/command_line.h"
#include "oracles/elements.h"
#include "properties/op_properties.h"

namespace bytegate {
namespace {

// AFL++ takes no longer ones.
constexpr size_t kMaxWordBytes = 128;

std::vector<std::string> names_of_ops() {
  std::vector<std::string> names;
  const auto add = [&names](std::string_view name) { names.emplace_back(name); };
  for (const Op* op : all_ops()) {
    add(op->name);
    for (const ScalarSpec& scalar : op->scalars) {
      add(scalar.name);
      for (const std::string_view symbol : scalar.symbols) add(symbol);
      add(std::to_string(scalar.min));
      add(std::to_string(scalar.max));
    }
    for (const DimSpec& dim : op->dims) add(dim.name);
    for (const TensorSpec& tensor : op->tensors) add(tensor.name);
    for (const std::string_view path : op->paths) add(path);
  }
  return names;
}

std::vector<std::string> names_of_commands() {
  std::vector<std::string> names;
  for (const cli::KnownCommand& command : cli::known_commands()) {
    if (!command.words.empty()) names.push_back(command.words.back() + "\n");
    for (const cli::KnownOption& option : command.options) {
      if (option.name.starts_with("-")) names.push_back("\n" + option.name + "\n");
    }
  }
  for (const Op* op : all_ops()) names.emplace_back(op->name);
  return names;
}

bool is_hex(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

bool well_escaped(std::string_view word) {
  for (size_t i = 0; i < word.size(); ++i) {
    if (word[i] == '"' || word[i] < 0x20 || word[i] >= 0x7f) return false;
    if (word[i] != '\\') continue;
    const std::string_view rest = word.substr(i + 1);
    if (rest.starts_with('\\') || rest.starts_with('"')) {
      i += 1;
    } else if (rest.size() >= 3 && rest[0] == 'x' && is_hex(rest[1]) && is_hex(rest[2])) {
      i += 3;
    } else {
      return false;
    }
  }
  return !word.empty();
}

}  // namespace

std::vector<std::string> dictionary_words(std::string_view target) {
  if (target == "case_text_fuzzer") return names_of_ops();
  if (target == "command_line_fuzzer") return names_of_commands();
  return {};
}

std::string dictionary_text(const std::vector<std::string>& words) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string text;
  for (const std::string& word : std::set<std::string>(words.begin(), words.end())) {
    if (word.empty() || word.size() > kMaxWordBytes) continue;
    text += '"';
    for (const char c : word) {
      const auto byte = static_cast<unsigned char>(c);
      if (byte < 0x20 || byte >= 0x7f) {
        text += {'\\', 'x', kHex[byte >> 4], kHex[byte & 15U]};
      } else {
        if (c == '"' || c == '\\') text += '\\';
        text += c;
      }
    }
    text += "\"\n";
  }
  return text;
}

std::optional<std::string> broken_dictionary(std::string_view text) {
  int64_t line_idx = 0;
  int64_t num_words = 0;
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    ++line_idx;
    if (line.empty() || line.front() == '#') continue;
    const size_t open = line.find('"');
    if (open == std::string_view::npos || line.size() < open + 2 || line.back() != '"' ||
        !well_escaped(line.substr(open + 1, line.size() - open - 2))) {
      return "line " + std::to_string(line_idx) + ": no word in quotes: " + std::string(line);
    }
    ++num_words;
  }
  if (num_words == 0) return "no words";
  return std::nullopt;
}

}  // namespace bytegate
