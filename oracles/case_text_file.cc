#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "oracles/case_text.h"
#include "oracles/durable_file.h"

namespace bytegate {
namespace {

std::string too_long() {
  return "longer than the " + std::to_string(kMaxCaseFileBytes) + " bytes of a case file";
}

// Reads all of an open file; returns what went wrong.
std::optional<std::string> read_open_file(int fd, std::string& bytes) {
  struct stat status = {};
  if (fstat(fd, &status) != 0) return std::strerror(errno);
  if (S_ISDIR(status.st_mode)) return "is a directory";
  if (!S_ISREG(status.st_mode)) return "is not a regular file";
  if (static_cast<uint64_t>(status.st_size) > kMaxCaseFileBytes) return too_long();
  bytes.resize(static_cast<size_t>(status.st_size) + 1);  // one more, to see the end
  size_t size = 0;
  while (true) {
    const ssize_t got = read(fd, bytes.data() + size, bytes.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return std::strerror(errno);
    size += static_cast<size_t>(got);
    if (size > kMaxCaseFileBytes) return too_long();
    if (got == 0) break;
    // It grew meanwhile.
    if (size == bytes.size()) bytes.resize(std::min(2 * size, kMaxCaseFileBytes + 1));
  }
  bytes.resize(size);
  return std::nullopt;
}

std::optional<std::string> read_file(const std::string& path, std::string& bytes) {
  // Not blocking, so that a pipe is an error and not a wait.
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return path + ": " + std::strerror(errno);
  std::optional<std::string> error = read_open_file(fd, bytes);
  close(fd);
  return error ? path + ": " + *error : error;
}

}  // namespace

LoadResult load_case(const std::string& path, OpTable ops) {
  LoadResult result;
  std::string bytes;
  if (auto error = read_file(path, bytes)) {
    result.error = std::move(*error);
    return result;
  }
  ParseResult parsed = read_case(bytes, ops);
  if (parsed.value) {
    result.value = std::move(parsed.value);
  } else {
    result.error = path + ": " + to_string(parsed.error);
  }
  return result;
}

std::optional<std::string> save_case(const std::string& path, const Case& c) {
  const std::string text = write_case(c);
  if (text.size() > kMaxCaseFileBytes) return path + ": not saved: " + too_long();
  const ParseResult parsed = read_case(text, OpTable(&c.op, 1));
  if (!parsed.value)
    return path + ": not saved, for it could not be read back: " + to_string(parsed.error);
  return write_durably(path, text);
}

}  // namespace bytegate
