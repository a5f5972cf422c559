#pragma once

#include <cstddef>
#include <cstdint>

namespace bytegate::simt {

inline constexpr std::size_t kSharedAlignment = 128;

struct SharedLayout {
  std::size_t static_bytes = 0;
  std::size_t dynamic_bytes = 0;
};

// The static or the dynamic part of one block's shared memory, 128-byte aligned. Behind its bytes,
// but for what fills them up to that alignment, lies an unmapped page, so that a load too far is
// seen too; the filling and as much before the part are guards, which AddressSanitizer refuses and
// other builds compare afterwards.
class SharedPart {
 public:
  SharedPart() = default;
  ~SharedPart();
  SharedPart(const SharedPart&) = delete;
  SharedPart& operator=(const SharedPart&) = delete;

  // Makes room for `bytes`, fills them with `poison` and arms the guards. Throws std::bad_alloc.
  void prepare(std::size_t bytes, std::uint8_t poison);
  // Whether every guard byte is as prepare left it.
  bool guards_intact();
  std::byte* begin() const { return begin_; }

 private:
  template <typename Visit>
  void for_each_guard(Visit visit) const;
  void map(std::size_t bytes);
  void unmap();
  void unlock();

  std::byte* pages_ = nullptr;  // between two that are not mapped
  std::size_t page_bytes_ = 0;  // of all between them
  std::byte* begin_ = nullptr;
  std::size_t bytes_ = 0;
};

// One block's shared memory.
class SharedMemory {
 public:
  void prepare(const SharedLayout& layout, std::uint8_t poison) {
    dynamic_bytes_ = layout.dynamic_bytes;
    static_.prepare(layout.static_bytes, poison);
    dynamic_.prepare(layout.dynamic_bytes, poison);
  }
  bool guards_intact() {
    const bool intact = static_.guards_intact();
    return dynamic_.guards_intact() && intact;
  }

  std::byte* static_part() const { return static_.begin(); }
  std::byte* dynamic_part() const { return dynamic_.begin(); }
  std::size_t dynamic_bytes() const { return dynamic_bytes_; }

 private:
  SharedPart static_;
  SharedPart dynamic_;
  std::size_t dynamic_bytes_ = 0;
};

}  // namespace bytegate::simt
