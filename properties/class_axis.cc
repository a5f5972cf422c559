#include "properties/class_axis.h"

#include <algorithm>

namespace bytegate {
namespace {

// Counted from the axis's first class.
int place_on(const ClassAxis& axis, std::span<const int> classes) {
  const auto found = std::find_if(classes.begin(), classes.end(), [&](int member) {
    return member >= axis.first_class && member < axis.first_class + axis.num_classes;
  });
  return found == classes.end() ? -1 : *found - axis.first_class;
}

}  // namespace

std::vector<ClassCell> cells_of(std::span<const ClassAxis> axes, const ClassProduct& product) {
  const ClassAxis& first = axes[static_cast<size_t>(product.first_axis)];
  const ClassAxis& second = axes[static_cast<size_t>(product.second_axis)];
  std::vector<ClassCell> cells;
  for (int i = first.first_class; i < first.first_class + first.num_classes; ++i) {
    for (int k = second.first_class; k < second.first_class + second.num_classes; ++k) {
      const bool possible = product.possible == nullptr || product.possible(i, k);
      cells.push_back({.first_class = i, .second_class = k, .possible = possible});
    }
  }
  return cells;
}

int cell_of(std::span<const ClassAxis> axes, const ClassProduct& product,
            std::span<const int> classes) {
  const ClassAxis& second = axes[static_cast<size_t>(product.second_axis)];
  const int first_place = place_on(axes[static_cast<size_t>(product.first_axis)], classes);
  const int second_place = place_on(second, classes);
  if (first_place < 0 || second_place < 0) return -1;
  return first_place * second.num_classes + second_place;
}

}  // namespace bytegate
