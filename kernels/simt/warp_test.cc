#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "kernels/simt/cuda_names.h"
#include "kernels/simt/executor.h"

namespace bytegate::simt {
namespace {

constexpr unsigned kAll = 0xffffffffu;
constexpr LaunchConfig kOneWarp{.name = "warp", .block = {32, 1, 1}};

std::int64_t value_of(unsigned lane) {
  return (std::int64_t{lane} * 37 % 11 - 5) << 33;
}

TEST(SimtWarp, AnInclusiveScanByShufflesIsTheRunningSum) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Executor executor(ExecutorOptions{.seed = seed});
    std::array<std::int64_t, 32> actual{};
    const Status status = executor.launch(kOneWarp, [&actual] {
      std::int64_t value = value_of(threadIdx.x);
      for (unsigned distance = 1; distance < 32; distance *= 2) {
        const std::int64_t before = __shfl_up_sync(kAll, value, distance);
        if (threadIdx.x >= distance) value += before;
      }
      actual[threadIdx.x] = value;
    });
    ASSERT_TRUE(status.ok()) << status.message;
    std::int64_t expect = 0;
    for (unsigned lane = 0; lane < 32; ++lane) {
      expect += value_of(lane);
      EXPECT_EQ(expect, actual[lane]) << "lane " << lane << ", seed " << seed;
    }
  }
}

TEST(SimtWarp, ShufflesReadTheLaneThatCudaSays) {
  Executor executor;
  // Hand-worked for lane 10 (segment 8..15 of width 8) and lane 15.
  std::array<std::array<int, 6>, 32> got{};
  const Status status = executor.launch(kOneWarp, [&got] {
    const int lane = static_cast<int>(threadIdx.x);
    got[threadIdx.x] = {__shfl_sync(kAll, lane, 11, 8),      __shfl_up_sync(kAll, lane, 3, 8),
                        __shfl_down_sync(kAll, lane, 2, 8),  __shfl_xor_sync(kAll, lane, 1, 8),
                        __shfl_xor_sync(kAll, lane, 16, 16), __shfl_sync(kAll, lane, -1)};
  });
  ASSERT_TRUE(status.ok()) << status.message;
  EXPECT_EQ(got[10], (std::array<int, 6>{11, 10, 12, 11, 10, 31}));
  EXPECT_EQ(got[15], (std::array<int, 6>{11, 12, 15, 14, 15, 31}));
  EXPECT_EQ(got[26][4], 10);  // an earlier segment may be read, a later one may not
}

TEST(SimtWarp, ShufflesCarryFloatsAndDoubles) {
  Executor executor;
  const Status status = executor.launch(kOneWarp, [] {
    const auto lane = static_cast<float>(threadIdx.x);
    EXPECT_EQ(__shfl_xor_sync(kAll, lane / 4, 1), static_cast<float>(threadIdx.x ^ 1u) / 4);
    EXPECT_EQ(__shfl_sync(kAll, static_cast<double>(lane) / 3, 5), 5.0 / 3);
  });
  EXPECT_TRUE(status.ok()) << status.message;
}

