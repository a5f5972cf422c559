#include "oracles/durable_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "oracles/file_lock.h"

namespace bytegate {
namespace {

constexpr int kMaxTempNames = 1000;
constexpr std::string_view kTempPrefix = ".bytegate-";
constexpr std::string_view kTempSuffix = ".tmp";

std::string failure(const std::string& path, std::string_view what) {
  return path + ": " + std::string(what) + ": " + std::strerror(errno);
}

std::string folder_of(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "./" : path.substr(0, slash + 1);
}

bool is_temp_name(std::string_view name) {
  return name.size() > kTempPrefix.size() + kTempSuffix.size() &&
         name.substr(0, kTempPrefix.size()) == kTempPrefix &&
         name.substr(name.size() - kTempSuffix.size()) == kTempSuffix;
}

// Whether the open file still has a name.
bool has_name(int fd) {
  struct stat status = {};
  return fstat(fd, &status) != 0 || status.st_nlink > 0;
}

// Creates a file of a new name in the folder; -1 with errno when that fails. It is locked as long
// as it is open, which tells it from one whose writer is gone.
int open_temp(const std::string& folder, std::string& temp) {
  for (int i = 0; i < kMaxTempNames; ++i) {
    temp = folder + std::string(kTempPrefix) + std::to_string(getpid()) + "-" + std::to_string(i) +
           std::string(kTempSuffix);
    const int fd = open(temp.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0 && errno == EEXIST) continue;
    if (fd < 0) return fd;
    static_cast<void>(lock_for_process(fd));
    if (has_name(fd)) return fd;
    close(fd);  // taken for a dead writer's before it was locked
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
  if (!error && rename(temp.c_str(), path.c_str()) != 0) error = failure(path, "cannot rename to");
  if (error) unlink(temp.c_str());
  // Not before it has its name: with the file goes the lock. All of it is synced already.
  close(fd);
  if (error) return error;
  if (!sync_folder(folder)) return failure(path, "cannot sync its folder");
  return std::nullopt;
}

std::optional<std::string> make_folders_durably(const std::string& path) {
  std::error_code error;
  if (path.empty() || std::filesystem::is_directory(path, error)) return std::nullopt;
  const std::string parent = std::filesystem::path(path).parent_path().string();
  if (auto failed = make_folders_durably(parent)) return failed;
  std::filesystem::create_directory(path, error);
  if (error) return path + ": " + error.message();
  if (!sync_folder(folder_of(path))) return failure(path, "cannot sync its folder");
  return std::nullopt;
}

int64_t remove_stale_temps(const std::string& folder) {
  int64_t num_removed = 0;
  std::error_code error;
  std::filesystem::directory_iterator entry(folder, error);
  for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    const std::string path = entry->path().string();
    if (!is_temp_name(entry->path().filename().string())) continue;
    const int fd = open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
    if (fd < 0) continue;
    if (lock_for_process(fd) && unlink(path.c_str()) == 0) ++num_removed;
    close(fd);
  }
  return num_removed;
}

}  // namespace bytegate
