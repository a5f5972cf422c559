// How classes combine: each axis is a run of classes of which every valid case belongs to exactly
// one, and a product of two axes promises each of their cells.
#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace bytegate {

struct ClassAxis {
  std::string_view name;  // "rows"
  int first_class = 0;    // index into OpProperties::classes
  int num_classes = 0;
};

struct ClassProduct {
  int first_axis = 0;  // indices into OpProperties::axes
  int second_axis = 0;
  // Whether a valid case can belong to both classes, which are indices into OpProperties::classes.
  // Absent: always.
  bool (*possible)(int first_class, int second_class) = nullptr;
};

// A class of each axis of a product, as indices into OpProperties::classes.
struct ClassCell {
  int first_class = 0;
  int second_class = 0;
  bool possible = true;
};
// All cells of a product, those of its first class first.
std::vector<ClassCell> cells_of(std::span<const ClassAxis> axes, const ClassProduct& product);

// Where in cells_of() the case lies that belongs to these classes; -1 when it has none on an axis.
int cell_of(std::span<const ClassAxis> axes, const ClassProduct& product,
            std::span<const int> classes);

}  // namespace bytegate
