#include "kernels/simt/shared_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <new>

#include "kernels/simt/sanitizer.h"

namespace bytegate::simt {
namespace {

constexpr std::byte kGuardByte{0xFB};

std::size_t round_up(std::size_t bytes, std::size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

std::size_t system_page() {
  return static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace

SharedPart::~SharedPart() {
  unmap();
}

void SharedPart::unlock() {
  if (pages_ != nullptr) sanitizer::unpoison(pages_, page_bytes_);
}

void SharedPart::unmap() {
  if (pages_ == nullptr) return;
  unlock();
  const std::size_t page = system_page();
  munmap(pages_ - page, page_bytes_ + 2 * page);
  pages_ = nullptr;
  page_bytes_ = 0;
}

void SharedPart::map(std::size_t bytes) {
  unmap();
  const std::size_t page = system_page();
  const std::size_t inner = round_up(bytes, page);
  void* outer = mmap(nullptr, inner + 2 * page, PROT_NONE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (outer == MAP_FAILED) throw std::bad_alloc();
  pages_ = static_cast<std::byte*>(outer) + page;
  page_bytes_ = inner;
  if (mprotect(pages_, inner, PROT_READ | PROT_WRITE) == 0) return;
  unmap();
  throw std::bad_alloc();
}

void SharedPart::prepare(std::size_t bytes, std::uint8_t poison) {
  unlock();
  const std::size_t filled = round_up(bytes, kSharedAlignment);
  if (kSharedAlignment + filled > page_bytes_) map(kSharedAlignment + filled);
  bytes_ = bytes;
  begin_ = pages_ + page_bytes_ - filled;
  std::memset(begin_, poison, bytes);
  sanitizer::poison(pages_, static_cast<std::size_t>(begin_ - pages_));
  for_each_guard([](std::byte* begin, std::size_t num_bytes) {
    // Of what is refused nothing may be written.
    sanitizer::unpoison(begin, num_bytes);
    std::memset(begin, std::to_integer<int>(kGuardByte), num_bytes);
    sanitizer::poison(begin, num_bytes);
  });
}

template <typename Visit>
void SharedPart::for_each_guard(Visit visit) const {
  visit(begin_ - kSharedAlignment, kSharedAlignment);
  std::byte* const end = begin_ + bytes_;
  visit(end, static_cast<std::size_t>(pages_ + page_bytes_ - end));
}

bool SharedPart::guards_intact() {
  unlock();
  bool intact = true;
  for_each_guard([&intact](const std::byte* begin, std::size_t bytes) {
    intact = intact &&
             std::all_of(begin, begin + bytes, [](std::byte byte) { return byte == kGuardByte; });
  });
  return intact;
}

}  // namespace bytegate::simt
