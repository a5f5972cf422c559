#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/resource.h>

#include "kernels/backend.h"
#include "kernels/call_reader.h"
#include "kernels/host_memory.h"
#include "kernels/testing/candidates.h"
#include "kernels/testing/layout_op.h"

namespace bytegate {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using Index = LayoutIndex;

constexpr int64_t kRowStride = int64_t{1} << 31;

// Both matrices [3, 2] with rows 8 GiB apart.
Case far_case() {
  Case c = make_layout_case(3, 2);
  c.tensors[Index::kIn].strides = {kRowStride, 1};
  c.tensors[Index::kOut].strides = {kRowStride, 1};
  return c;
}

int64_t peak_resident_mib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss / 1024;
}

// Copies the written columns of in to out, then writes one int32 at `kStray` elements from the
// start of `kStrayTensor`.
constexpr int64_t kNoStray = INT64_MIN;
template <int kStrayTensor, int64_t kStray>
int32_t copy(void*, bytegate_call* call) {
  CallReader reader(*call);
  const int32_t* in = static_cast<const int32_t*>(reader.tensor("in", 2, 32)->data);
  int32_t* out = static_cast<int32_t*>(reader.tensor("out", 2, 32)->data);
  int64_t* wide = static_cast<int64_t*>(reader.tensor("wide", 1, 64)->data);
  const int64_t columns = 2 - reader.scalar("kept");
  for (int64_t row = 0; row < 3; ++row) {
    wide[row] = row;
    for (int64_t col = 0; col < columns; ++col) {
      out[row * kRowStride + col] = in[row * kRowStride + col];
    }
  }
  if constexpr (kStray != kNoStray) {
    static_cast<int32_t*>(call->tensors[kStrayTensor].tensor->data)[kStray] = 0x5a5a5a5a;
  }
  return BYTEGATE_OK;
}

RunResult run_one(int32_t (*run)(void*, bytegate_call*), const Case& c) {
  const bytegate_candidate table = host_table("test", run);
  const auto candidate = open_candidate(table);
  const auto backend = make_host_backend({});
  return backend->submit(*candidate, {&c, 1})->collect().front();
}

TEST(HostSparse, ARowStrideOfTwoToThe31CostsOnePageARow) {
  const SparseImage image(far_case().tensors[Index::kOut], host_page_bytes(), 1);
  EXPECT_THAT(image.pages(), SizeIs(3));
  EXPECT_GT(image.region_bytes(), size_t{16} << 30);
}

TEST(HostSparse, FarRowsGoInAndOutInLittleMemory) {
  const int64_t before = peak_resident_mib();
  const RunResult result = run_one(copy<0, kNoStray>, far_case());
  ASSERT_EQ(result.status, RunStatus::kDone) << result.message;
  EXPECT_THAT(result.steps[0].outputs[Index::kOut].int32(), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(result.steps[0].untouched[Index::kOut].indices(), IsEmpty());
  EXPECT_FALSE(result.steps[0].damage.has_value());
  EXPECT_LT(peak_resident_mib() - before, 64);
}

template <int kTensor, int64_t kStray>
void expect_damage(Damage::Kind kind, int64_t byte_offset, int64_t kept = 0) {
  const RunResult result = run_one(copy<kTensor, kStray>, keeping_columns(far_case(), kept));
  ASSERT_EQ(result.status, RunStatus::kDone) << result.message;
  ASSERT_TRUE(result.steps[0].damage.has_value()) << kStray;
  EXPECT_EQ(result.steps[0].damage->kind, kind) << kStray;
  EXPECT_EQ(result.steps[0].damage->tensor, kTensor) << kStray;
  EXPECT_EQ(result.steps[0].damage->byte_offset, byte_offset) << kStray;
}

TEST(HostSparse, AStrayWriteNextToAnElementIsLocated) {
  expect_damage<Index::kOut, 2>(Damage::Kind::kGap, 8);
  expect_damage<Index::kOut, kRowStride + 2>(Damage::Kind::kGap, 4 * (kRowStride + 2));
  expect_damage<Index::kOut, 2 * kRowStride + 2>(Damage::Kind::kGuard, 4 * (2 * kRowStride + 2));
}

TEST(HostSparse, AStrayWriteFarFromEveryElementIsFoundInItsPage) {
  // 2 GiB after the first row: a row stride taken for bytes.
  expect_damage<Index::kOut, kRowStride / 4>(Damage::Kind::kGap, kRowStride);
  expect_damage<Index::kOut, -1>(Damage::Kind::kGuard, -4096);
}

TEST(HostSparse, OnlyTheColumnsThatAreWrittenAreTaken) {
  const RunResult result = run_one(copy<0, kNoStray>, keeping_columns(far_case(), 1));
  ASSERT_EQ(result.status, RunStatus::kDone) << result.message;
  EXPECT_THAT(result.steps[0].outputs[Index::kOut].int32(), ElementsAre(1, 3, 5));
  EXPECT_THAT(result.steps[0].untouched[Index::kOut].indices(), IsEmpty());
  EXPECT_FALSE(result.steps[0].damage.has_value());
}

TEST(HostSparse, AColumnBeyondThoseWrittenIsKeptLikeAGap) {
  expect_damage<Index::kOut, 1>(Damage::Kind::kGap, 4, 1);
  expect_damage<Index::kOut, 2 * kRowStride + 1>(Damage::Kind::kGap, 4 * (2 * kRowStride + 1), 1);
  // Without a written column all of the tensor is kept, its first element too.
  expect_damage<Index::kOut, 0>(Damage::Kind::kGap, 0, 2);
}

TEST(HostSparse, AChangedInputIsLocated) {
  expect_damage<Index::kIn, kRowStride>(Damage::Kind::kInput, 4 * kRowStride);
}

TEST(HostSparse, ElementsThatNobodyWroteAreListed) {
  const auto nothing = [](void*, bytegate_call*) -> int32_t { return BYTEGATE_OK; };
  const RunResult result = run_one(nothing, far_case());
  EXPECT_THAT(result.steps[0].untouched[Index::kOut].indices(), ElementsAre(0, 1, 2, 3, 4, 5));
}

}  // namespace
}  // namespace bytegate
