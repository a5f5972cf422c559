#include "kernels/simt/executor.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <vector>

#include "kernels/simt/cuda_names.h"

namespace bytegate::simt {
namespace {

TEST(SimtExecutor, EveryLaneOfAThreeDimensionalGridRunsOnceWithItsOwnIndices) {
  for (const std::uint64_t seed : {0, 1, 77}) {
    Executor executor(ExecutorOptions{.seed = seed});
    const LaunchConfig config{.name = "indices", .grid = {3, 2, 4}, .block = {5, 3, 2}};
    std::vector<int> visits(config.grid.volume() * config.block.volume(), 0);
    const Status status = executor.launch(config, [&visits] {
      ASSERT_EQ(gridDim.x * 100 + gridDim.y * 10 + gridDim.z, 324u);
      ASSERT_EQ(blockDim.x * 100 + blockDim.y * 10 + blockDim.z, 532u);
      const unsigned block = blockIdx.x + 3 * (blockIdx.y + 2 * blockIdx.z);
      const unsigned thread = threadIdx.x + 5 * (threadIdx.y + 3 * threadIdx.z);
      ++visits[block * 30 + thread];
    });
    ASSERT_TRUE(status.ok()) << status.message;
    EXPECT_EQ(visits, std::vector<int>(visits.size(), 1));
    EXPECT_EQ(executor.stats().num_blocks, 24u);
  }
}

TEST(SimtExecutor, ALaneThatNeverWaitsTakesOneSwitch) {
  Executor executor;
  const Status status = executor.launch({.grid = {10, 1, 1}, .block = {64, 1, 1}}, [] {});
  ASSERT_TRUE(status.ok()) << status.message;
  // One into each lane, and one back to the launching thread for each block.
  EXPECT_EQ(executor.stats().num_switches, 10u * 64u + 10u);
}

TEST(SimtExecutor, AMillionBlocksRunOneAtATime) {
  Executor executor(ExecutorOptions{.seed = 9});
  std::uint64_t sum = 0;
  const Status status =
      executor.launch({.grid = {1000000, 1, 1}, .block = {2, 1, 1}}, [&sum] { sum += blockIdx.x; });
  ASSERT_TRUE(status.ok()) << status.message;
  EXPECT_EQ(sum, std::uint64_t{999999} * 1000000);  // two lanes each
  EXPECT_EQ(executor.stats().max_resident_blocks, 1u);
}

struct Cells {
  std::uint8_t bytes[256];
};

TEST(SimtExecutor, SharedMemoryIsPoisonedAfreshForEachBlock) {
  Executor executor(ExecutorOptions{.shared_poison = 0x3C});
  const LaunchConfig config{.grid = {4, 1, 1}, .block = {1, 1, 1}, .dynamic_shared_bytes = 64};
  int num_other = 0;
  const Status status = executor.launch<Cells>(config, [&num_other](Cells& shared) {
    auto* dynamic = dynamic_shared<std::uint8_t>();
    for (const std::uint8_t byte : shared.bytes) num_other += byte != 0x3C;
    for (int i = 0; i < 64; ++i) num_other += dynamic[i] != 0x3C;
    std::memset(shared.bytes, 1, sizeof shared.bytes);
    std::memset(dynamic, 2, 64);
  });
  ASSERT_TRUE(status.ok()) << status.message;
  EXPECT_EQ(num_other, 0);
}

TEST(SimtExecutor, SharedMemoryIsAlignedAndReachableByBlockRank) {
  Executor executor;
  const LaunchConfig config{.grid = {3, 1, 1}, .block = {1, 1, 1}, .dynamic_shared_bytes = 16};
  const Status status = executor.launch<Cells>(config, [](Cells& shared) {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(&shared) % 128, 0u);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(dynamic_shared<int4>()) % 128, 0u);
    EXPECT_EQ(shared_of_block(blockIdx.x), &shared);
    EXPECT_EQ(shared_of_block(99), nullptr);
  });
  ASSERT_TRUE(status.ok()) << status.message;
}

TEST(SimtExecutor, SharedMemoryBeyondTheArchitectureIsRefused) {
  const LaunchConfig large{.dynamic_shared_bytes = 100 * kKibibyte,
                           .shared_limit_bytes = 100 * kKibibyte};
  for (const int arch : {80, 90, 100}) {
    Executor executor(ExecutorOptions{.arch = arch});
    EXPECT_TRUE(executor.launch(large, [] {}).ok()) << arch;
  }
  for (const int arch : {86, 89, 120}) {
    Executor executor(ExecutorOptions{.arch = arch});
    EXPECT_EQ(executor.launch(large, [] {}).error, Error::kSharedMemoryLimit) << arch;
  }
  Executor executor;
  EXPECT_EQ(executor.launch({.dynamic_shared_bytes = 48 * kKibibyte + 1}, [] {}).error,
            Error::kSharedMemoryLimit);
  EXPECT_TRUE(executor.launch({.dynamic_shared_bytes = 48 * kKibibyte}, [] {}).ok());
}

