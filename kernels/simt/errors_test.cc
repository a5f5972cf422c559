#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/simt/cuda_names.h"
#include "kernels/simt/executor.h"

namespace bytegate::simt {
namespace {

constexpr unsigned kAll = 0xffffffffu;

// Runs `body` in natural order and under some seeds; the error must be `expect` each time. Returns
// the message of the natural order.
template <typename Body>
std::string expect_error(Error expect, Dim3 block, Body body) {
  std::string first;
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    Executor executor(ExecutorOptions{.seed = seed});
    const Status status =
        executor.launch({.name = "faulty", .grid = {2, 1, 1}, .block = block}, body);
    EXPECT_EQ(status.error, expect) << error_name(status.error) << ": " << status.message;
    EXPECT_EQ(status.message.rfind(std::string(error_name(expect)) + " in kernel faulty", 0), 0u)
        << status.message;
    if (seed == 0) first = status.message;
  }
  return first;
}

bool mentions(const std::string& message, const std::string& what) {
  return message.find(what) != std::string::npos;
}

TEST(SimtErrors, BarrierDivergenceIsNamedWithBothBarriers) {
  int count = 0;
  const std::string message = expect_error(Error::kBarrierDivergence, {64, 1, 1}, [&count] {
    if (threadIdx.x < 32) {
      __syncthreads();
    } else {
      count += __syncthreads_count(1);
    }
  });
  EXPECT_TRUE(mentions(message, "block (0,0,0)")) << message;
  EXPECT_TRUE(mentions(message, "lanes 0-31 wait at __syncthreads (")) << message;
  EXPECT_TRUE(mentions(message, "lanes 32 wait at __syncthreads_count (")) << message;
}

TEST(SimtErrors, BarrierDivergenceBetweenTwoLinesNamesBoth) {
  int line = 0;
  const std::string message = expect_error(Error::kBarrierDivergence, {64, 1, 1}, [&line] {
    if (threadIdx.x < 40) {
      line = __LINE__ + 1;
      __syncthreads();
    } else {
      __syncthreads();
    }
  });
  EXPECT_TRUE(mentions(message, "errors_test.cc:" + std::to_string(line) + ")")) << message;
  EXPECT_TRUE(mentions(message, "errors_test.cc:" + std::to_string(line + 2) + ")")) << message;
}

TEST(SimtErrors, BarrierDivergenceAgainstAWarpCollectiveIsNamed) {
  const std::string message = expect_error(Error::kBarrierDivergence, {64, 1, 1}, [] {
    if (threadIdx.x == 3) {
      __syncthreads();
    } else {
      __syncwarp();
    }
  });
  EXPECT_TRUE(mentions(message, "lanes 0-2,4-31 wait at __syncwarp with mask 0xffffffff"))
      << message;
  EXPECT_TRUE(mentions(message, "lanes 3 wait at __syncthreads")) << message;
}

TEST(SimtErrors, AnExitedLaneDoesNotHoldUpABarrier) {
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    Executor executor(ExecutorOptions{.seed = seed});
    int count = 0;
    const Status status = executor.launch({.block = {70, 1, 1}}, [&count] {
      if (threadIdx.x % 3 == 0) return;
      __syncthreads();
      if (threadIdx.x > 60) return;
      count = __syncthreads_count(1);
    });
    ASSERT_TRUE(status.ok()) << status.message;
    EXPECT_EQ(count, 40);  // of lanes 0 to 60 those that 3 does not divide
  }
}

TEST(SimtErrors, BarrierVotesSeeEveryLane) {
  Executor executor;
  const Status status = executor.launch({.block = {70, 1, 1}}, [] {
    EXPECT_EQ(__syncthreads_count(threadIdx.x < 5), 5);
    EXPECT_EQ(__syncthreads_and(threadIdx.x < 69), 0);
    EXPECT_EQ(__syncthreads_and(threadIdx.x < 70), 1);
    EXPECT_EQ(__syncthreads_or(threadIdx.x == 69), 1);
    EXPECT_EQ(__syncthreads_or(threadIdx.x == 70), 0);
  });
  EXPECT_TRUE(status.ok()) << status.message;
}

