#include "oracles/durable_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace bytegate {
namespace {

constexpr int kMaxTempNames = 1000;

std::string failure(const std::string& path, std::string_view what) {
  return path + ": " + std::string(what) + ": " + std::strerror(errno);
}

std::string folder_of(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "./" : path.substr(0, slash + 1);
}

// Creates a file of a new name in the folder; -1 with errno when that fails.
int open_temp(const std::string& folder, std::string& temp) {
  for (int i = 0; i < kMaxTempNames; ++i) {
    temp = folder + ".bytegate-" + std::to_string(getpid()) + "-" + std::to_string(i) + ".tmp";
    const int fd = open(temp.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd >= 0 || errno != EEXIST) return fd;
  }
  return -1;
}

bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

bool sync_folder(const std::string& folder) {
  const int fd = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return false;
  // EINVAL: a file system that cannot sync folders has nothing more to offer.
  const bool synced = fsync(fd) == 0 || errno == EINVAL;
  close(fd);
  return synced;
}

}  // namespace

std::optional<std::string> write_durably(const std::string& path, std::string_view bytes) {
  const std::string folder = folder_of(path);
  std::string temp;
  const int fd = open_temp(folder, temp);
  if (fd < 0) return failure(path, "cannot create a file in its folder");
  std::optional<std::string> error;
  if (!write_all(fd, bytes) || fsync(fd) != 0) error = failure(path, "cannot write");
  if (close(fd) != 0 && !error) error = failure(path, "cannot write");
  if (!error && rename(temp.c_str(), path.c_str()) != 0) error = failure(path, "cannot rename to");
  if (error) {
    unlink(temp.c_str());
    return error;
  }
  if (!sync_folder(folder)) return failure(path, "cannot sync its folder");
  return std::nullopt;
}

}  // namespace bytegate
