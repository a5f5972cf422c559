// Numbers that are worth trying in a case: where something about it begins, ends or wraps.
#pragma once

#include <cstdint>
#include <span>

#include "oracles/case.h"
#include "properties/draw.h"

namespace bytegate {

class Interesting {
 public:
  // `edges` are those of the operation that its description does not hold.
  Interesting(const Case& c, std::span<const int64_t> edges, Draw& draw)
      : case_(c), edges_(edges), draw_(draw) {}

  // Powers of two, edges of the operation, its scalars and dimensions.
  int64_t unit();
  // A multiple of a unit, or one beside it.
  int64_t number();
  // For an input's element that now is `now`.
  int64_t element(const TensorSpec& spec, int64_t now);
  int64_t scalar(const ScalarSpec& spec, int64_t now);
  // Rows of a dimension: mostly few.
  int64_t num_rows(int64_t now, int64_t most);

 private:
  const Case& case_;
  std::span<const int64_t> edges_;
  Draw& draw_;
};

}  // namespace bytegate
