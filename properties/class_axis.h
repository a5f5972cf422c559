// How classes combine: each axis is a run of classes of which every valid case belongs to exactly
// one, and a product of two axes promises each of their cells.
#pragma once

#include <string_view>

namespace bytegate {

struct ClassAxis {
  std::string_view name;  // "rows"
  int first_class = 0;    // index into OpProperties::classes
  int num_classes = 0;
};

struct ClassProduct {
  int first_axis = 0;  // indices into OpProperties::axes
  int second_axis = 0;
  // Whether a valid case can belong to both classes. Absent: always.
  bool (*possible)(int first_class, int second_class) = nullptr;
};

}  // namespace bytegate
