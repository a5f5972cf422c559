#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bytegate::simt {

struct Lane;

// xorshift64*: cheap, and good enough to pick orders with.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15u + 0x632BE59BD9B4E019u) {
    if (state_ == 0) state_ = 1;
    next();
    next();
  }

  std::uint64_t next() {
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    return state_ * 0x2545F4914F6CDD1Du;
  }

  bool coin() { return (next() >> 63) != 0; }

  // Uniform enough in [0, bound); bound is at least 1 and below 2^32.
  unsigned below(unsigned bound) {
    return static_cast<unsigned>(((next() >> 32) * std::uint64_t{bound}) >> 32);
  }

 private:
  std::uint64_t state_;
};

// Lanes that can run. A ring with room for every resident lane, so that push never allocates.
class ReadyQueue {
 public:
  // Room for `num_lanes` at once. Keeps what is queued.
  void reserve(std::size_t num_lanes) {
    if (num_lanes <= ring_.size()) return;
    std::size_t capacity = ring_.empty() ? 64 : ring_.size();
    while (capacity < num_lanes) capacity *= 2;
    std::vector<Lane*> grown(capacity);
    const std::size_t num_queued = tail_ - head_;
    for (std::size_t i = 0; i < num_queued; ++i) grown[i] = ring_[(head_ + i) & mask()];
    ring_ = std::move(grown);
    head_ = 0;
    tail_ = num_queued;
  }

  bool empty() const { return head_ == tail_; }
  void clear() { head_ = tail_ = 0; }
  void push(Lane* lane) { ring_[tail_++ & mask()] = lane; }
  Lane* pop_oldest() { return ring_[head_++ & mask()]; }
  Lane* pop_newest() { return ring_[--tail_ & mask()]; }

 private:
  std::size_t mask() const { return ring_.size() - 1; }

  std::vector<Lane*> ring_;
  std::size_t head_ = 0;
  std::size_t tail_ = 0;
};

}  // namespace bytegate::simt
