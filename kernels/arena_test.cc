#include "kernels/arena.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <utility>

#include "kernels/testing/layout_op.h"

namespace bytegate {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Index = LayoutIndex;

constexpr size_t kWorkspaceBytes = 40;

// An arena of one case, its image, and what a candidate that does nothing would leave.
class OneCase {
 public:
  explicit OneCase(Case c) : case_(std::move(c)) {
    arena_.place(case_, kWorkspaceBytes);
    image_.resize(arena_.bytes());
    arena_.fill_launch(case_, 0, 0, {}, image_.data());
    actual_ = image_;
  }

  [[nodiscard]] const Placement& placement(int tensor) const {
    const PlacedCase& placed = arena_.placed(0);
    return tensor < 0 ? placed.workspace : placed.tensors[static_cast<size_t>(tensor)];
  }
  [[nodiscard]] const std::byte* image(int tensor) const {
    return image_.data() + placement(tensor).offset;
  }
  // Where the candidate sees a tensor; -1 is the workspace.
  std::byte* data(int tensor) { return actual_.data() + placement(tensor).offset; }
  void flip(int tensor, int64_t byte_offset) { data(tensor)[byte_offset] ^= std::byte{1}; }
  void fill_outputs() {
    for (const int tensor : {Index::kOut, Index::kWide}) {
      const Tensor& output = case_.tensors[static_cast<size_t>(tensor)];
      Elements values(output.dtype, num_elements(output.shape).value_or(0));
      for (int64_t i = 0; i < values.size(); ++i) values.set(i, -1 - i);
      scatter_elements(output.shape, output.strides, values, data(tensor));
    }
  }
  StepResult take() { return arena_.take(case_, 0, false, actual_.data(), image_.data()); }

