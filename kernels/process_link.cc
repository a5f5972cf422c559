#include "kernels/process_link.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <utility>

namespace bytegate {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kMinBytes = size_t{64} << 10;
constexpr size_t kKeptBytes = size_t{4} << 20;

void close_socket(int& socket) {
  if (socket >= 0) close(std::exchange(socket, -1));
}

// For poll(): never zero before the deadline, and -1 without one.
int remaining_ms(const ProcessLink::Deadline& deadline) {
  if (!deadline) return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(*deadline - Clock::now()).count();
  return static_cast<int>(std::clamp<decltype(left)>(left, 0, std::numeric_limits<int>::max()));
}

}  // namespace

SharedBuffer::~SharedBuffer() {
  unmap();
  if (file_ >= 0) close(file_);
}

bool SharedBuffer::open() {
  file_ = memfd_create("bytegate", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  // A file that shrinks would take the ground from under whoever reads it.
  return file_ >= 0 && fcntl(file_, F_ADD_SEALS, F_SEAL_SHRINK) == 0;
}

void SharedBuffer::unmap() {
  if (data_ != nullptr) munmap(std::exchange(data_, nullptr), std::exchange(mapped_bytes_, 0));
}

bool SharedBuffer::map(size_t bytes) {
  if (bytes <= mapped_bytes_) return true;
  unmap();
  void* data = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0);
  if (data == MAP_FAILED) return false;
  data_ = static_cast<std::byte*>(data);
  mapped_bytes_ = bytes;
  return true;
}

bool SharedBuffer::put(std::span<const std::byte> bytes) {
  if (bytes.size() > mapped_bytes_) {
    struct stat status {};
    if (fstat(file_, &status) != 0) return false;
    const size_t size =
        std::max({kMinBytes, bytes.size() + bytes.size() / 2, static_cast<size_t>(status.st_size)});
    if (ftruncate(file_, static_cast<off_t>(size)) != 0 || !map(size)) return false;
  }
  if (!bytes.empty()) std::memcpy(data_, bytes.data(), bytes.size());
  return true;
}

std::optional<std::span<const std::byte>> SharedBuffer::get(size_t size) {
  if (size > mapped_bytes_) {
    struct stat status {};
    if (fstat(file_, &status) != 0 || size > static_cast<size_t>(status.st_size)) {
      return std::nullopt;
    }
    if (!map(static_cast<size_t>(status.st_size))) return std::nullopt;
  }
  return std::span<const std::byte>(data_, size);
}

void SharedBuffer::forget() {
  if (mapped_bytes_ <= kKeptBytes) return;
  // Not shrunk, for the other side may have mapped all of it.
  fallocate(file_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, off_t{kKeptBytes},
            static_cast<off_t>(mapped_bytes_ - kKeptBytes));
}

ProcessLink::Result ProcessLink::open() {
  std::unique_ptr<ProcessLink> link(new ProcessLink());
  bool opened = socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, link->sockets_.data()) == 0;
  for (SharedBuffer& lane : link->lanes_) opened = opened && lane.open();
  if (!opened) return {nullptr, std::string("no way to talk to a worker: ") + std::strerror(errno)};
  return {std::move(link), ""};
}

ProcessLink::~ProcessLink() {
  for (int& socket : sockets_) close_socket(socket);
}

void ProcessLink::keep(End end) {
  const size_t mine = end == End::kParent ? 0 : 1;
  socket_ = sockets_[mine];
  close_socket(sockets_[1 - mine]);
}

bool ProcessLink::send(LinkMessage::Kind kind, size_t lane, std::span<const std::byte> bytes) {
  if (!lanes_[lane].put(bytes)) return false;
  const LinkMessage message = {
      .kind = kind, .lane = static_cast<uint32_t>(lane), .bytes = bytes.size()};
  ssize_t sent = 0;
  do {
    sent = ::send(socket_, &message, sizeof message, MSG_NOSIGNAL);
  } while (sent < 0 && errno == EINTR);
  return sent == ssize_t{sizeof message};
}

ProcessLink::Received ProcessLink::receive(LinkMessage& message, Deadline deadline) {
  for (;;) {
    pollfd waiting = {.fd = socket_, .events = POLLIN, .revents = 0};
    const int ready = poll(&waiting, 1, remaining_ms(deadline));
    if (ready == 0) return Received::kNothing;
    if (ready < 0 && errno == EINTR) continue;
    const ssize_t got = ready < 0 ? -1 : recv(socket_, &message, sizeof message, 0);
    if (got < 0 && errno == EINTR) continue;
    return got == ssize_t{sizeof message} ? Received::kMessage : Received::kClosed;
  }
}

bool ProcessLink::closed() const {
  pollfd waiting = {.fd = socket_, .events = POLLIN, .revents = 0};
  return poll(&waiting, 1, 0) > 0;
}

std::optional<std::span<const std::byte>> ProcessLink::held_by(const LinkMessage& message) {
  if (message.lane >= kNumLanes) return std::nullopt;
  return lanes_[message.lane].get(message.bytes);
}

}  // namespace bytegate