TEST(SimtErrors, ALaneThatLeavesAPendingCollectiveIsNamed) {
  const std::string message = expect_error(Error::kCollectiveLeft, {32, 1, 1}, [] {
    if (threadIdx.x == 31) return;
    __syncwarp();
  });
  EXPECT_TRUE(mentions(message, "lane 31 exited")) << message;
  EXPECT_TRUE(mentions(message, "lanes 0-30 wait at __syncwarp")) << message;
}

TEST(SimtErrors, AMaskMustHoldItsOwnLane) {
  const std::string message = expect_error(Error::kBadMask, {32, 1, 1}, [] {
    if (threadIdx.x == 7) __syncwarp(0xff7fu);
  });
  EXPECT_TRUE(mentions(message, "lane 7 is not in its own mask")) << message;
}

TEST(SimtErrors, AMaskMustNotNameLanesThatDoNotExist) {
  const std::string message =
      expect_error(Error::kBadMask, {40, 1, 1}, [] { (void)__ballot_sync(kAll, 1); });
  EXPECT_TRUE(mentions(message, "names lanes its warp does not have")) << message;
}

TEST(SimtErrors, MasksOfLanesThatMeetMustAgree) {
  const std::string message = expect_error(Error::kBadMask, {32, 1, 1}, [] {
    (void)__shfl_sync(threadIdx.x < 16 ? kAll : 0xffff8001u | (1u << threadIdx.x), 1, 0);
  });
  EXPECT_TRUE(mentions(message, "with mask 0xffffffff")) << message;
}

TEST(SimtErrors, LanesOfAMaskMustBeAtOneOperation) {
  const std::string same_mask = expect_error(Error::kMismatchedCollective, {32, 1, 1}, [] {
    if (threadIdx.x < 9) {
      (void)__shfl_up_sync(kAll, 1, 1);
    } else {
      (void)__shfl_down_sync(kAll, 1, 1);
    }
  });
  EXPECT_TRUE(mentions(same_mask, "__shfl_up_sync")) << same_mask;
  EXPECT_TRUE(mentions(same_mask, "__shfl_down_sync")) << same_mask;
  expect_error(Error::kMismatchedCollective, {32, 1, 1}, [] {
    if (threadIdx.x < 9) {
      (void)__any_sync(kAll, 1);
    } else {
      (void)__all_sync(0xffffff00u | 1u << threadIdx.x, 1);
    }
  });
}

TEST(SimtErrors, AShuffleWidthMustBeAPowerOfTwo) {
  expect_error(Error::kBadMask, {32, 1, 1}, [] { (void)__shfl_sync(kAll, 1, 0, 24); });
}

TEST(SimtErrors, SpinningForWhatNobodyWritesIsADeadlock) {
  Executor executor(ExecutorOptions{.max_idle_switches = 10000});
  unsigned flag = 0;
  const Status status = executor.launch({.grid = {4, 1, 1}, .block = {32, 1, 1}}, [&flag] {
    while (atomicAdd(&flag, 0u) == 0) {
    }
  });
  EXPECT_EQ(status.error, Error::kDeadlock) << status.message;
  EXPECT_TRUE(mentions(status.message, "0 blocks have not started")) << status.message;
}

TEST(SimtErrors, SpinningBeyondTheResidentLimitIsADeadlock) {
  Executor executor(ExecutorOptions{.max_idle_switches = 10000, .max_resident_lanes = 64});
  unsigned flag = 0;
  const Status status = executor.launch({.grid = {4, 1, 1}, .block = {32, 1, 1}}, [&flag] {
    if (blockIdx.x == 3) atomicExch(&flag, 1u);
    while (load_acquire(&flag) == 0) {
    }
  });
  EXPECT_EQ(status.error, Error::kDeadlock) << status.message;
  EXPECT_TRUE(mentions(status.message, "2 blocks have not started")) << status.message;
}

TEST(SimtErrors, AnEndlessKernelHangs) {
  Executor executor(ExecutorOptions{.max_switches = 100000});
  const Status status = executor.launch({.block = {64, 1, 1}}, [] {
    while (true) __syncthreads();
  });
  EXPECT_EQ(status.error, Error::kHang) << status.message;
}

