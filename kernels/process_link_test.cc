#include "kernels/process_link.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace bytegate {
namespace {

constexpr size_t kMany = size_t{64} << 20;

std::vector<std::byte> bytes_of(size_t count, int value) {
  return std::vector<std::byte>(count, static_cast<std::byte>(value));
}

bool holds(SharedBuffer& buffer, const std::vector<std::byte>& bytes) {
  const auto held = buffer.get(bytes.size());
  return held && std::equal(held->begin(), held->end(), bytes.begin(), bytes.end());
}

TEST(SharedBuffer, HoldsWhatWasPutLast) {
  SharedBuffer buffer;
  ASSERT_TRUE(buffer.open());
  for (const size_t count : {size_t{3}, size_t{0}, kMany, size_t{100}}) {
    const std::vector<std::byte> bytes = bytes_of(count, 7);
    ASSERT_TRUE(buffer.put(bytes));
    EXPECT_TRUE(holds(buffer, bytes)) << count;
  }
}

TEST(SharedBuffer, HasNothingBeyondItsEnd) {
  SharedBuffer buffer;
  ASSERT_TRUE(buffer.open());
  EXPECT_FALSE(buffer.get(1).has_value());
  ASSERT_TRUE(buffer.put(bytes_of(10, 1)));
  EXPECT_FALSE(buffer.get(kMany).has_value());
}

// Pages that were given back read as zeros.
TEST(SharedBuffer, GivesMostOfItsMemoryBackOnceItsBytesAreForgotten) {
  SharedBuffer buffer;
  ASSERT_TRUE(buffer.open());
  ASSERT_TRUE(buffer.put(bytes_of(kMany, 7)));
  buffer.forget();
  const auto held = buffer.get(kMany);
  ASSERT_TRUE(held.has_value());
  EXPECT_GT(std::count(held->begin(), held->end(), std::byte{0}), int64_t{kMany} * 9 / 10);
  const std::vector<std::byte> next = bytes_of(kMany, 9);
  ASSERT_TRUE(buffer.put(next));
  EXPECT_TRUE(holds(buffer, next));
}

}  // namespace
}  // namespace bytegate
