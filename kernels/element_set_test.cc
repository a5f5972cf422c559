#include "kernels/element_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace bytegate {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(ElementSet, HasWhatWasAddedAndNothingElse) {
  ElementSet set;
  EXPECT_TRUE(set.empty());
  EXPECT_FALSE(set.has(0));
  for (const int64_t idx : {130, 0, 63, 64, 130}) set.add(idx);
  EXPECT_FALSE(set.empty());
  EXPECT_THAT(set.indices(), ElementsAre(0, 63, 64, 130));
  for (const int64_t absent : {int64_t{1}, int64_t{62}, int64_t{65}, int64_t{131}, INT64_MAX}) {
    EXPECT_FALSE(set.has(absent)) << absent;
  }
}

TEST(ElementSet, IsTheSameInWhateverOrderItWasFilled) {
  EXPECT_EQ(ElementSet({5, 200}), ElementSet({200, 5, 5}));
  EXPECT_NE(ElementSet({5, 200}), ElementSet({5}));
}

TEST(ElementSet, HasNothingOnceItIsCleared) {
  ElementSet set = {1, 2};
  set.clear();
  EXPECT_TRUE(set.empty());
  EXPECT_THAT(set.indices(), IsEmpty());
  EXPECT_EQ(set, ElementSet());
}

}  // namespace
}  // namespace bytegate