 private:
  Case case_;
  Arena arena_;
  std::vector<std::byte> image_;
  std::vector<std::byte> actual_;
};

Case gapped_case() {
  Case c = make_layout_case(3, 2);
  c.tensors[Index::kIn].strides = {5, 2};
  c.tensors[Index::kOut].strides = {4, 1};
  return c;
}

void expect_damage(const StepResult& result, Damage::Kind kind, int tensor, int64_t byte_offset) {
  ASSERT_TRUE(result.damage.has_value());
  EXPECT_EQ(result.damage->kind, kind);
  EXPECT_EQ(result.damage->tensor, tensor);
  EXPECT_EQ(result.damage->byte_offset, byte_offset);
}

TEST(Arena, OutputsAreTakenInRowMajorOrderAndNothingElseIsDamage) {
  OneCase one(gapped_case());
  one.fill_outputs();
  for (size_t i = 0; i < kWorkspaceBytes; ++i) one.flip(-1, static_cast<int64_t>(i));
  const StepResult result = one.take();
  EXPECT_FALSE(result.damage.has_value());
  EXPECT_THAT(result.outputs[Index::kOut].int32(), ElementsAre(-1, -2, -3, -4, -5, -6));
  EXPECT_THAT(result.outputs[Index::kWide].int64(), ElementsAre(-1, -2, -3));
  EXPECT_THAT(result.untouched[Index::kOut].indices(), IsEmpty());
}

TEST(Arena, InputsAreLaidOutByTheirStrides) {
  OneCase one(gapped_case());
  const auto at = [&](int64_t offset) {
    int32_t value = 0;
    std::memcpy(&value, one.image(Index::kIn) + 4 * offset, sizeof value);
    return value;
  };
  EXPECT_THAT((std::vector{at(0), at(2), at(5), at(7), at(10), at(12)}),
              ElementsAre(1, 2, 3, 4, 5, 6));
}

TEST(Arena, AStrideOfZeroRepeatsOneElement) {
  Case c = make_layout_case(3, 2);
  c.tensors[Index::kIn].strides = {0, 1};
  c.tensors[Index::kIn].elements = Elements(std::vector<int32_t>{7, 8, 7, 8, 7, 8});
  OneCase one(c);
  EXPECT_EQ(one.placement(Index::kIn).bytes, 8u);
  EXPECT_FALSE(one.take().damage.has_value());
}

TEST(Arena, AByteBeforeATensorIsLocated) {
  for (const int tensor : {Index::kIn, Index::kOut, Index::kWide, -1}) {
    OneCase one(gapped_case());
    one.flip(tensor, -1);
    expect_damage(one.take(), Damage::Kind::kGuard, tensor, -1);
  }
}

TEST(Arena, AByteAfterATensorIsLocated) {
  for (const int tensor : {Index::kIn, Index::kOut, Index::kWide, -1}) {
    OneCase one(gapped_case());
    const int64_t bytes = static_cast<int64_t>(one.placement(tensor).bytes);
    one.flip(tensor, bytes);
    expect_damage(one.take(), Damage::Kind::kGuard, tensor, bytes);
  }
}

TEST(Arena, TheLastByteOfEveryGuardIsWatched) {
  for (const int tensor : {Index::kIn, Index::kOut, Index::kWide, -1}) {
    OneCase one(gapped_case());
    const int64_t bytes = static_cast<int64_t>(one.placement(tensor).bytes);
    one.flip(tensor, bytes + static_cast<int64_t>(kGuardBytes) - 1);
    const StepResult result = one.take();
    ASSERT_TRUE(result.damage.has_value());
    EXPECT_EQ(result.damage->kind, Damage::Kind::kGuard);
  }
}

TEST(Arena, AByteInAGapOfAnOutputIsLocated) {
  OneCase one(gapped_case());
  one.fill_outputs();
  one.flip(Index::kOut, 11);  // in the gap of two that follows two elements
  expect_damage(one.take(), Damage::Kind::kGap, Index::kOut, 11);
}

TEST(Arena, OnlyTheColumnsThatAreWrittenAreTaken) {
  // out is [3, 2] with rows 4 elements apart, and only its first column is output.
  OneCase one(keeping_columns(gapped_case(), 1));
  for (const int64_t element : {0, 4, 8}) one.flip(Index::kOut, 4 * element);
  const StepResult result = one.take();
  EXPECT_FALSE(result.damage.has_value());
  ASSERT_EQ(result.outputs[Index::kOut].size(), 3);
  for (int64_t row = 0; row < 3; ++row) {
    int32_t poison = 0;
    std::memcpy(&poison, one.image(Index::kOut) + 16 * row, sizeof poison);
    EXPECT_EQ(result.outputs[Index::kOut].at(row), poison ^ 1) << row;
  }
  EXPECT_THAT(result.untouched[Index::kOut].indices(), IsEmpty());
}

TEST(Arena, AColumnBeyondThoseWrittenIsKeptLikeAGap) {
  // [0, 1], and [2, 1], which no element of the output follows any more.
  for (const int64_t byte_offset : {4, 36}) {
    OneCase one(keeping_columns(gapped_case(), 1));
    one.flip(Index::kOut, byte_offset);
    expect_damage(one.take(), Damage::Kind::kGap, Index::kOut, byte_offset);
  }
}

TEST(Arena, ElementsThatNobodyWroteAreCountedOverTheColumnsWritten) {
  OneCase one(keeping_columns(make_layout_case(2, 3), 1));
  one.flip(Index::kOut, 0);
  // [0, 0], [0, 1], [1, 0], [1, 1] are 0 .. 3.
  EXPECT_THAT(one.take().untouched[Index::kOut].indices(), ElementsAre(1, 2, 3));
}

TEST(Arena, AnOutputWithoutAWrittenColumnIsPlacedAndKept) {
  // More than there are is all of them.
  for (const int64_t kept : {2, 9}) {
    OneCase quiet(keeping_columns(gapped_case(), kept));
    EXPECT_EQ(quiet.placement(Index::kOut).bytes, 40u);
    const StepResult result = quiet.take();
    EXPECT_EQ(result.outputs[Index::kOut].size(), 0);
    EXPECT_THAT(result.untouched[Index::kOut].indices(), IsEmpty());
    EXPECT_FALSE(result.damage.has_value());
    OneCase loud(keeping_columns(gapped_case(), kept));
    loud.flip(Index::kOut, 0);
    expect_damage(loud.take(), Damage::Kind::kGap, Index::kOut, 0);
  }
}

TEST(Arena, AChangedElementOrGapOfAnInputIsLocated) {
  OneCase element(gapped_case());
  element.flip(Index::kIn, 20);
  expect_damage(element.take(), Damage::Kind::kInput, Index::kIn, 20);
  OneCase gap(gapped_case());
  gap.flip(Index::kIn, 4);
  expect_damage(gap.take(), Damage::Kind::kInput, Index::kIn, 4);
}

TEST(Arena, ElementsThatNobodyWroteAreListed) {
  OneCase one(gapped_case());
  one.fill_outputs();
  // Rows are 4 elements apart: puts the poison of [1, 1] back, and that of the last int64.
  std::memcpy(one.data(Index::kOut) + 20, one.image(Index::kOut) + 20, 4);
  std::memcpy(one.data(Index::kWide) + 16, one.image(Index::kWide) + 16, 8);
  const StepResult result = one.take();
  EXPECT_THAT(result.untouched[Index::kOut].indices(), ElementsAre(3));
  EXPECT_THAT(result.untouched[Index::kWide].indices(), ElementsAre(2));
  EXPECT_FALSE(result.damage.has_value());
}

TEST(Arena, HalfAnElementWrittenIsNotUntouched) {
  OneCase one(gapped_case());
  one.fill_outputs();
  std::memcpy(one.data(Index::kWide), one.image(Index::kWide), 4);
  EXPECT_THAT(one.take().untouched[Index::kWide].indices(), IsEmpty());
}

TEST(Arena, PoisonDiffersBetweenStepsInEveryWordOfEveryBuffer) {
  const Case c = gapped_case();
  Arena arena;
  arena.place(c, kWorkspaceBytes);
  std::vector<std::byte> first(arena.bytes());
  std::vector<std::byte> second(arena.bytes());
  arena.fill_launch(c, 0, 0, {}, first.data());
  arena.fill_launch(c, 0, 1, {}, second.data());
  for (const Placement& buffer :
       {arena.placed(0).tensors[Index::kOut], arena.placed(0).tensors[Index::kWide],
        arena.placed(0).workspace}) {
    for (size_t byte = 0; byte + 4 <= buffer.bytes; byte += 4) {
      EXPECT_NE(
          std::memcmp(first.data() + buffer.offset + byte, second.data() + buffer.offset + byte, 4),
          0);
    }
  }
}

TEST(Arena, EveryOtherLaterStepFindsWhatTheLastOneLeft) {
  const Case c = gapped_case();
  OneCase one(c);
  one.fill_outputs();
  const StepResult before = one.take();
  Arena arena;
  arena.place(c, kWorkspaceBytes);
  std::vector<std::byte> image(arena.bytes());
  const std::vector<std::byte> workspace(kWorkspaceBytes, std::byte{7});
  int num_stale = 0;
  for (size_t step = 1; step <= 8; ++step) {
    const bool stale =
        arena.fill_launch(c, 0, step, {.result = &before, .workspace = workspace}, image.data());
    EXPECT_EQ(arena.workspace_left(0, image.data()) == workspace, stale);
    const StepResult left = arena.take(c, 0, stale, image.data(), image.data());
    EXPECT_EQ(left.untouched[Index::kOut].empty(), stale);
    num_stale += left.outputs[Index::kOut] == before.outputs[Index::kOut] ? 1 : 0;
    EXPECT_EQ(left.outputs[Index::kOut] == before.outputs[Index::kOut],
              left.outputs[Index::kWide] == before.outputs[Index::kWide]);
  }
  EXPECT_EQ(num_stale, 4);
}

TEST(Arena, NeighbouringPoisonWordsDiffer) {
  OneCase one(make_layout_case(16, 16));
  for (size_t i = 1; i < 256; ++i) {
    const std::byte* word = one.image(Index::kOut) + 4 * i;
    EXPECT_NE(std::memcmp(word - 4, word, 4), 0) << i;
  }
}

TEST(Arena, CasesOfOneArenaDoNotShareAGuard) {
  const std::vector<Case> cases = {gapped_case(), make_layout_case(1, 1), gapped_case()};
  Arena arena;
  for (const Case& c : cases) arena.place(c, kWorkspaceBytes);
  std::vector<std::byte> image(arena.bytes());
  arena.fill(cases, image.data());
  std::vector<std::byte> actual = image;
  actual[arena.placed(0).workspace.offset + kWorkspaceBytes] ^= std::byte{1};
  EXPECT_TRUE(arena.take(cases[0], 0, false, actual.data(), image.data()).damage.has_value());
  EXPECT_FALSE(arena.take(cases[1], 1, false, actual.data(), image.data()).damage.has_value());
  EXPECT_FALSE(arena.take(cases[2], 2, false, actual.data(), image.data()).damage.has_value());
}

TEST(Arena, TensorsHaveElementAlignmentAndNoMoreForSomeCase) {
  bool off_by_four = false;
  bool off_by_eight = false;
  for (int64_t rows = 1; rows < 40; ++rows) {
    const Case c = make_layout_case(rows, 1);
    Arena arena;
    arena.place(c, kWorkspaceBytes);
    const PlacedCase& placed = arena.placed(0);
    EXPECT_EQ(placed.tensors[Index::kOut].offset % 4, 0u);
    EXPECT_EQ(placed.tensors[Index::kWide].offset % 8, 0u);
    EXPECT_EQ(placed.workspace.offset % 16, 0u);
    off_by_four = off_by_four || placed.tensors[Index::kOut].offset % 8 == 4;
    off_by_eight = off_by_eight || placed.tensors[Index::kWide].offset % 16 == 8;
  }
  EXPECT_TRUE(off_by_four);
  EXPECT_TRUE(off_by_eight);
}

TEST(Arena, OnlyHugeLayoutsThatAreMostlyGapsAreSparse) {
  Case c = make_layout_case(2, 2);
  Tensor& out = c.tensors[Index::kOut];
  // Two rows of two: the last element ends at stride + 2.
  out.strides = {kSparseMinBytes / 4 - 2, 1};
  EXPECT_TRUE(is_sparse(out));
  out.strides = {kSparseMinBytes / 4 - 3, 1};
  EXPECT_FALSE(is_sparse(out));
  out.present = false;
  out.strides = {kSparseMinBytes, 1};
  EXPECT_FALSE(is_sparse(out));
  Tensor dense;
  dense.shape = {kSparseMinBytes, 1};
  dense.strides = compact_strides(dense.shape);
  EXPECT_FALSE(is_sparse(dense));
}

}  // namespace
}  // namespace bytegate
