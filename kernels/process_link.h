// How a process and its worker talk: small messages over a pair of sockets, and what the messages
// speak of in shared memory, so that neither ever waits for the other to read.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace bytegate {

// As many submissions may be with a worker at once.
constexpr size_t kNumLanes = 3;

// Memory that both sides of a fork see, and either may let grow.
class SharedBuffer {
 public:
  SharedBuffer() = default;
  SharedBuffer(const SharedBuffer&) = delete;
  SharedBuffer& operator=(const SharedBuffer&) = delete;
  ~SharedBuffer();

  // Each returns whether it could; errno says why not.
  bool open();
  bool put(std::span<const std::byte> bytes);
  // The first `size` bytes, until the next call. Nothing if there are not as many.
  std::optional<std::span<const std::byte>> get(size_t size);
  // Nobody needs the bytes any more: most of the memory goes back, and the rest is kept for the
  // next ones.
  void forget();

 private:
  bool map(size_t bytes);
  void unmap();

  int file_ = -1;
  std::byte* data_ = nullptr;
  size_t mapped_bytes_ = 0;
};

struct LinkMessage {
  enum class Kind : uint32_t {
    kGreeting,  // from the worker: lane 0 holds a WorkerGreeting
    kSubmit,    // the lane holds cases
    kCollect,   // asks for the results of the lane's cases
    kResults,   // from the worker: the lane holds them
  };
  Kind kind = Kind::kGreeting;
  uint32_t lane = 0;
  uint64_t bytes = 0;  // of what the lane holds
};

// Both ends at first; each process keeps one after the fork.
class ProcessLink {
 public:
  enum class End : uint8_t { kParent, kWorker };
  enum class Received : uint8_t { kMessage, kClosed, kNothing };
  using Deadline = std::optional<std::chrono::steady_clock::time_point>;

  struct Result {
    std::unique_ptr<ProcessLink> link;  // null on error
    std::string error;
  };
  static Result open();
  ProcessLink(const ProcessLink&) = delete;
  ProcessLink& operator=(const ProcessLink&) = delete;
  ~ProcessLink();

  void keep(End end);

  // False: the other side is gone, or there is no memory.
  bool send(LinkMessage::Kind kind, size_t lane, std::span<const std::byte> bytes);
  // Waits until the deadline, or for ever if there is none.
  Received receive(LinkMessage& message, Deadline deadline);
  // Whether the other side has closed its end. Only while no message is on its way.
  [[nodiscard]] bool closed() const;
  // What a message that was received speaks of; nothing if it is not there.
  std::optional<std::span<const std::byte>> held_by(const LinkMessage& message);
  // After that was read.
  void forget(size_t lane) { lanes_[lane].forget(); }

 private:
  ProcessLink() = default;

  std::array<int, 2> sockets_ = {-1, -1};
  int socket_ = -1;  // the end that is kept
  std::array<SharedBuffer, kNumLanes> lanes_;
};

}  // namespace bytegate
