// Cases that take all the memory that they can get.
#include <gmock/gmock.h>

#include <chrono>
#include <fstream>
#include <sstream>
#include <string>

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
  // Much more than the limit, with all copies.
  const Case large = make_process_case(2000, 1500);
  expect_copied(large, run_one(large));
}

// Of the memory that this process shares with workers: what is mapped, and what is there, in MiB.
struct SharedMib {
  int64_t mapped = 0;
  int64_t held = 0;
};

SharedMib shared_with_workers() {
  std::ifstream smaps("/proc/self/smaps");
  int64_t mapped_kib = 0;
  int64_t held_kib = 0;
  bool ours = false;
  for (std::string line; std::getline(smaps, line);) {
    std::istringstream words(line);
    std::string name;
    int64_t kib = 0;
    words >> name >> kib;
    if (name.find('-') != std::string::npos)
      ours = line.find("memfd:bytegate ") != std::string::npos;
    if (ours && name == "Size:") mapped_kib += kib;
    if (ours && name == "Rss:") held_kib += kib;
  }
  return {.mapped = mapped_kib >> 10, .held = held_kib >> 10};
}

TEST_F(ProcessMemoryTest, AfterALargeCaseMostOfTheSharedMemoryIsGivenBack) {
  const Case large = make_process_case(4000, 4000);
  expect_copied(large, run_one(large));
  const SharedMib shared = shared_with_workers();
  EXPECT_GT(shared.mapped, 60);
  EXPECT_LT(shared.held, 20);
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
