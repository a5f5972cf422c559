#include "fuzz/journal.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "kernels/wire.h"
#include "oracles/file_lock.h"

namespace bytegate {
namespace {

namespace fs = std::filesystem;

constexpr int kMaxFolderNames = 1000;

// Whether the path still leads to the open file: another run may have taken it for abandoned in
// the moment between its creation and the lock.
bool is_at(int file, const std::string& path) {
  struct stat opened = {};
  struct stat named = {};
  return fstat(file, &opened) == 0 && stat(path.c_str(), &named) == 0 &&
         opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

// A new file that is locked and holds the text; -1 with errno when that fails. EAGAIN: another run
// took it away.
int create_owner(const std::string& path, const std::string& text) {
  const int file = open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file < 0) return -1;
  int error = 0;
  if (!lock_for_process(file) || !is_at(file, path)) {
    error = EAGAIN;
  } else if (const ssize_t written = ::write(file, text.data(), text.size());
             written != static_cast<ssize_t>(text.size())) {
    error = written < 0 ? errno : ENOSPC;
    unlink(path.c_str());
  }
  if (error == 0) return file;
  close(file);
  errno = error;
  return -1;
}

}  // namespace

std::optional<std::string> Journal::start(const std::string& findings_dir,
                                          const JournalOwner& owner) {
  findings_dir_ = findings_dir;
  const std::string stem = running_folder(findings_dir) + "/run-" + std::to_string(owner.pid) + "-";
  const std::string text = write_owner(owner);
  for (int i = 0; i < kMaxFolderNames; ++i) {
    folder_ = stem + std::to_string(i);
    std::error_code error;
    made_findings_dir_ = made_findings_dir_ || !fs::exists(findings_dir, error);
    fs::create_directories(running_folder(findings_dir), error);
    if (error) return running_folder(findings_dir) + ": " + error.message();
    if (mkdir(folder_.c_str(), 0777) != 0) {
      if (errno == EEXIST || errno == ENOENT) continue;
      return folder_ + ": " + std::strerror(errno);
    }
    owner_file_ = create_owner(folder_ + "/" + std::string(kOwnerFile), text);
    if (owner_file_ >= 0) return std::nullopt;
    const int why = errno;
    rmdir(folder_.c_str());
    if (why != EAGAIN && why != ENOENT) return folder_ + ": " + std::strerror(why);
  }
  return running_folder(findings_dir) + ": no name is left for the journal of a run";
}

Journal::Result Journal::open(const std::string& findings_dir, const JournalOwner& owner,
                              size_t num_slots) {
  std::unique_ptr<Journal> journal(new Journal());
  if (auto error = journal->start(findings_dir, owner)) return {nullptr, *error};
  for (size_t i = 0; i < num_slots; ++i) {
    journal->slots_.push_back(
        std::make_unique<BatchFile>(journal->folder_ + "/batch-" + std::to_string(i)));
  }
  return {std::move(journal), ""};
}

Journal::~Journal() {
  bool holds_batch = false;
  for (const auto& slot : slots_) {
    holds_batch = holds_batch || slot->holds_batch();
    if (!slot->holds_batch()) unlink(slot->path().c_str());
  }
  if (owner_file_ >= 0 && !holds_batch) {
    unlink((folder_ + "/" + std::string(kOwnerFile)).c_str());
    rmdir(folder_.c_str());
  }
  // Those that hold something stay.
  rmdir(running_folder(findings_dir_).c_str());
  if (made_findings_dir_) rmdir(findings_dir_.c_str());
  if (owner_file_ >= 0) close(owner_file_);
}

std::optional<std::string> Journal::write(size_t slot, std::span<const Case> cases) {
  if (cases.empty()) return std::nullopt;
  return slots_[slot]->write(BatchKind::kCases, encode_cases(cases, OpTable(&cases[0].op, 1)));
}

std::optional<std::string> Journal::write(size_t slot, std::span<const std::string> files) {
  std::string paths;
  for (const std::string& file : files) paths.append(file).push_back('\0');
  return slots_[slot]->write(BatchKind::kFiles, std::as_bytes(std::span<const char>(paths)));
}

void Journal::clear(size_t slot) {
  slots_[slot]->clear();
}

}  // namespace bytegate
