// Reads a whole file.
#pragma once

#include <optional>
#include <string>

namespace bytegate {

// Nothing where it is not there, is a folder, or cannot be read to its end.
std::optional<std::string> file_bytes(const std::string& path);

}  // namespace bytegate
