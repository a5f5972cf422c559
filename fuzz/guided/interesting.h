// Numbers that are worth trying in a case: where something about it begins, ends or wraps.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "oracles/case.h"
#include "properties/draw.h"

namespace bytegate {

// What leads to such numbers, beside the case itself.
struct Hints {
  std::span<const int64_t> edges;          // as OpProperties::edges
  std::span<const int64_t> compared = {};  // as ComparedNumbers::numbers()
};

class Interesting {
 public:
  Interesting(const Case& c, const Hints& hints, Draw& draw)
      : case_(c), hints_(hints), draw_(draw) {}

  // Powers of two, edges of the operation, its scalars and dimensions.
  int64_t unit();
  // A multiple of a unit, or one beside it.
  int64_t number();
  // For an input's element that now is `now`.
  int64_t element(const TensorSpec& spec, int64_t now);
  int64_t scalar(const ScalarSpec& spec, int64_t now);
  // Rows of a dimension: mostly few.
  int64_t num_rows(int64_t now, int64_t most);
  // Now and then one that something was compared with, or so many units.
  std::optional<int64_t> compared();

 private:
  const Case& case_;
  const Hints& hints_;
  Draw& draw_;
};

}  // namespace bytegate
