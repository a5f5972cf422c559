// Cases that take all the memory that they can get.
#include <gmock/gmock.h>

#include <chrono>

#include "kernels/process_backend.h"
#include "kernels/process_test_fixture.h"
#include "kernels/worker_limits.h"

namespace bytegate {
namespace {

class ProcessMemoryTest : public ProcessTest {
 protected:
  ProcessMemoryTest() {
    backend_ = make_process_backend(
                   [] {
                     return MadeBackend{make_host_backend({}), ""};
                   },
                   {.limit = std::chrono::seconds(20), .memory_bytes = uint64_t{64} << 20})
                   .backend;
  }
};

TEST_F(ProcessMemoryTest, ACaseThatTakesMemoryForEverIsNamed) {
  expect_named(kEat, RunStatus::kExhausted, "bytes, more than the limit of 671");
}

TEST_F(ProcessMemoryTest, WhatACaseNeedsItselfIsNotHeldAgainstIt) {
  // 96 MB of tensors.
  const Case large = make_process_case(4000, 3000);
  expect_copied(large, run_one(large));
}

TEST(WorkerLimits, AProcessThatIsGoneHoldsNothing) {
  EXPECT_GT(resident_bytes(getpid()), 0u);
  EXPECT_EQ(resident_bytes(-1), 0u);
}

TEST(WorkerLimits, AWorkerMayHoldSomethingByDefault) {
  EXPECT_GE(default_worker_memory_bytes(), uint64_t{64} << 20);
}

}  // namespace
}  // namespace bytegate
