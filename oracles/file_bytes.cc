#include "oracles/file_bytes.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace bytegate {

// Not by a stream, which throws in the middle of what it cannot read.
std::optional<std::string> file_bytes(const std::string& path) {
  // Not blocking, so that a pipe is no wait.
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return std::nullopt;
  std::string bytes;
  std::array<char, 65536> chunk;
  ssize_t got = 0;
  while ((got = read(file, chunk.data(), chunk.size())) != 0) {
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) break;
    bytes.append(chunk.data(), static_cast<size_t>(got));
  }
  close(file);
  if (got < 0) return std::nullopt;
  return bytes;
}

}  // namespace bytegate
