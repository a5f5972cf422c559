#include "kernels/cuda_test_op.h"

#include <cstdlib>
#include <random>
#include <string_view>

#include "kernels/process_backend.h"

namespace bytegate {
namespace {

using Index = CudaTestIndex;

void oracle(const Case& c, Outputs& outputs) {
  const Elements& values = c.tensors[Index::kValues].elements;
  const Elements& offsets = c.tensors[Index::kOffsets].elements;
  for (int64_t i = 0; i < outputs[Index::kTable].size(); ++i) {
    const int64_t row = i / kTestColumns;
    const uint32_t sum = static_cast<uint32_t>(values.at(row)) +
                         static_cast<uint32_t>(offsets.at(row)) +
                         static_cast<uint32_t>(i % kTestColumns);
    outputs[Index::kTable].set(i, static_cast<int32_t>(sum));
  }
}

Op make_op() {
  Op op;
  op.name = "cuda_test";
  op.summary = "sums, for the tests of the cuda backend";
  op.scalars = {{.name = "behaviour", .min = 0, .max = kMaxTestBehaviour},
                {.name = "stray_idx", .min = 0, .max = INT64_MAX},
                {.name = "workspace_bytes", .min = 0, .max = INT64_MAX}};
  op.dims = {{.name = "N"}};
  const Extent rows = {.dim = 0};
  const Extent columns = {.dim = -1, .compute = [](const Case&) { return kTestColumns; }};
  op.tensors = {
      {.name = "values", .role = Role::kInput, .shape = {rows}, .strided = {true}},
      {.name = "offsets", .role = Role::kInput, .dtypes = {DType::kInt64}, .shape = {rows}},
      {.name = "table", .role = Role::kOutput, .shape = {rows, columns}, .strided = {true, false}}};
  op.oracle = oracle;
  return op;
}

const Op& cuda_test_op() {
  static const Op op = make_op();
  return op;
}

void randomise(Elements& elements, std::mt19937_64& random) {
  for (int64_t i = 0; i < elements.size(); ++i) {
    const uint64_t draw = random();
    elements.set(i, elements.dtype() == DType::kInt32 ? static_cast<int32_t>(draw)
                                                      : static_cast<int64_t>(draw));
  }
}

}  // namespace

Case make_cuda_test_case(int64_t num_rows, uint64_t seed, TestBehaviour behaviour) {
  Case c = make_case(cuda_test_op());
  c.dims = {num_rows};
  c.scalars[Index::kBehaviour] = static_cast<int64_t>(behaviour);
  fit_tensors(c);
  std::mt19937_64 random(seed);
  for (const size_t input : {Index::kValues, Index::kOffsets}) {
    randomise(c.tensors[input].elements, random);
  }
  return c;
}

std::vector<Case> make_cuda_test_cases(size_t count, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Case> cases;
  for (size_t i = 0; i < count; ++i) {
    Case c = make_cuda_test_case(static_cast<int64_t>(random() % 300), random());
    c.tensors[Index::kValues].strides[0] = static_cast<int64_t>(1 + random() % 3);
    c.tensors[Index::kTable].strides[0] = kTestColumns + static_cast<int64_t>(random() % 3);
    if (random() % 2 == 0) c.scalars[Index::kWorkspaceBytes] = 4 * c.dims[0];
    cases.push_back(std::move(c));
  }
  return cases;
}

void add_cuda_test_step(Case& c, uint64_t seed) {
  std::mt19937_64 random(seed);
  Step step;
  for (const size_t input : {Index::kValues, Index::kOffsets}) {
    Step::Change change = {.tensor = static_cast<int>(input),
                           .elements = c.tensors[input].elements};
    randomise(change.elements, random);
    step.changes.push_back(std::move(change));
  }
  c.later_steps.push_back(std::move(step));
}

void expect_right(const Case& c, const RunResult& result) {
  ASSERT_EQ(result.status, RunStatus::kDone) << result.message;
  EXPECT_EQ(result.path, kTestPath);
  const std::vector<size_t> steps = launched_steps(c);
  ASSERT_EQ(result.steps.size(), steps.size());
  for (size_t launch = 0; launch < steps.size(); ++launch) {
    const StepResult& ran = result.steps[launch];
    const Outputs expect = expected_outputs(at_step(c, steps[launch]));
    EXPECT_EQ(expect[Index::kTable], ran.outputs[Index::kTable]) << "launch " << launch;
    EXPECT_TRUE(ran.untouched[Index::kTable].empty()) << "launch " << launch;
    EXPECT_FALSE(ran.damage.has_value()) << "launch " << launch;
  }
}

void expect_all_right(std::span<const Case> cases, std::span<const RunResult> results,
                      size_t except) {
  ASSERT_EQ(cases.size(), results.size());
  for (size_t i = 0; i < cases.size(); ++i) {
    if (i == except) continue;
    SCOPED_TRACE("case " + std::to_string(i));
    expect_right(cases[i], results[i]);
    if (testing::Test::HasFailure()) return;
  }
}

void CudaTest::SetUp() {
  Candidate::Result opened = Candidate::open(cuda_test_candidate());
  ASSERT_NE(opened.candidate, nullptr) << opened.error;
  candidate_ = std::move(opened.candidate);
  CudaBackendResult made = make_cuda_backend({});
  backend_ = std::move(made.backend);
  if (backend_ != nullptr) return;
  const char* required = std::getenv("BYTEGATE_REQUIRE_GPU");
  ASSERT_FALSE(required != nullptr && std::string_view(required) == "1")
      << "BYTEGATE_REQUIRE_GPU=1, but there is no cuda backend: " << made.absent_reason;
  GTEST_SKIP() << "no cuda backend: " << made.absent_reason;
}

void CudaTest::open_backend(const CudaLimits& limits, std::chrono::milliseconds case_limit) {
  backend_.reset();
  MadeBackend made =
      make_process_backend([limits] { return make_in_process_cuda_backend(limits); }, case_limit);
  ASSERT_NE(made.backend, nullptr) << made.absent_reason;
  backend_ = std::move(made.backend);
}

}  // namespace bytegate
