#include "fuzz/corpus/set_cover.h"

#include <gtest/gtest.h>

#include <bit>
#include <set>

#include "properties/draw.h"

namespace bytegate {
namespace {

using Sets = std::vector<std::vector<size_t>>;
using Chosen = std::vector<size_t>;

TEST(SetCover, TakesWhatOnlyOneSetHasAndDropsWhatOthersHave) {
  const SetCover cover = smallest_cover({{0, 1}, {1}, {2}, {1, 2}}, {});
  EXPECT_EQ(cover.chosen, Chosen({0, 2}));
  EXPECT_TRUE(cover.smallest);
}

TEST(SetCover, OfEqualSetsTheFirstStays) {
  EXPECT_EQ(smallest_cover({{0, 1}, {1, 0}, {0}}, {}).chosen, Chosen({0}));
}

TEST(SetCover, WhatMustStayCounts) {
  EXPECT_EQ(smallest_cover({{0, 1}, {1}, {0}}, {1, 2}).chosen, Chosen({1, 2}));
}

TEST(SetCover, OfNothingIsNothing) {
  EXPECT_TRUE(smallest_cover({}, {}).chosen.empty());
  EXPECT_TRUE(smallest_cover({{}, {}}, {}).chosen.empty());
}

// The largest set first, as a greedy choice has it, takes three.
TEST(SetCover, IsSmallerThanTheGreedyOne) {
  const Sets sets = {{1, 2, 3, 5, 6, 7}, {0, 1, 2, 3}, {4, 5, 6, 7}};
  EXPECT_EQ(smallest_cover(sets, {}).chosen, Chosen({1, 2}));
}

size_t smallest_by_trying(const Sets& sets, const std::set<size_t>& all) {
  size_t smallest = sets.size();
  for (uint32_t mask = 0; mask < 1U << sets.size(); ++mask) {
    std::set<size_t> covered;
    for (size_t i = 0; i < sets.size(); ++i) {
      if ((mask >> i & 1U) != 0) covered.insert(sets[i].begin(), sets[i].end());
    }
    if (covered == all) smallest = std::min(smallest, static_cast<size_t>(std::popcount(mask)));
  }
  return smallest;
}

TEST(SetCover, IsTheSmallestThatThereIs) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    Draw draw(seed);
    Sets sets(static_cast<size_t>(draw.between(1, 10)));
    std::set<size_t> all;
    for (std::vector<size_t>& set : sets) {
      for (size_t feature = 0; feature < 12; ++feature) {
        if (draw.between(0, 3) != 0) continue;
        set.push_back(feature);
        all.insert(feature);
      }
    }
    const SetCover cover = smallest_cover(sets, {});
    std::set<size_t> covered;
    for (const size_t set : cover.chosen) covered.insert(sets[set].begin(), sets[set].end());
    EXPECT_EQ(covered, all) << "seed " << seed;
    EXPECT_TRUE(cover.smallest) << "seed " << seed;
    EXPECT_EQ(cover.chosen.size(), smallest_by_trying(sets, all)) << "seed " << seed;
  }
}

TEST(SetCover, SaysWhenItStoppedSearching) {
  Draw draw(7);
  Sets sets(60);
  for (std::vector<size_t>& set : sets) {
    for (size_t feature = 0; feature < 120; ++feature) {
      if (draw.between(0, 9) == 0) set.push_back(feature);
    }
  }
  const SetCover cover = smallest_cover(sets, {}, {.max_nodes = 3});
  EXPECT_FALSE(cover.smallest);
  EXPECT_GT(cover.chosen.size(), 5U);
}

}  // namespace
}  // namespace bytegate
