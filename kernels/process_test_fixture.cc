#include "kernels/process_test_fixture.h"

#include <gmock/gmock.h>

#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <string>
#include <utility>

#include "kernels/call_reader.h"
#include "kernels/simt/executor.h"

namespace bytegate {
namespace {

using Index = LayoutIndex;

void eat_memory() {
  constexpr size_t kBite = size_t{4} << 20;
  for (size_t eaten = 0; eaten < (size_t{1} << 30); eaten += kBite) {
    void* bite = mmap(nullptr, kBite, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (bite != MAP_FAILED) std::memset(bite, 1, kBite);
  }
  for (;;) pause();
}

void flood() {
  const std::string line(1 << 10, 'f');
  for (int i = 0; i < 4096; ++i) {
    std::puts(line.c_str());
    std::cerr << line << "\n";
  }
}

// Volatile, or the compiler would see that it has no end, and leave out the frames.
int recurse(int depth) {
  const volatile bool forever = true;
  volatile int kept = depth;
  return forever ? recurse(depth + 1) + kept : 0;
}

void close_all() {
  for (int file = 0; file < 1024; ++file) close(file);
  for (;;) pause();
}

// Volatile, or the compiler would see it coming.
void write_to(uintptr_t address) {
  const volatile uintptr_t place = address;
  *reinterpret_cast<volatile int32_t*>(place) = 1;
}

void misbehave(int32_t behaviour) {
  switch (behaviour) {
    case kCrash:
      return write_to(64);
    case kAbort:
      std::abort();
    case kExit:
      std::exit(3);
    case kLoop:
      for (volatile bool forever = true; forever;) continue;
      break;
    case kPrint:
      std::puts("hello");
      break;
    case kPrintToStderr:
      std::cerr << "oops";
      break;
    case kFlood:
      return flood();
    case kEat:
      return eat_memory();
    case kRecurse:
      recurse(0);
      break;
    case kKillItself:
      std::raise(SIGKILL);
      break;
    case kAssert:
      std::fputs("assertion failed: b > a\n", stderr);
      std::abort();
    case kCloseAll:
      return close_all();
    default:
      break;
  }
}

void touch(int32_t behaviour, const int32_t* halves) {
  uint64_t address = 0;
  std::memcpy(&address, halves, sizeof address);
  if (behaviour == kWriteAt) write_to(address);
  if (behaviour == kReadAt) {
    const volatile uintptr_t place = address;
    static_cast<void>(*reinterpret_cast<volatile int32_t*>(place));
  }
  if (behaviour == kWriteAtInKernel) {
    simt::Executor executor;
    const simt::LaunchConfig config = {.name = "touching", .block = {.x = 2}};
    static_cast<void>(executor.launch(config, [&] { write_to(address); }));
  }
}

int32_t run(void*, bytegate_call* call) {
  CallReader reader(*call);
  const DLTensor& in = *reader.tensor("in", 2, 32);
  const DLTensor& out = *reader.tensor("out", 2, 32);
  const DLTensor& wide = *reader.tensor("wide", 1, 64);
  const int64_t num_elements = in.shape[0] * in.shape[1];
  for (int64_t i = 0; i < num_elements; ++i) {
    static_cast<int32_t*>(out.data)[i] = static_cast<const int32_t*>(in.data)[i];
  }
  for (int64_t row = 0; row < wide.shape[0]; ++row) {
    static_cast<int64_t*>(wide.data)[row] = getpid();
  }
  reader.set_path("copied");
  if (num_elements == 0) return BYTEGATE_OK;
  const int32_t behaviour = *static_cast<const int32_t*>(in.data);
  misbehave(behaviour);
  if (num_elements >= 3) touch(behaviour, static_cast<const int32_t*>(in.data) + 1);
  if (behaviour == kRefuse) return reader.report(BYTEGATE_INVALID_ARGUMENT, "as asked");
  if (behaviour == kPastEnd) static_cast<int32_t*>(out.data)[num_elements] = 7;
  return BYTEGATE_OK;
}

}  // namespace

const bytegate_candidate& process_test_candidate() {
  static const bytegate_candidate table = host_table("process", run);
  return table;
}

Case make_process_case(int64_t rows, int64_t cols, int32_t behaviour) {
  Case c = make_layout_case(rows, cols);
  if (rows * cols > 0) c.tensors[Index::kIn].elements.set(0, behaviour);
  return c;
}

Case make_touching_case(int32_t behaviour, const volatile void* address) {
  Case c = make_process_case(1, 3, behaviour);
  const auto whole = static_cast<uint64_t>(reinterpret_cast<uintptr_t>(address));
  std::array<int32_t, 2> halves{};
  std::memcpy(halves.data(), &whole, sizeof whole);
  for (int i = 0; i < 2; ++i)
    c.tensors[Index::kIn].elements.set(1 + i, halves[static_cast<size_t>(i)]);
  return c;
}

std::vector<Case> make_process_cases(size_t count) {
  std::vector<Case> cases;
  for (size_t i = 0; i < count; ++i) {
    cases.push_back(make_process_case(static_cast<int64_t>(i % 7), static_cast<int64_t>(i % 5)));
  }
  return cases;
}

void expect_copied(const Case& c, const RunResult& result) {
  ASSERT_EQ(result.status, RunStatus::kDone) << result.message;
  EXPECT_EQ(result.path, "copied");
  ASSERT_EQ(result.steps.size(), 1 + c.later_steps.size());
  for (size_t step = 0; step < result.steps.size(); ++step) {
    EXPECT_EQ(at_step(c, step).tensors[Index::kIn].elements,
              result.steps[step].outputs[Index::kOut]);
    EXPECT_FALSE(result.steps[step].damage.has_value());
  }
}

void expect_all_copied(std::span<const Case> cases, std::span<const RunResult> results,
                       size_t except) {
  ASSERT_EQ(cases.size(), results.size());
  for (size_t i = 0; i < cases.size(); ++i) {
    SCOPED_TRACE("case " + std::to_string(i));
    if (i != except) expect_copied(cases[i], results[i]);
    if (testing::Test::HasFailure()) return;
  }
}

int64_t worker_of(const RunResult& result) {
  return result.steps[0].outputs[Index::kWide].at(0);
}

ProcessTest::ProcessTest() {
  MadeBackend made = make_isolated_host_backend({.case_limit = std::chrono::seconds(1)});
  backend_ = std::move(made.backend);
  EXPECT_NE(backend_, nullptr) << made.absent_reason;
}

void ProcessTest::expect_named(ProcessBehaviour behaviour, RunStatus status,
                               const std::string& message) {
  std::vector<Case> cases = make_process_cases(512);
  const Case culprit = make_process_case(2, 2, behaviour);
  cases[300] = culprit;
  const std::vector<RunResult> results = run_all(cases);
  expect_all_copied(cases, results, 300);
  for (const RunResult& result : {results[300], run_one(culprit)}) {
    EXPECT_EQ(result.status, status);
    EXPECT_THAT(result.message, testing::HasSubstr(message));
    EXPECT_THAT(result.steps, testing::IsEmpty());
  }
  const std::vector<Case> next = make_process_cases(100);
  expect_all_copied(next, run_all(next));
}

}  // namespace bytegate
