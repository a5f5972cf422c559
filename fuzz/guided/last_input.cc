#include "fuzz/guided/last_input.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "oracles/file_bytes.h"

namespace bytegate {
namespace {

constexpr size_t kLengthBytes = 8;
constexpr size_t kFirstCapacity = size_t{1} << 17;
// No input yet: a length that no input has.
constexpr uint64_t kNever = UINT64_MAX;

void write_length(uint64_t length, uint8_t* to) {
  for (size_t i = 0; i < kLengthBytes; ++i) to[i] = static_cast<uint8_t>(length >> (8 * i));
}

}  // namespace

LastInput::~LastInput() {
  if (mapped_ != nullptr) munmap(mapped_, capacity_);
  if (file_ >= 0) ::close(file_);
}

std::optional<std::string> LastInput::open(const std::string& path) {
  file_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file_ < 0 || !reserve(kFirstCapacity)) return path + ": " + std::strerror(errno);
  write_length(kNever, mapped_);
  return std::nullopt;
}

bool LastInput::reserve(size_t bytes) {
  if (bytes <= capacity_) return true;
  const size_t capacity = std::max(bytes, 2 * capacity_);
  // Not ftruncate: a store into a hole of a full disk would look like a crash of the target.
  if ((errno = posix_fallocate(file_, 0, static_cast<off_t>(capacity))) != 0) return false;
  void* mapped = mmap(nullptr, capacity, PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0);
  if (mapped == MAP_FAILED) return false;
  if (mapped_ != nullptr) munmap(mapped_, capacity_);
  mapped_ = static_cast<uint8_t*>(mapped);
  capacity_ = capacity;
  return true;
}

bool LastInput::set(std::span<const uint8_t> input) {
  if (file_ < 0) return true;
  if (!reserve(kLengthBytes + input.size())) return false;
  write_length(input.size(), mapped_);
  std::copy(input.begin(), input.end(), mapped_ + kLengthBytes);
  return true;
}

std::optional<std::vector<uint8_t>> read_last_input(const std::string& path) {
  const std::optional<std::string> bytes = file_bytes(path);
  if (!bytes || bytes->size() < kLengthBytes) return std::nullopt;
  uint64_t length = 0;
  for (size_t i = 0; i < kLengthBytes; ++i) {
    length |= uint64_t{static_cast<uint8_t>((*bytes)[i])} << (8 * i);
  }
  if (length > bytes->size() - kLengthBytes) return std::nullopt;
  const auto first = bytes->begin() + kLengthBytes;
  return std::vector<uint8_t>(first, first + static_cast<int64_t>(length));
}

}  // namespace bytegate
