#include "oracles/dsa_eager_steps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace bytegate::eager {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr int64_t kTwoTo31 = int64_t{1} << 31;
constexpr int64_t kTwoTo32 = int64_t{1} << 32;

Ints ints(const std::vector<int32_t>& values) {
  return IntsView(values.data(), static_cast<Eigen::Index>(values.size()));
}
Longs longs(const std::vector<int64_t>& values) {
  return LongsView(values.data(), static_cast<Eigen::Index>(values.size()));
}
Table table(int64_t rows, int64_t columns, const std::vector<int32_t>& values) {
  return TableView(values.data(), rows, columns);
}

std::vector<int32_t> list(const Ints& values) {
  return {values.data(), values.data() + values.size()};
}
std::vector<int64_t> list(const Longs& values) {
  return {values.data(), values.data() + values.size()};
}
// Row-major.
std::vector<int32_t> list(const Table& values) {
  return {values.data(), values.data() + values.size()};
}
std::vector<int64_t> shape(const Table& values) {
  return {values.rows(), values.cols()};
}

TEST(DsaEagerSteps, CastToInt32KeepsTheLow32Bits) {
  EXPECT_THAT(list(cast_to_int32(longs({kTwoTo32 + 5, -1, kTwoTo31, kTwoTo31 - 1, -kTwoTo31}))),
              ElementsAre(5, -1, INT32_MIN, INT32_MAX, INT32_MIN));
  EXPECT_THAT(list(cast_to_int32(longs({INT64_MIN, INT64_MAX, -kTwoTo31 - 1, -kTwoTo32}))),
              ElementsAre(0, -1, INT32_MAX, 0));
  EXPECT_THAT(list(cast_to_int32(longs({}))), IsEmpty());
}

TEST(DsaEagerSteps, CastToInt64KeepsTheSign) {
  EXPECT_THAT(list(cast_to_int64(ints({-1, 0, INT32_MIN, INT32_MAX}))),
              ElementsAre(-1, 0, -kTwoTo31, kTwoTo31 - 1));
  EXPECT_THAT(list(cast_to_int64(ints({}))), IsEmpty());
}

