#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

namespace bytegate::simt {

inline constexpr std::size_t kSharedAlignment = 128;

struct SharedLayout {
  std::size_t static_bytes = 0;
  std::size_t dynamic_bytes = 0;
};

// One block's shared memory: static part and dynamic part, each 128-byte aligned, with guards
// before, between and after, which AddressSanitizer refuses and other builds compare afterwards.
class SharedMemory {
 public:
  SharedMemory() = default;
  ~SharedMemory() { unlock(); }
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;

  // Makes room for `layout`, fills both parts with `poison` and arms the guards.
  void prepare(const SharedLayout& layout, std::uint8_t poison);

  // Whether every guard byte is as prepare left it.
  bool guards_intact();

  std::byte* static_part() const { return bytes_.get() + kSharedAlignment; }
  std::byte* dynamic_part() const { return bytes_.get() + dynamic_begin_; }
  std::size_t dynamic_bytes() const { return layout_.dynamic_bytes; }

 private:
  struct Free {
    void operator()(std::byte* bytes) const {
      ::operator delete[](bytes, std::align_val_t{kSharedAlignment});
    }
  };

  template <typename Visit>
  void for_each_guard(Visit visit) const;
  void unlock();

  SharedLayout layout_;
  std::size_t dynamic_begin_ = 0;
  std::size_t end_ = 0;
  std::size_t capacity_ = 0;
  std::unique_ptr<std::byte[], Free> bytes_;
};

}  // namespace bytegate::simt