#if !defined(BYTEGATE_SIMT_ASAN)
TEST(SimtErrors, WritingPastSharedMemoryIsAnOverrun) {
  struct Cells {
    int cells[5];
  };
  Executor executor;
  const LaunchConfig config{.name = "overrun", .grid = {3, 1, 1}, .dynamic_shared_bytes = 12};
  for (const int at : {-1, 5}) {
    const Status status = executor.launch<Cells>(config, [at](Cells& shared) {
      volatile int* cells = shared.cells;
      if (blockIdx.x == 1) cells[at] = 1;
    });
    EXPECT_EQ(status.error, Error::kSharedOverrun) << status.message;
    EXPECT_TRUE(mentions(status.message, "block (1,0,0)")) << status.message;
  }
  const Status status = executor.launch<Cells>(config, [](Cells&) {
    volatile int* cells = dynamic_shared<int>();
    cells[3] = 1;
  });
  EXPECT_EQ(status.error, Error::kSharedOverrun) << status.message;
}

// A value that is not used changes no byte: only the page behind the part can tell.
TEST(SimtErrorsDeathTest, LoadingBehindSharedMemoryIsAFault) {
  struct Cells {
    int cells[64];
  };
  const auto load = [](std::size_t dynamic_bytes, bool from_dynamic) {
    Executor executor;
    const LaunchConfig config{.name = "load", .dynamic_shared_bytes = dynamic_bytes};
    return executor.launch<Cells>(config, [from_dynamic](Cells& shared) {
      const volatile int* cells = from_dynamic ? dynamic_shared<int>() : shared.cells;
      static_cast<void>(cells[64]);
    });
  };
  EXPECT_DEATH(load(0, false), "");
  EXPECT_DEATH(load(256, true), "");
  EXPECT_TRUE(load(260, true).ok());
}

// Recurses until `bytes` of stack are in use, writing all of it.
int dig(const volatile unsigned char* top, std::ptrdiff_t bytes, bool wait) {
  volatile unsigned char frame[128];
  for (volatile unsigned char& byte : frame) byte = 1;
  int sum = frame[5];
  if (top - frame < bytes) sum += dig(top, bytes, wait);
  if (wait && top - frame >= bytes) __threadfence();
  return sum + frame[7];
}

TEST(SimtErrors, ALaneThatRunsOverItsStackIsNamed) {
  Executor executor(ExecutorOptions{.stack_bytes = 16 * kKibibyte});
  for (const bool wait : {false, true}) {
    const Status status = executor.launch({.name = "deep", .block = {8, 1, 1}}, [wait] {
      volatile unsigned char top = 0;
      if (threadIdx.x == 5) dig(&top, 16 * 1024 + 1500, wait);
      __syncthreads();
    });
    EXPECT_EQ(status.error, Error::kStackOverflow) << status.message;
    EXPECT_TRUE(mentions(status.message, "lane 5 ")) << status.message;
    const Status after = executor.launch({.block = {64, 1, 1}}, [] { __syncthreads(); });
    EXPECT_TRUE(after.ok()) << after.message;
  }
}

TEST(SimtErrors, ALaneThatWaitsAtTheEndOfItsStackIsUnwound) {
  Executor executor(ExecutorOptions{.stack_bytes = 16 * kKibibyte});
  const Status status = executor.launch({.name = "deep", .block = {8, 1, 1}}, [] {
    volatile unsigned char top = 0;
    dig(&top, 16 * 1024 - 1500, true);
  });
  EXPECT_EQ(status.error, Error::kStackOverflow) << status.message;
}
#endif

TEST(SimtErrors, UnknownExceptionsAreNamedToo) {
  expect_error(Error::kException, {1, 1, 1}, [] { throw 5; });
}

TEST(SimtErrors, EveryErrorHasAName) {
  for (int i = 0; i <= static_cast<int>(Error::kException); ++i) {
    EXPECT_STRNE(error_name(static_cast<Error>(i)), "?");
  }
}

}  // namespace
}  // namespace bytegate::simt