TEST(SimtExecutor, LaunchesThatCudaRefusesAreBadLaunches) {
  Executor executor;
  const auto error_of = [&executor](Dim3 grid, Dim3 block) {
    return executor.launch({.grid = grid, .block = block}, [] {}).error;
  };
  EXPECT_EQ(error_of({1, 1, 1}, {1024, 1, 1}), Error::kNone);
  EXPECT_EQ(error_of({1, 1, 1}, {1, 1024, 1}), Error::kNone);
  EXPECT_EQ(error_of({1, 1, 1}, {16, 1, 64}), Error::kNone);
  EXPECT_EQ(error_of({1, 1, 1}, {1025, 1, 1}), Error::kBadLaunch);
  EXPECT_EQ(error_of({1, 1, 1}, {1, 1, 65}), Error::kBadLaunch);
  EXPECT_EQ(error_of({1, 1, 1}, {33, 32, 1}), Error::kBadLaunch);
  EXPECT_EQ(error_of({1, 1, 1}, {0, 1, 1}), Error::kBadLaunch);
  EXPECT_EQ(error_of({0, 1, 1}, {1, 1, 1}), Error::kBadLaunch);
  EXPECT_EQ(error_of({1, 0, 1}, {1, 1, 1}), Error::kBadLaunch);
  EXPECT_EQ(error_of({0x80000000u, 1, 1}, {1, 1, 1}), Error::kBadLaunch);
  EXPECT_EQ(error_of({1, 65536, 1}, {1, 1, 1}), Error::kBadLaunch);
  EXPECT_EQ(error_of({1, 1, 65536}, {1, 1, 1}), Error::kBadLaunch);
  Executor unknown(ExecutorOptions{.arch = 75});
  EXPECT_EQ(unknown.launch({}, [] {}).error, Error::kBadLaunch);
}

TEST(SimtExecutor, OnlyItsOwnThreadMayLaunchAndNotFromALane) {
  Executor executor;
  Status elsewhere;
  std::thread([&] { elsewhere = executor.launch({}, [] {}); }).join();
  EXPECT_EQ(elsewhere.error, Error::kBadLaunch);
  Status within;
  const Status outer = executor.launch({}, [&] { within = executor.launch({}, [] {}); });
  EXPECT_EQ(within.error, Error::kBadLaunch);
  EXPECT_TRUE(outer.ok()) << outer.message;
}

TEST(SimtExecutor, AnExecutorOfItsOwnMayRunInsideALane) {
  Executor outer;
  int inner_sum = 0;
  const Status status = outer.launch({.block = {3, 1, 1}}, [&] {
    Executor inner;
    const Status nested = inner.launch({.block = {4, 1, 1}}, [&] {
      inner_sum += static_cast<int>(threadIdx.x);
      __syncthreads();
    });
    EXPECT_TRUE(nested.ok()) << nested.message;
    EXPECT_EQ(blockDim.x, 3u);
    __syncthreads();
  });
  EXPECT_TRUE(status.ok()) << status.message;
  EXPECT_EQ(inner_sum, 3 * 6);
}

struct CountsLives {
  explicit CountsLives(int& alive) : alive_(alive) { ++alive_; }
  ~CountsLives() { --alive_; }
  int& alive_;
};

TEST(SimtExecutor, LocalsOfAbandonedLanesAreDestroyedAndTheExecutorStaysUsable) {
  Executor executor;
  int alive = 0;
  for (int round = 0; round < 3; ++round) {
    const Status status = executor.launch({.block = {64, 1, 1}}, [&alive] {
      const CountsLives local(alive);
      const std::vector<int> heap(100, 1);
      if (threadIdx.x == 40) throw std::runtime_error("no");
      __syncthreads();
    });
    EXPECT_EQ(status.error, Error::kException);
    EXPECT_NE(status.message.find("lane 40 threw: no"), std::string::npos) << status.message;
    EXPECT_EQ(alive, 0);
    const Status after = executor.launch({.block = {64, 1, 1}}, [] { __syncthreads(); });
    EXPECT_TRUE(after.ok()) << after.message;
  }
}

TEST(SimtExecutor, BlockShapesMayChangeFromLaunchToLaunch) {
  Executor executor;
  for (const unsigned num_lanes : {33u, 256u, 1u, 96u, 1024u, 64u}) {
    unsigned sum = 0;
    const Status status = executor.launch({.block = {num_lanes, 1, 1}}, [&sum] {
      sum += threadIdx.x;
      __syncthreads();
      sum += 1;
    });
    EXPECT_TRUE(status.ok()) << status.message;
    EXPECT_EQ(sum, num_lanes * (num_lanes - 1) / 2 + num_lanes);
  }
}

}  // namespace
}  // namespace bytegate::simt
