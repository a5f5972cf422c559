#include "kernels/process_test_fixture.h"

#include <unistd.h>

#include <cstdlib>
#include <string>
#include <utility>

#include "kernels/call_reader.h"

namespace bytegate {
namespace {

using Index = LayoutIndex;

void misbehave(int32_t behaviour) {
  switch (behaviour) {
    case kCrash: {
      // Volatile, or the compiler would see it coming.
      volatile uintptr_t nowhere = 64;
      *reinterpret_cast<volatile int32_t*>(nowhere) = 1;
      break;
    }
    case kAbort:
      std::abort();
    case kExit:
      std::exit(3);
    case kLoop:
      for (volatile bool forever = true; forever;) continue;
      break;
    default:
      break;
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

}  // namespace bytegate
