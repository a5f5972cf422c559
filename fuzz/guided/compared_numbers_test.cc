#include "fuzz/guided/compared_numbers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "fuzz/guided/case_bytes.h"
#include "fuzz/guided/input_mutator.h"
#include "oracles/paged_mqa_metadata.h"

namespace bytegate {
namespace {

using ::testing::Contains;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

TEST(ComparedNumbers, EachIsHeldOnce) {
  ComparedNumbers compared;
  for (int i = 0; i < 3; ++i) {
    for (const int64_t number : {int64_t{1000003}, int64_t{-77}, INT64_MAX}) compared.note(number);
  }
  EXPECT_THAT(compared.numbers(), UnorderedElementsAre(1000003, -77, INT64_MAX));
  compared.note(7919);
  EXPECT_THAT(compared.numbers(), Contains(7919));
}

TEST(ComparedNumbers, PowersOfTwoAndNumbersNearZeroAreTriedAnyhow) {
  ComparedNumbers compared;
  for (int64_t number = -3; number <= 3; ++number) compared.note(number);
  for (int power = 0; power < 63; ++power) compared.note(int64_t{1} << power);
  compared.note(INT64_MIN);
  EXPECT_THAT(compared.numbers(), IsEmpty());
}

TEST(ComparedNumbers, TheLastOfManyIsHeld) {
  ComparedNumbers compared;
  for (int64_t number = 100; number < 100000; ++number) compared.note(number);
  EXPECT_THAT(compared.numbers(), Contains(99999));
}

TEST(ComparedNumbers, TheMutatorTriesThemAsElementsScalarsAndRows) {
  const OpProperties& properties = *find_properties(all_properties(), paged_mqa_metadata_op());
  const std::vector<uint8_t> start = bytes_of_case(make_paged_mqa_metadata_case({5, 6}, 7)).value();
  const std::vector<int64_t> compared = {61};
  int num_elements = 0;
  int num_units = 0;
  int num_scalars = 0;
  int num_rows = 0;
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    std::vector<uint8_t> input = start;
    input.resize(4096);
    input.resize(mutate_input(properties, start, input, seed, compared));
    const Case c = case_of_bytes(*properties.op, input);
    const Elements& lens = c.tensors[0].elements;
    const auto has = [&](int64_t len) {
      for (int64_t i = 0; i < lens.size(); ++i) {
        if (lens.at(i) == len) return true;
      }
      return false;
    };
    if (has(61)) ++num_elements;
    if (has(61 * kSplitKv)) ++num_units;
    if (std::find(c.scalars.begin(), c.scalars.end(), 61) != c.scalars.end()) ++num_scalars;
    if (c.dims[0] == 61) ++num_rows;
  }
  EXPECT_GT(num_elements, 50);
  EXPECT_GT(num_units, 5);
  EXPECT_GT(num_scalars, 10);
  EXPECT_GT(num_rows, 10);
}

}  // namespace
}  // namespace bytegate
