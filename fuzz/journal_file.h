// What a journal consists of: a folder per run below <findings>/.running, in it the file `owner`,
// which the run holds locked as long as it lives, and a file per batch on its way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bytegate {

// Whose cases they are.
struct JournalOwner {
  std::string version;  // of bytegate; another one may write cases otherwise
  std::string op;
  std::string candidate;  // a built-in name, or an absolute path
  std::string backend;
  int64_t pid = 0;  // for people: the lock says who lives

  friend bool operator==(const JournalOwner&, const JournalOwner&) = default;
};

constexpr std::string_view kOwnerFile = "owner";
std::string running_folder(const std::string& findings_dir);

std::string write_owner(const JournalOwner& owner);
// Nothing unless the text is what write_owner gives for some owner.
std::optional<JournalOwner> read_owner(std::string_view text);

enum class BatchKind : uint64_t { kCases, kFiles };  // encoded cases, or paths

// A batch in a file that is mapped: what was written is the kernel's, and outlives the process.
class BatchFile {
 public:
  explicit BatchFile(std::string path) : path_(std::move(path)) {}
  BatchFile(const BatchFile&) = delete;
  BatchFile& operator=(const BatchFile&) = delete;
  ~BatchFile();

  // Replaces what the file holds; it counts once all of it is there. The error names the file,
  // which then holds nothing.
  std::optional<std::string> write(BatchKind kind, std::span<const std::byte> body);
  // Forgets it; the file stays, for the next one.
  void clear();
  [[nodiscard]] bool holds_batch() const { return holds_batch_; }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::optional<std::string> grow(size_t bytes);
  void unmap();

  std::string path_;
  std::byte* data_ = nullptr;
  size_t mapped_bytes_ = 0;
  bool holds_batch_ = false;
};

// What is found in such a file.
struct FoundBatch {
  enum class State : uint8_t {
    kNone,     // nothing was on its way
    kTorn,     // was being written, so nothing of it had been handed out
    kWhole,    // was on its way
    kGarbage,  // no such file
  } state = State::kNone;
  BatchKind kind = BatchKind::kCases;
  std::span<const std::byte> body = {};  // of `bytes`
};
FoundBatch find_batch(std::span<const std::byte> bytes);

}  // namespace bytegate