TEST(SimtWarp, VotesMatchesAndReductionsAgreeWithPlainLoops) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    Executor executor(ExecutorOptions{.seed = seed});
    static constexpr unsigned kMask = 0x0ff0f3a5u;
    const Status status = executor.launch(kOneWarp, [] {
      if (((kMask >> threadIdx.x) & 1u) == 0) return;
      const auto number = [](unsigned lane) { return static_cast<int>(lane * 7919 % 13) - 6; };
      int sum = 0, low = 99, high = -99;
      unsigned odd = 0, equal = 0, all_and = ~0u, all_or = 0, all_xor = 0;
      for (unsigned lane = 0; lane < 32; ++lane) {
        if (((kMask >> lane) & 1u) == 0) continue;
        const int value = number(lane);
        sum += value;
        low = std::min(low, value);
        high = std::max(high, value);
        odd |= static_cast<unsigned>(value & 1) << lane;
        equal |= (value == number(threadIdx.x) ? 1u : 0u) << lane;
        all_and &= lane | 1;
        all_or |= lane;
        all_xor ^= lane;
      }
      const int mine = number(threadIdx.x);
      EXPECT_EQ(__ballot_sync(kMask, mine & 1), odd);
      EXPECT_EQ(__match_any_sync(kMask, mine), equal);
      EXPECT_EQ(__match_any_sync(kMask, std::int64_t{mine}), equal);
      EXPECT_EQ(__any_sync(kMask, mine == high), 1);
      EXPECT_EQ(__any_sync(kMask, mine > high), 0);
      EXPECT_EQ(__all_sync(kMask, mine <= high), 1);
      EXPECT_EQ(__all_sync(kMask, mine < high), 0);
      EXPECT_EQ(__reduce_add_sync(kMask, mine), sum);
      EXPECT_EQ(__reduce_add_sync(kMask, static_cast<unsigned>(mine)), static_cast<unsigned>(sum));
      EXPECT_EQ(__reduce_min_sync(kMask, mine), low);
      EXPECT_EQ(__reduce_max_sync(kMask, mine), high);
      EXPECT_EQ(__reduce_max_sync(kMask, static_cast<unsigned>(mine)), ~0u);
      EXPECT_EQ(__reduce_min_sync(kMask, threadIdx.x), 0u);
      EXPECT_EQ(__reduce_and_sync(kMask, threadIdx.x | 1), all_and);
      EXPECT_EQ(__reduce_or_sync(kMask, threadIdx.x), all_or);
      EXPECT_EQ(__reduce_xor_sync(kMask, threadIdx.x), all_xor);
    });
    ASSERT_TRUE(status.ok()) << status.message;
  }
}

TEST(SimtWarp, APartialLastWarpMeetsUnderItsOwnMask) {
  Executor executor;
  std::array<unsigned, 2> votes{};
  const Status status = executor.launch({.block = {40, 1, 1}}, [&votes] {
    const unsigned mask = threadIdx.x < 32 ? kAll : 0xffu;
    votes[threadIdx.x / 32] = __ballot_sync(mask, 1);
  });
  ASSERT_TRUE(status.ok()) << status.message;
  EXPECT_EQ(votes, (std::array<unsigned, 2>{kAll, 0xffu}));
}

TEST(SimtWarp, DisjointMasksOfOneWarpMeetIndependentlyAndThenTogether) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Executor executor(ExecutorOptions{.seed = seed});
    const Status status = executor.launch(kOneWarp, [] {
      const bool low = threadIdx.x < 16;
      unsigned half = 0;
      if (low) {
        for (int i = 0; i < 3; ++i) half = __ballot_sync(0x0000ffffu, 1);
      } else {
        half = static_cast<unsigned>(__reduce_add_sync(0xffff0000u, 1));
      }
      EXPECT_EQ(half, low ? 0xffffu : 16u);
      __syncwarp();
      EXPECT_EQ(__ballot_sync(kAll, low), 0xffffu);
    });
    ASSERT_TRUE(status.ok()) << status.message;
  }
}

TEST(SimtWarp, ReadingALaneOutsideTheMaskGivesPoison) {
  Executor executor;
  const Status status = executor.launch(kOneWarp, [] {
    if (threadIdx.x >= 4) return;
    const unsigned got = __shfl_down_sync(0xfu, threadIdx.x, 2);
    EXPECT_EQ(got, threadIdx.x < 2 ? threadIdx.x + 2 : 0xA5A5A5A5u);
  });
  EXPECT_TRUE(status.ok()) << status.message;
}

TEST(SimtWarp, BitCountsAreThoseOfCuda) {
  EXPECT_EQ(__popc(0xF0F0u), 8);
  EXPECT_EQ(__popcll(~0ull), 64);
  EXPECT_EQ(__clz(0), 32);
  EXPECT_EQ(__clz(-1), 0);
  EXPECT_EQ(__clzll(1), 63);
  EXPECT_EQ(__ffs(0), 0);
  EXPECT_EQ(__ffs(8), 4);
  EXPECT_EQ(__ffsll(1ll << 40), 41);
  EXPECT_EQ(__brev(1), 0x80000000u);
  EXPECT_EQ(__brev(0x0000F00Du), 0xB00F0000u);
  EXPECT_EQ(__brevll(2), 1ull << 62);
}

}  // namespace
}  // namespace bytegate::simt
