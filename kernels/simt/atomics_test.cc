#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "kernels/simt/cuda_names.h"
#include "kernels/simt/executor.h"

namespace bytegate::simt {
namespace {

TEST(SimtAtomics, EachReturnsTheOldValueAndLeavesTheNew) {
  Executor executor;
  const Status status = executor.launch({}, [] {
    int i = 5;
    unsigned u = 5;
    unsigned long long ull = 5;
    long long ll = -5;
    float f = 0.5f;
    EXPECT_EQ(atomicAdd(&i, -7), 5);
    EXPECT_EQ(i, -2);
    EXPECT_EQ(atomicSub(&u, 7u), 5u);
    EXPECT_EQ(u, ~0u - 1);
    EXPECT_EQ(atomicAdd(&ull, 1ull << 40), 5u);
    EXPECT_EQ(ull, (1ull << 40) + 5);
    EXPECT_EQ(atomicMin(&ll, -9), -5);
    EXPECT_EQ(atomicMax(&ll, 3), -9);
    EXPECT_EQ(ll, 3);
    EXPECT_EQ(atomicAnd(&u, 0xFFu), ~0u - 1);
    EXPECT_EQ(atomicOr(&u, 0x100u), 0xFEu);
    EXPECT_EQ(atomicXor(&u, 0x1FFu), 0x1FEu);
    EXPECT_EQ(u, 1u);
    EXPECT_EQ(atomicExch(&f, 2.0f), 0.5f);
    EXPECT_EQ(atomicAdd(&f, 1.0f), 2.0f);
    EXPECT_EQ(atomicCAS(&i, 0, 9), -2);
    EXPECT_EQ(atomicCAS(&i, -2, 9), -2);
    EXPECT_EQ(i, 9);
    EXPECT_EQ(atomicInc(&u, 1), 1u);
    EXPECT_EQ(atomicDec(&u, 4), 0u);
    EXPECT_EQ(u, 4u);
    i = 0x7fffffff;
    EXPECT_EQ(atomicAdd(&i, 1), 0x7fffffff);
    EXPECT_EQ(i, -0x7fffffff - 1);
  });
  EXPECT_TRUE(status.ok()) << status.message;
}

TEST(SimtAtomics, ConcurrentIncrementsAllCount) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    Executor executor(ExecutorOptions{.seed = seed, .concurrent_blocks = 3});
    unsigned count = 0;
    std::vector<int> taken(350, 0);
    const Status status = executor.launch({.grid = {5, 1, 1}, .block = {70, 1, 1}},
                                          [&] { ++taken[atomicAdd(&count, 1u)]; });
    ASSERT_TRUE(status.ok()) << status.message;
    EXPECT_EQ(count, 350u);
    EXPECT_EQ(taken, std::vector<int>(taken.size(), 1));
  }
}

TEST(SimtAtomics, VectorsMoveWhole) {
  Executor executor;
  alignas(16) int cells[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  const Status status = executor.launch({}, [&cells] {
    const int4 high = load_aligned<int4>(cells + 4);
    EXPECT_EQ(high.x * 1000 + high.y * 100 + high.z * 10 + high.w, 5678);
    store_aligned(cells, make_int4(high.w, high.z, high.y, high.x));
    const int2 pair = load_aligned<int2>(cells + 2);
    EXPECT_EQ(pair.x * 10 + pair.y, 65);
    EXPECT_EQ(__ldg(cells), 8);
  });
  EXPECT_TRUE(status.ok()) << status.message;
}

TEST(SimtAtomics, AMisalignedVectorIsNamedWithItsLineAndOffset) {
  Executor executor;
  alignas(16) static constexpr int kCells[8] = {};
  const Status load = executor.launch({.name = "vector", .block = {4, 1, 1}}, [] {
    const int4 value = load_aligned<int4>(kCells + threadIdx.x);
    EXPECT_EQ(value.x, 0);
  });
  EXPECT_EQ(load.error, Error::kMisalignedAccess);
  EXPECT_NE(load.message.find("misaligned access in kernel vector, block (0,0,0): lane 1 at "),
            std::string::npos)
      << load.message;
  EXPECT_NE(load.message.find("atomics_test.cc:"), std::string::npos) << load.message;
  EXPECT_NE(load.message.find("4 bytes off a multiple of 16"), std::string::npos) << load.message;
}

TEST(SimtAtomics, AMisalignedAtomicIsRefusedBeforeItIsDone) {
  Executor executor;
  alignas(8) unsigned char bytes[16] = {};
  const Status status = executor.launch(
      {}, [&bytes] { atomicAdd(reinterpret_cast<unsigned long long*>(bytes + 4), 1ull); });
  EXPECT_EQ(status.error, Error::kMisalignedAccess);
  EXPECT_EQ(bytes[4], 0);
}

}  // namespace
}  // namespace bytegate::simt
