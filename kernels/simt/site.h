#pragma once

#include <cstring>

namespace bytegate::simt {

// A place in kernel source. Declared as a defaulted last parameter, it names the caller's line.
struct Site {
  const char* file = "?";
  int line = 0;

  static constexpr Site here(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
    return Site{file, line};
  }

  friend bool operator==(const Site& a, const Site& b) {
    return a.line == b.line && (a.file == b.file || std::strcmp(a.file, b.file) == 0);
  }
};

}  // namespace bytegate::simt
