#include "kernels/simt/stack_pool.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <new>

#include "kernels/simt/sanitizer.h"

namespace bytegate::simt {
namespace {

constexpr std::size_t kCanaryWords = 8;
constexpr std::uint64_t kCanaryWord = 0x5AFE57AC5AFE57ACu;
using Canary = std::array<std::uint64_t, kCanaryWords>;

// An odd number of cache lines, so that equal depths of different stacks fall into different cache
// sets: lanes are mostly suspended at the same depth.
constexpr std::size_t kCacheLineBytes = 64;
constexpr std::size_t kColourBytes = 17 * kCacheLineBytes;
constexpr std::size_t kGapBytes = std::size_t{8192} + kColourBytes;
constexpr std::size_t kFirstSlabStacks = 64;
constexpr std::size_t kMaxSlabStacks = 1024;

std::size_t page_bytes() {
  return static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

std::size_t round_up(std::size_t bytes, std::size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

}  // namespace

void Stack::arm() const {
  Canary canary{};
  canary.fill(kCanaryWord);
  std::memcpy(low, canary.data(), sizeof(canary));
}

bool Stack::is_intact() const {
  // Word by word: under a fuzzer a call of memcmp is intercepted, and its operands are remembered.
  std::uint64_t different = 0;
  for (std::size_t i = 0; i < kCanaryWords; ++i) {
    std::uint64_t word = 0;
    std::memcpy(&word, low + i * sizeof word, sizeof word);
    different |= word ^ kCanaryWord;
  }
  return different == 0;
}

StackPool::StackPool(std::size_t stack_bytes)
    : stack_bytes_(round_up(std::max<std::size_t>(stack_bytes, 1), page_bytes())),
      stride_(stack_bytes_ + kGapBytes),
      slab_stacks_(kFirstSlabStacks) {}

StackPool::~StackPool() {
  for (const Slab& slab : slabs_) {
    sanitizer::unpoison(slab.begin, slab.bytes);
    munmap(slab.begin, slab.bytes);
  }
}

Stack StackPool::take() {
  if (left_in_slab_ == 0) add_slab();
  const Stack stack{.low = next_ + kGapBytes, .bytes = stack_bytes_};
  next_ += stride_;
  --left_in_slab_;
  stack.arm();
  return stack;
}

void StackPool::add_slab() {
  const std::size_t page = page_bytes();
  const std::size_t bytes = page + round_up(slab_stacks_ * stride_, page);
  slabs_.reserve(slabs_.size() + 1);
  void* begin = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (begin == MAP_FAILED) throw std::bad_alloc();
  slabs_.push_back(Slab{.begin = static_cast<std::byte*>(begin), .bytes = bytes});
  // Huge pages would make every touched stack cost megabytes.
  madvise(begin, bytes, MADV_NOHUGEPAGE);
  if (mprotect(begin, page, PROT_NONE) != 0) throw std::bad_alloc();
  next_ = slabs_.back().begin + page;
  left_in_slab_ = slab_stacks_;
  slab_stacks_ = std::min(slab_stacks_ * 2, kMaxSlabStacks);
}

}  // namespace bytegate::simt
