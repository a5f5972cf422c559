#include "kernels/simt/shared_memory.h"

#include <algorithm>
#include <cstring>

#include "kernels/simt/sanitizer.h"

namespace bytegate::simt {
namespace {

constexpr std::byte kGuardByte{0xFB};

std::size_t after_guard(std::size_t end) {
  return (end + kSharedAlignment - 1) / kSharedAlignment * kSharedAlignment + kSharedAlignment;
}

}  // namespace

template <typename Visit>
void SharedMemory::for_each_guard(Visit visit) const {
  std::byte* base = bytes_.get();
  const std::size_t static_end = kSharedAlignment + layout_.static_bytes;
  const std::size_t dynamic_end = dynamic_begin_ + layout_.dynamic_bytes;
  visit(base, kSharedAlignment);
  visit(base + static_end, dynamic_begin_ - static_end);
  visit(base + dynamic_end, end_ - dynamic_end);
}

void SharedMemory::unlock() {
  sanitizer::unpoison(bytes_.get(), capacity_);
}

void SharedMemory::prepare(const SharedLayout& layout, std::uint8_t poison) {
  unlock();
  layout_ = layout;
  dynamic_begin_ = after_guard(kSharedAlignment + layout.static_bytes);
  end_ = after_guard(dynamic_begin_ + layout.dynamic_bytes);
  if (end_ > capacity_) {
    bytes_.reset();
    capacity_ = 0;
    bytes_.reset(new (std::align_val_t{kSharedAlignment}) std::byte[end_]);
    capacity_ = end_;
  }
  std::memset(static_part(), poison, layout.static_bytes);
  std::memset(dynamic_part(), poison, layout.dynamic_bytes);
  for_each_guard([](std::byte* begin, std::size_t bytes) {
    std::memset(begin, std::to_integer<int>(kGuardByte), bytes);
    sanitizer::poison(begin, bytes);
  });
}

bool SharedMemory::guards_intact() {
  unlock();
  bool intact = true;
  for_each_guard([&intact](const std::byte* begin, std::size_t bytes) {
    intact = intact &&
             std::all_of(begin, begin + bytes, [](std::byte byte) { return byte == kGuardByte; });
  });
  return intact;
}

}  // namespace bytegate::simt
