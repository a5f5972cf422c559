// How files, cases and records are named by what they hold.
#pragma once

#include <string>
#include <string_view>

namespace bytegate {

// The XXH3_64 of the bytes as 16 hexadecimal digits. It is part of file formats: the same for ever.
std::string text_digest(std::string_view bytes);

}  // namespace bytegate
