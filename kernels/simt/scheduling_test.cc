#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "kernels/simt/cuda_names.h"
#include "kernels/simt/executor.h"

namespace bytegate::simt {
namespace {

constexpr unsigned kAll = 0xffffffffu;

struct Slots {
  int slots[64];
};

// Each lane passes its number to the next one through shared memory.
template <bool kWithBarrier>
std::vector<int> pass_on(std::uint64_t seed) {
  Executor executor(ExecutorOptions{.seed = seed});
  std::vector<int> received(64);
  const Status status = executor.launch<Slots>({.block = {64, 1, 1}}, [&](Slots& shared) {
    shared.slots[threadIdx.x] = static_cast<int>(threadIdx.x);
    if (kWithBarrier) __syncthreads();
    received[threadIdx.x] = shared.slots[(threadIdx.x + 1) % 64];
  });
  EXPECT_TRUE(status.ok()) << status.message;
  return received;
}

TEST(SimtScheduling, ARaceFreeKernelGivesTheSameBytesUnderEverySeed) {
  std::set<std::vector<int>> outcomes;
  for (std::uint64_t seed = 0; seed < 50; ++seed) outcomes.insert(pass_on<true>(seed));
  EXPECT_EQ(outcomes.size(), 1u);
}

TEST(SimtScheduling, AMissingBarrierShowsUnderSomeSeed) {
  std::set<std::vector<int>> outcomes;
  for (std::uint64_t seed = 0; seed < 10; ++seed) outcomes.insert(pass_on<false>(seed));
  EXPECT_GT(outcomes.size(), 1u);
}

TEST(SimtScheduling, AMissingBarrierBetweenWarpsAfterAShuffleShowsUnderSomeSeed) {
  std::set<int> outcomes;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Executor executor(ExecutorOptions{.seed = seed});
    int received = 0;
    const Status status = executor.launch<Slots>({.block = {64, 1, 1}}, [&](Slots& shared) {
      if (threadIdx.x < 32) {
        const int total = __reduce_add_sync(kAll, 1);
        if (threadIdx.x == 0) shared.slots[0] = total;
      } else {
        __syncwarp();
        __syncwarp();
        if (threadIdx.x == 32) received = shared.slots[0];
      }
    });
    EXPECT_TRUE(status.ok()) << status.message;
    outcomes.insert(received);
  }
  EXPECT_EQ(outcomes, (std::set<int>{32, static_cast<int>(0xA5A5A5A5u)}));
}

TEST(SimtScheduling, ASeedRepeatsExactlyWhateverRanBefore) {
  const auto trace = [](Executor& executor) {
    std::vector<unsigned> order;
    const Status status = executor.launch({.grid = {5, 1, 1}, .block = {40, 1, 1}}, [&order] {
      order.push_back(blockIdx.x * 100 + threadIdx.x);
      __syncthreads();
      order.push_back(blockIdx.x * 100 + threadIdx.x);
    });
    EXPECT_TRUE(status.ok()) << status.message;
    return order;
  };
  Executor once(ExecutorOptions{.seed = 5});
  const std::vector<unsigned> expect = trace(once);
  Executor again;
  const std::vector<unsigned> natural = trace(again);
  EXPECT_NE(natural, expect);
  EXPECT_EQ(natural[0], 0u);
  EXPECT_EQ(natural[39], 39u);
  again.set_seed(5);
  EXPECT_EQ(trace(again), expect);
  again.set_seed(0);
  EXPECT_EQ(trace(again), natural);
}

TEST(SimtScheduling, BlocksComeInAnOrderOfTheSeedAndEachComesOnce) {
  std::set<std::vector<unsigned>> orders;
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    Executor executor(ExecutorOptions{.seed = seed});
    std::vector<unsigned> order;
    const Status status =
        executor.launch({.grid = {60, 1, 1}}, [&order] { order.push_back(blockIdx.x); });
    ASSERT_TRUE(status.ok()) << status.message;
    EXPECT_EQ(std::set<unsigned>(order.begin(), order.end()).size(), 60u);
    orders.insert(order);
  }
  EXPECT_GE(orders.size(), 4u);
}

// The block after the last waits for all before it; block order is arbitrary.
TEST(SimtScheduling, ALookBackChainRunsThroughAnyOrderOfBlocks) {
  constexpr unsigned kBlocks = 200;
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    Executor executor(ExecutorOptions{.seed = seed});
    std::vector<unsigned> prefix(kBlocks + 1, 0);
    prefix[0] = 1;  // one more than the sum, so that zero means not yet
    const Status status =
        executor.launch({.grid = {kBlocks, 1, 1}, .block = {64, 1, 1}}, [&prefix] {
          if (threadIdx.x == 0) {
            unsigned before = 0;
            while ((before = load_acquire(&prefix[blockIdx.x])) == 0) __nanosleep(20);
            store_release(&prefix[blockIdx.x + 1], before + blockIdx.x);
          }
          __syncthreads();
        });
    ASSERT_TRUE(status.ok()) << status.message;
    EXPECT_EQ(prefix[kBlocks], 1 + kBlocks * (kBlocks - 1) / 2);
  }
}

TEST(SimtScheduling, AWarpThatSpinsThroughCollectivesStillLetsOtherBlocksStart) {
  Executor executor;
  volatile int flag = 0;
  const Status status = executor.launch({.grid = {2, 1, 1}, .block = {32, 1, 1}}, [&flag] {
    if (blockIdx.x == 1) {
      flag = 1;
      return;
    }
    while (__any_sync(kAll, flag == 0) != 0) {
    }
  });
  EXPECT_TRUE(status.ok()) << status.message;
}

TEST(SimtScheduling, ASpinLockExcludes) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    Executor executor(ExecutorOptions{.seed = seed});
    int lock = 0;
    int inside = 0;
    int count = 0;
    const Status status = executor.launch({.grid = {3, 1, 1}, .block = {33, 1, 1}}, [&] {
      while (atomicCAS(&lock, 0, 1) != 0) {
      }
      EXPECT_EQ(++inside, 1);
      __threadfence();
      ++count;
      --inside;
      atomicExch(&lock, 0);
    });
    ASSERT_TRUE(status.ok()) << status.message;
    EXPECT_EQ(count, 99);
  }
}

TEST(SimtScheduling, ConcurrentBlocksInterleave) {
  Executor executor(ExecutorOptions{.seed = 3, .concurrent_blocks = 2});
  std::string order;
  const Status status = executor.launch({.grid = {2, 1, 1}, .block = {32, 1, 1}}, [&order] {
    for (int i = 0; i < 4; ++i) {
      if (threadIdx.x == 0) order += blockIdx.x == 0 ? 'a' : 'b';
      __syncthreads();
    }
  });
  ASSERT_TRUE(status.ok()) << status.message;
  EXPECT_EQ(executor.stats().max_resident_blocks, 2u);
  EXPECT_NE(order, "aaaabbbb");
  EXPECT_NE(order, "bbbbaaaa");
}

}  // namespace
}  // namespace bytegate::simt
