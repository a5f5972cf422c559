#include "fuzz/journal_file.h"

// Header only, so that nothing is linked.
#define XXH_INLINE_ALL
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <utility>

namespace bytegate {
namespace {

constexpr std::string_view kFirstLine = "bytegate-journal 1\n";

// How a file begins; the body follows. Native byte order: the journal stays on its machine.
struct BatchHeader {
  std::array<char, 8> magic = {};
  uint64_t kind = 0;
  uint64_t digest = 0;
  uint64_t body_bytes = 0;  // 0: no batch
};
constexpr std::array<char, 8> kMagic = {'b', 'g', 'b', 'a', 't', 'c', 'h', '1'};
constexpr size_t kMinBytes = size_t{64} << 10;

uint64_t digest_of(uint64_t kind, std::span<const std::byte> body) {
  return XXH3_64bits_withSeed(body.data(), body.size(), kind);
}

// The value of the line "KEY VALUE" that `text` begins with, which is taken away.
std::optional<std::string> take_line(std::string_view& text, std::string_view key) {
  const size_t end = text.find('\n');
  if (end == std::string_view::npos || text.substr(0, key.size()) != key) return std::nullopt;
  if (end <= key.size() || text[key.size()] != ' ') return std::nullopt;
  std::string value(text.substr(key.size() + 1, end - key.size() - 1));
  text.remove_prefix(end + 1);
  return value;
}

std::string line(std::string_view key, std::string value) {
  std::replace(value.begin(), value.end(), '\n', ' ');
  return std::string(key) + " " + value + "\n";
}

}  // namespace

std::string running_folder(const std::string& findings_dir) {
  return findings_dir + "/.running";
}

std::string write_owner(const JournalOwner& owner) {
  return std::string(kFirstLine) + line("version", owner.version) + line("op", owner.op) +
         line("candidate", owner.candidate) + line("backend", owner.backend) +
         line("pid", std::to_string(owner.pid));
}

std::optional<JournalOwner> read_owner(std::string_view text) {
  if (text.substr(0, kFirstLine.size()) != kFirstLine) return std::nullopt;
  text.remove_prefix(kFirstLine.size());
  JournalOwner owner;
  for (const auto& [key, place] : {std::pair{"version", &owner.version},
                                   {"op", &owner.op},
                                   {"candidate", &owner.candidate},
                                   {"backend", &owner.backend}}) {
    std::optional<std::string> value = take_line(text, key);
    if (!value) return std::nullopt;
    *place = std::move(*value);
  }
  const std::optional<std::string> pid = take_line(text, "pid");
  if (!pid || !text.empty()) return std::nullopt;
  const char* end = pid->data() + pid->size();
  const auto read = std::from_chars(pid->data(), end, owner.pid);
  if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
  return owner;
}

BatchFile::~BatchFile() {
  unmap();
}

void BatchFile::unmap() {
  if (data_ != nullptr) munmap(std::exchange(data_, nullptr), std::exchange(mapped_bytes_, 0));
}

std::optional<std::string> BatchFile::grow(size_t bytes) {
  if (bytes <= mapped_bytes_) return std::nullopt;
  unmap();
  const size_t size = std::max(kMinBytes, bytes + bytes / 2);
  const int file = open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (file < 0) return path_ + ": " + std::strerror(errno);
  // Not ftruncate: a store into a hole of a full disk would end this process.
  int error = posix_fallocate(file, 0, static_cast<off_t>(size));
  if (error == 0) {
    void* data = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (data == MAP_FAILED) {
      error = errno;
    } else {
      data_ = static_cast<std::byte*>(data);
      mapped_bytes_ = size;
      // Workers run code that is tested; it is none of theirs.
      madvise(data, size, MADV_DONTFORK);
    }
  }
  close(file);
  if (error != 0) return path_ + ": " + std::strerror(error);
  return std::nullopt;
}

std::optional<std::string> BatchFile::write(BatchKind kind, std::span<const std::byte> body) {
  clear();
  if (auto error = grow(sizeof(BatchHeader) + body.size())) return error;
  if (!body.empty()) std::memcpy(data_ + sizeof(BatchHeader), body.data(), body.size());
  BatchHeader header = {.magic = kMagic,
                        .kind = static_cast<uint64_t>(kind),
                        .digest = digest_of(static_cast<uint64_t>(kind), body)};
  std::memcpy(data_, &header, sizeof header);
  // The size is what makes it count, so it comes last.
  std::atomic_signal_fence(std::memory_order_release);
  header.body_bytes = body.size();
  std::memcpy(data_, &header, sizeof header);
  holds_batch_ = true;
  return std::nullopt;
}

void BatchFile::clear() {
  holds_batch_ = false;
  if (data_ == nullptr) return;
  const uint64_t none = 0;
  std::memcpy(data_ + offsetof(BatchHeader, body_bytes), &none, sizeof none);
  std::atomic_signal_fence(std::memory_order_release);
}

FoundBatch find_batch(std::span<const std::byte> bytes) {
  FoundBatch found;
  BatchHeader header;
  // A file that was opened and not yet written to.
  const bool blank = std::all_of(
      bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(std::min(bytes.size(), sizeof header)),
      [](std::byte byte) { return byte == std::byte{0}; });
  if (blank) return found;
  found.state = FoundBatch::State::kGarbage;
  if (bytes.size() < sizeof header) return found;
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.magic != kMagic || header.kind > static_cast<uint64_t>(BatchKind::kFiles) ||
      header.body_bytes > bytes.size() - sizeof header) {
    return found;
  }
  found.state = FoundBatch::State::kNone;
  if (header.body_bytes == 0) return found;
  found.kind = static_cast<BatchKind>(header.kind);
  found.body = bytes.subspan(sizeof header, header.body_bytes);
  const bool whole = digest_of(header.kind, found.body) == header.digest;
  found.state = whole ? FoundBatch::State::kWhole : FoundBatch::State::kTorn;
  return found;
}

}  // namespace bytegate
