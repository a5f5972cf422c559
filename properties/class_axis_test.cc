// Products of classes in themselves, and what the generators of all operations draw of them.
#include "properties/class_axis.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>
#include <string>

#include "properties/op_properties.h"
#include "properties/spoil.h"

namespace bytegate {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr int64_t kNumDraws = 20000;
// A promised cell that so few cases of half a gate are expected in would be missed now and then.
constexpr double kLeastInHalfAGate = 16;

const std::vector<ClassAxis>& two_axes() {
  static const std::vector<ClassAxis> axes = {
      {.name = "size", .first_class = 0, .num_classes = 2},
      {.name = "colour", .first_class = 2, .num_classes = 3}};
  return axes;
}

TEST(ClassAxis, TheCellsOfAProductAreListedByItsFirstClass) {
  const ClassProduct product = {
      .first_axis = 1, .second_axis = 0, .possible = [](int colour, int size) {
        return colour + size != 3;
      }};
  std::vector<std::string> cells;
  for (const ClassCell& cell : cells_of(two_axes(), product)) {
    cells.push_back(std::to_string(cell.first_class) + " " + std::to_string(cell.second_class) +
                    (cell.possible ? "" : " never"));
  }
  EXPECT_THAT(cells, ElementsAre("2 0", "2 1 never", "3 0 never", "3 1", "4 0", "4 1"));
}

TEST(ClassAxis, ACaseLiesInTheCellOfItsClasses) {
  const ClassProduct product = {.first_axis = 1, .second_axis = 0};
  const std::vector<ClassCell> cells = cells_of(two_axes(), product);
  for (size_t i = 0; i < cells.size(); ++i) {
    const std::vector<int> classes = {cells[i].second_class, cells[i].first_class, 5};
    EXPECT_EQ(cell_of(two_axes(), product, classes), static_cast<int>(i));
  }
  EXPECT_EQ(cell_of(two_axes(), product, std::vector<int>{0, 5}), -1);
  EXPECT_EQ(cell_of(two_axes(), product, std::vector<int>{2, 5}), -1);
}

// What `kNumDraws` of an operation were.
struct Drawn {
  std::vector<std::string> broken;  // what classes may never be; the first of each kind
  std::vector<std::vector<int64_t>> by_cell;

  explicit Drawn(const OpProperties& properties) {
    for (const ClassProduct& product : properties.products) {
      by_cell.emplace_back(cells_of(properties.axes, product).size());
    }
    for (int64_t i = 0; i < kNumDraws; ++i) {
      Draw draw(case_seed(5, static_cast<uint64_t>(i)));
      add(properties, properties.classify(properties.generate(draw)), i);
    }
  }

  void add(const OpProperties& properties, const std::vector<int>& classes, int64_t case_idx) {
    const auto complain = [&](const std::string& what) {
      if (broken.size() < 8) broken.push_back("case " + std::to_string(case_idx) + ": " + what);
    };
    const bool ascends = std::adjacent_find(classes.begin(), classes.end(),
                                            std::greater_equal<int>()) == classes.end();
    if (!ascends) complain("classes do not ascend");
    for (const ClassAxis& axis : properties.axes) {
      const auto num_classes = std::count_if(classes.begin(), classes.end(), [&](int member) {
        return member >= axis.first_class && member < axis.first_class + axis.num_classes;
      });
      if (num_classes == 1) continue;
      complain(std::to_string(num_classes) + " classes on the axis " + std::string(axis.name));
    }
    for (size_t i = 0; i < by_cell.size(); ++i) {
      const int cell = cell_of(properties.axes, properties.products[i], classes);
      if (cell >= 0) ++by_cell[i][static_cast<size_t>(cell)];
    }
  }
};

class GeneratorAim : public ::testing::TestWithParam<size_t> {
 protected:
  static const OpProperties& properties() { return all_properties()[GetParam()]; }
  // Those of all products for which `wanted` holds, named.
  template <typename Wanted>
  static std::vector<std::string> cells_where(const Drawn& drawn, Wanted wanted) {
    const auto name = [&](int idx) {
      return std::string(properties().classes[static_cast<size_t>(idx)]);
    };
    std::vector<std::string> names;
    for (size_t i = 0; i < properties().products.size(); ++i) {
      const auto cells = cells_of(properties().axes, properties().products[i]);
      for (size_t k = 0; k < cells.size(); ++k) {
        if (!wanted(cells[k], drawn.by_cell[i][k])) continue;
        names.push_back(name(cells[k].first_class) + " with " + name(cells[k].second_class));
      }
    }
    return names;
  }
};

TEST_P(GeneratorAim, NamesOfClassesAreThereAndDiffer) {
  const auto& classes = properties().classes;
  EXPECT_THAT(classes, Each(Not(IsEmpty())));
  EXPECT_EQ(std::set<std::string_view>(classes.begin(), classes.end()).size(), classes.size());
}

// One test, since the draws are what takes time.
TEST_P(GeneratorAim, EveryCaseHasOneClassOnEachAxisAndThePossibleCellsAreReachedOften) {
  const Drawn drawn(properties());
  EXPECT_THAT(drawn.broken, IsEmpty());
  const auto denied = cells_where(
      drawn, [](const ClassCell& cell, int64_t count) { return !cell.possible && count > 0; });
  EXPECT_THAT(denied, IsEmpty()) << "said to be impossible";
  const double unspoiled = 1 - 1.0 / kSpoiledOneIn;
  const double share = static_cast<double>(properties().gate_cases) / 2 * unspoiled / kNumDraws;
  const auto rare = cells_where(drawn, [&](const ClassCell& cell, int64_t count) {
    return cell.possible && static_cast<double>(count) * share < kLeastInHalfAGate;
  });
  EXPECT_THAT(rare, IsEmpty()) << "half a gate might miss them";
}

TEST_P(GeneratorAim, EveryCaseIsValid) {
  for (int64_t i = 0; i < kNumDraws / 10; ++i) {
    Draw draw(case_seed(6, static_cast<uint64_t>(i)));
    const auto reason = invalid_reason(properties().generate(draw));
    ASSERT_FALSE(reason) << "case " << i << ": " << *reason;
  }
}

INSTANTIATE_TEST_SUITE_P(All, GeneratorAim, ::testing::Range<size_t>(0, 9),
                         [](const ::testing::TestParamInfo<size_t>& param) {
                           return std::string(all_properties()[param.param].op->name);
                         });

TEST(GeneratorAims, AreTestedOfEveryOperation) {
  EXPECT_EQ(all_properties().size(), 9U);
}

}  // namespace
}  // namespace bytegate
