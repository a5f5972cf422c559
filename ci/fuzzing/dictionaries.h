// Dictionaries of fuzz targets: words that an engine puts into its inputs.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bytegate {

// What a target's format says of the names in this program: those of the operations for case text,
// commands and options for the command line; none for the others.
std::vector<std::string> dictionary_words(std::string_view target);

// One entry a word, escaped as libFuzzer and AFL++ read it; without empty words and duplicates.
std::string dictionary_text(const std::vector<std::string>& words);

// What is wrong with the text of a dictionary, as those engines would see it; it names the line.
std::optional<std::string> broken_dictionary(std::string_view text);

}  // namespace bytegate
