#include "kernels/simt/block_scan.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "kernels/simt/executor.h"

namespace bytegate::simt {
namespace {

constexpr int kThreads = 96;
constexpr LaunchConfig kBlock{.name = "scan", .grid = {2, 1, 1}, .block = {kThreads, 1, 1}};
using Scan = BlockScan<std::int64_t, kThreads>;
using Reduce = BlockReduce<std::int64_t, kThreads>;

struct Shared {
  Scan::TempStorage scan;
  Reduce::TempStorage reduce;
};

std::int64_t value_of(unsigned lane, unsigned block) {
  return std::int64_t{lane * 31 % 17} - 8 + (std::int64_t{block} << 40);
}

TEST(SimtBlockScan, SumsAreThoseOfAPlainLoopUnderEverySeed) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Executor executor(ExecutorOptions{.seed = seed, .concurrent_blocks = 2});
    const Status status = executor.launch<Shared>(kBlock, [](Shared& shared) {
      const std::int64_t mine = value_of(threadIdx.x, blockIdx.x);
      std::int64_t before = 0, through = 0, total = 0, expect_before = 0, expect_total = 0;
      for (unsigned lane = 0; lane < kThreads; ++lane) {
        if (lane < threadIdx.x) expect_before += value_of(lane, blockIdx.x);
        expect_total += value_of(lane, blockIdx.x);
      }
      Scan(shared.scan).ExclusiveSum(mine, before, total);
      EXPECT_EQ(before, expect_before);
      EXPECT_EQ(total, expect_total);
      __syncthreads();
      Scan(shared.scan).InclusiveSum(mine, through);
      EXPECT_EQ(through, expect_before + mine);
      const std::int64_t sum = Reduce(shared.reduce).Sum(mine);
      if (threadIdx.x == 0) {
        EXPECT_EQ(sum, expect_total);
      }
    });
    ASSERT_TRUE(status.ok()) << status.message;
  }
}

TEST(SimtBlockScan, AReductionIsPoisonOutsideThreadZero) {
  Executor executor;
  const Status status = executor.launch<Shared>(kBlock, [](Shared& shared) {
    const std::int64_t sum = Reduce(shared.reduce).Sum(1);
    EXPECT_EQ(sum, threadIdx.x == 0 ? 96 : static_cast<std::int64_t>(0xA5A5A5A5A5A5A5A5u));
  });
  EXPECT_TRUE(status.ok()) << status.message;
}

TEST(SimtBlockScan, ReuseWithoutABarrierIsAHazard) {
  Executor executor;
  const Status status = executor.launch<Shared>(kBlock, [](Shared& shared) {
    int unused = 0;
    std::int64_t out = 0;
    Scan(shared.scan).ExclusiveSum(1, out);
    // Another storage is no barrier for the first one.
    unused += static_cast<int>(Reduce(shared.reduce).Sum(1) & 1);
    Scan(shared.scan).ExclusiveSum(unused & 1, out);
  });
  EXPECT_EQ(status.error, Error::kReuseHazard) << status.message;
}

TEST(SimtBlockScan, SharedStorageIsScribbledOn) {
  union Overlap {
    Scan::TempStorage scan;
    std::int64_t number;
  };
  Executor executor;
  bool survived = true;
  const Status status = executor.launch<Overlap>(kBlock, [&survived](Overlap& shared) {
    if (threadIdx.x == 0) shared.number = 7;
    std::int64_t out = 0;
    Scan(shared.scan).ExclusiveSum(1, out);
    survived = survived && shared.number == 7;
  });
  EXPECT_TRUE(status.ok()) << status.message;
  EXPECT_FALSE(survived);
}

TEST(SimtBlockScan, LanesMissingFromAScanAreReported) {
  Executor executor;
  const Status left = executor.launch<Shared>(kBlock, [](Shared& shared) {
    if (threadIdx.x == 95) return;
    std::int64_t out = 0;
    Scan(shared.scan).ExclusiveSum(1, out);
  });
  EXPECT_EQ(left.error, Error::kCollectiveLeft) << left.message;
  const Status diverged = executor.launch<Shared>(kBlock, [](Shared& shared) {
    std::int64_t out = 0;
    if (threadIdx.x % 2 == 0) {
      Scan(shared.scan).ExclusiveSum(1, out);
    } else {
      __syncthreads();
    }
  });
  EXPECT_EQ(diverged.error, Error::kBarrierDivergence) << diverged.message;
  const Status shape = executor.launch<Shared>({.block = {32, 3, 1}}, [](Shared& shared) {
    std::int64_t out = 0;
    Scan(shared.scan).ExclusiveSum(1, out);
  });
  EXPECT_EQ(shape.error, Error::kMismatchedCollective) << shape.message;
}

}  // namespace
}  // namespace bytegate::simt