TEST(DsaEagerSteps, ArangeCountsFromZero) {
  EXPECT_THAT(list(arange(4)), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(list(arange(1)), ElementsAre(0));
  EXPECT_THAT(list(arange(0)), IsEmpty());
}

TEST(DsaEagerSteps, FullRepeatsOneValue) {
  EXPECT_THAT(list(full(3, INT32_MIN)), ElementsAre(INT32_MIN, INT32_MIN, INT32_MIN));
  EXPECT_THAT(list(full(0, 7)), IsEmpty());
}

TEST(DsaEagerSteps, AddingTwoArraysWraps) {
  EXPECT_THAT(list(add(ints({1, INT32_MAX, INT32_MIN, -3}), ints({2, 1, -1, 3}))),
              ElementsAre(3, INT32_MIN, INT32_MAX, 0));
  EXPECT_THAT(list(add(ints({INT32_MIN, INT32_MAX}), ints({INT32_MIN, INT32_MAX}))),
              ElementsAre(0, -2));
  EXPECT_THAT(list(add(ints({}), ints({}))), IsEmpty());
}

TEST(DsaEagerSteps, AddingAScalarWraps) {
  EXPECT_THAT(list(add(ints({0, INT32_MAX, -1}), 1)), ElementsAre(1, INT32_MIN, 0));
  EXPECT_THAT(list(add(ints({INT32_MIN, 5}), -1)), ElementsAre(INT32_MAX, 4));
  EXPECT_THAT(list(add(ints({}), 1)), IsEmpty());
}

TEST(DsaEagerSteps, SubtractWraps) {
  EXPECT_THAT(list(subtract(ints({5, INT32_MIN, 0, INT32_MAX}), ints({7, 1, INT32_MIN, -1}))),
              ElementsAre(-2, INT32_MAX, INT32_MIN, INT32_MIN));
  EXPECT_THAT(list(subtract(ints({}), ints({}))), IsEmpty());
}

TEST(DsaEagerSteps, ClampsAreSigned) {
  const Ints values = ints({INT32_MIN, -1, 0, 1, 2, INT32_MAX});
  EXPECT_THAT(list(clamp_min(values, 0)), ElementsAre(0, 0, 0, 1, 2, INT32_MAX));
  EXPECT_THAT(list(clamp_min(values, 1)), ElementsAre(1, 1, 1, 1, 2, INT32_MAX));
  EXPECT_THAT(list(clamp_max(values, 1)), ElementsAre(INT32_MIN, -1, 0, 1, 1, 1));
  EXPECT_THAT(list(clamp_max(values, INT32_MAX)), ElementsAre(INT32_MIN, -1, 0, 1, 2, INT32_MAX));
  EXPECT_THAT(list(clamp_min(ints({}), 1)), IsEmpty());
  EXPECT_THAT(list(clamp_max(ints({}), 1)), IsEmpty());
}

TEST(DsaEagerSteps, CumulativeSumIncludesItsOwnElementAndWraps) {
  EXPECT_THAT(list(cumulative_sum(ints({3, 0, -1, 4}))), ElementsAre(3, 3, 2, 6));
  // 2^31 - 1, 2^32 - 2, 2^32.
  EXPECT_THAT(list(cumulative_sum(ints({INT32_MAX, INT32_MAX, 2}))), ElementsAre(INT32_MAX, -2, 0));
  EXPECT_THAT(list(cumulative_sum(ints({INT32_MIN, -1}))), ElementsAre(INT32_MIN, INT32_MAX));
  EXPECT_THAT(list(cumulative_sum(ints({}))), IsEmpty());
}

TEST(DsaEagerSteps, PadFrontAddsOneZero) {
  EXPECT_THAT(list(pad_front(ints({7, -8}))), ElementsAre(0, 7, -8));
  EXPECT_THAT(list(pad_front(ints({}))), ElementsAre(0));
}

TEST(DsaEagerSteps, RepeatInterleaveRepeatsEachValueInPlace) {
  EXPECT_THAT(list(repeat_interleave(ints({10, 20, 30}), longs({2, 0, 1}))),
              ElementsAre(10, 10, 30));
  EXPECT_THAT(list(repeat_interleave(longs({kTwoTo32, -1}), longs({1, 2}))),
              ElementsAre(kTwoTo32, -1, -1));
  EXPECT_THAT(list(repeat_interleave(ints({10, 20}), longs({0, 0}))), IsEmpty());
  EXPECT_THAT(list(repeat_interleave(longs({10, 20}), longs({0, 0}))), IsEmpty());
  EXPECT_THAT(list(repeat_interleave(ints({}), longs({}))), IsEmpty());
  EXPECT_THAT(list(repeat_interleave(longs({}), longs({}))), IsEmpty());
}

TEST(DsaEagerSteps, ConcatenatedArangesStartAgainForEachCount) {
  EXPECT_THAT(list(concatenated_aranges(longs({2, 0, 3, 1}))), ElementsAre(0, 1, 0, 1, 2, 0));
  EXPECT_THAT(list(concatenated_aranges(longs({0, 0}))), IsEmpty());
  EXPECT_THAT(list(concatenated_aranges(longs({}))), IsEmpty());
}

TEST(DsaEagerSteps, GatherRowsTakesRowsInAnyOrderAndAgain) {
  const Table rows = table(3, 3, {1, 2, 3, 4, 5, 6, 7, 8, 9});
  EXPECT_THAT(list(gather_rows(rows, longs({2, 0, 2}), 2)), ElementsAre(7, 8, 1, 2, 7, 8));
  EXPECT_THAT(list(gather_rows(rows, longs({1}), 3)), ElementsAre(4, 5, 6));
  EXPECT_THAT(shape(gather_rows(rows, longs({1, 1}), 0)), ElementsAre(2, 0));
  EXPECT_THAT(shape(gather_rows(rows, longs({}), 2)), ElementsAre(0, 2));
  EXPECT_THAT(shape(gather_rows(Table(0, 4), longs({}), 4)), ElementsAre(0, 4));
}

TEST(DsaEagerSteps, TakeColumnsTakesEveryStepThFromTheFirst) {
  // One column, exactly one step, one step and one column, two steps and less than one more.
  EXPECT_THAT(list(take_columns(table(1, 1, {7}), 3)), ElementsAre(7));
  EXPECT_THAT(list(take_columns(table(1, 3, {7, 8, 9}), 3)), ElementsAre(7));
  EXPECT_THAT(list(take_columns(table(1, 4, {7, 8, 9, 10}), 3)), ElementsAre(7, 10));
  EXPECT_THAT(list(take_columns(table(2, 5, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}), 2)),
              ElementsAre(0, 2, 4, 5, 7, 9));
  EXPECT_THAT(list(take_columns(table(1, 3, {7, 8, 9}), 1)), ElementsAre(7, 8, 9));
  EXPECT_THAT(list(take_columns(table(1, 2, {7, 8}), INT32_MAX)), ElementsAre(7));
  EXPECT_THAT(shape(take_columns(Table(2, 0), 3)), ElementsAre(2, 0));
  EXPECT_THAT(shape(take_columns(Table(0, 4), 3)), ElementsAre(0, 2));
}

TEST(DsaEagerSteps, FloorDivideGoesTowardsMinusInfinity) {
  EXPECT_THAT(list(floor_divide(table(2, 4, {-1, -64, -65, 63, 0, 64, -63, 127}), 64)),
              ElementsAre(-1, -1, -2, 0, 0, 1, -1, 1));
  // 2^31 is 2^25 times 64, and 2^31 - 1 is 63 more than 2^25 - 1 times 64.
  EXPECT_THAT(list(floor_divide(table(1, 2, {INT32_MIN, INT32_MAX}), 64)),
              ElementsAre(-33554432, 33554431));
}

TEST(DsaEagerSteps, FloorDivideTakesTheSmallestAndTheLargestDivisor) {
  EXPECT_THAT(list(floor_divide(table(1, 3, {INT32_MIN, -1, INT32_MAX}), 1)),
              ElementsAre(INT32_MIN, -1, INT32_MAX));
  // -2^31 is just below -(2^31 - 1).
  EXPECT_THAT(list(floor_divide(table(1, 4, {INT32_MIN, -INT32_MAX, -1, INT32_MAX}), INT32_MAX)),
              ElementsAre(-2, -1, -1, 1));
  EXPECT_THAT(list(floor_divide(table(1, 3, {-3, -4, 3}), 3)), ElementsAre(-1, -2, 1));
  EXPECT_THAT(shape(floor_divide(Table(2, 0), 3)), ElementsAre(2, 0));
}

TEST(DsaEagerSteps, ExpandColumnsPutsCopiesNextToEachOther) {
  EXPECT_THAT(list(expand_columns(ints({4, -5}), 3)), ElementsAre(4, 4, 4, -5, -5, -5));
  EXPECT_THAT(shape(expand_columns(ints({4, -5}), 3)), ElementsAre(2, 3));
  EXPECT_THAT(list(expand_columns(ints({4, -5}), 1)), ElementsAre(4, -5));
  EXPECT_THAT(shape(expand_columns(ints({}), 3)), ElementsAre(0, 3));
}

}  // namespace
}  // namespace bytegate::eager
