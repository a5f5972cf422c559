#pragma once

#include <cstddef>
#include <vector>

namespace bytegate::simt {

// One lane's stack: [low, low + bytes). The lowest words hold a canary.
struct Stack {
  std::byte* low = nullptr;
  std::size_t bytes = 0;

  std::byte* top() const { return low + bytes; }
  void arm() const;        // writes the canary
  bool is_intact() const;  // whether the canary is as it was written
};

// Stacks carved from a few large mappings, since one mapping per stack runs into the kernel's limit
// at some 32,000. A gap that nothing uses lies under each stack, and a guard page under each slab.
// Stacks are handed out once and live until the pool does.
class StackPool {
 public:
  // `stack_bytes` is rounded up to pages.
  explicit StackPool(std::size_t stack_bytes);
  ~StackPool();
  StackPool(const StackPool&) = delete;
  StackPool& operator=(const StackPool&) = delete;

  // Throws std::bad_alloc when the system refuses another slab.
  Stack take();

 private:
  struct Slab {
    std::byte* begin = nullptr;
    std::size_t bytes = 0;
  };

  void add_slab();

  std::size_t stack_bytes_;
  std::size_t stride_;
  std::size_t slab_stacks_;
  std::size_t left_in_slab_ = 0;
  std::byte* next_ = nullptr;
  std::vector<Slab> slabs_;
};

}  // namespace bytegate::simt
