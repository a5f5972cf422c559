#include "kernels/fault_map.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace bytegate {
namespace {

// A buffer of 16 bytes at 32 of 64.
struct Range {
  alignas(64) std::array<std::byte, 64> bytes{};

  [[nodiscard]] FaultRegion region(int tensor, bool read_only = false) const {
    return {.guard_begin = bytes.data(),
            .guard_end = bytes.data() + bytes.size(),
            .buffer = bytes.data() + 32,
            .bytes = 16,
            .tensor = tensor,
            .read_only = read_only};
  }
  // Of the byte at this distance from the buffer.
  [[nodiscard]] uintptr_t at(int64_t offset) const {
    return reinterpret_cast<uintptr_t>(bytes.data()) + 32 + static_cast<uintptr_t>(offset);
  }
};

void expect_found(const FaultMap& map, uintptr_t address, FaultMap::Access access,
                  const Damage& expect) {
  const std::optional<Damage> actual = map.find(address, access);
  ASSERT_TRUE(actual.has_value());
  EXPECT_EQ(expect.kind, actual->kind);
  EXPECT_EQ(expect.tensor, actual->tensor);
  EXPECT_EQ(expect.byte_offset, actual->byte_offset);
}

TEST(FaultMap, AnAccessOnEitherSideOfABufferIsNamedByItsOffset) {
  const Range range;
  FaultMap map;
  map.add(range.region(3));
  expect_found(map, range.at(16), FaultMap::Access::kRead, {Damage::Kind::kRead, 3, 16});
  expect_found(map, range.at(-1), FaultMap::Access::kWrite, {Damage::Kind::kWrite, 3, -1});
  expect_found(map, range.at(31), FaultMap::Access::kUnknown, {Damage::Kind::kRead, 3, 31});
  expect_found(map, range.at(-32), FaultMap::Access::kRead, {Damage::Kind::kRead, 3, -32});
}

TEST(FaultMap, AnAddressOutsideEveryRangeIsNobodys) {
  const Range range;
  FaultMap map;
  EXPECT_FALSE(map.find(range.at(0), FaultMap::Access::kRead).has_value());
  map.add(range.region(3));
  EXPECT_FALSE(map.find(range.at(32), FaultMap::Access::kRead).has_value());
  EXPECT_FALSE(map.find(range.at(-33), FaultMap::Access::kRead).has_value());
  EXPECT_FALSE(map.find(0, FaultMap::Access::kRead).has_value());
  map.clear();
  EXPECT_FALSE(map.find(range.at(0), FaultMap::Access::kRead).has_value());
}

TEST(FaultMap, WhatIsStoppedInsideAReadOnlyBufferIsAWrite) {
  const Range range;
  FaultMap map;
  map.add(range.region(0, true));
  expect_found(map, range.at(4), FaultMap::Access::kUnknown, {Damage::Kind::kWrite, 0, 4});
  expect_found(map, range.at(16), FaultMap::Access::kUnknown, {Damage::Kind::kRead, 0, 16});
}

TEST(FaultMap, SetReplacesAllAndWhatDoesNotFitIsNotKnown) {
  const std::vector<Range> ranges(FaultMap::kMaxRegions + 1);
  std::vector<FaultRegion> regions;
  for (size_t i = 0; i < ranges.size(); ++i) {
    regions.push_back(ranges[i].region(static_cast<int>(i)));
  }
  const Range other;
  FaultMap map;
  map.add(other.region(7));
  map.set(regions);
  EXPECT_FALSE(map.find(other.at(0), FaultMap::Access::kRead).has_value());
  const int last = static_cast<int>(FaultMap::kMaxRegions) - 1;
  expect_found(map, ranges[FaultMap::kMaxRegions - 1].at(0), FaultMap::Access::kRead,
               {Damage::Kind::kRead, last, 0});
  EXPECT_FALSE(map.find(ranges.back().at(0), FaultMap::Access::kRead).has_value());
}

}  // namespace
}  // namespace bytegate
