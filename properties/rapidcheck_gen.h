// The generators and moves of an operation as RapidCheck sees them: a property that takes a case
// draws it with the gate's generator and shrinks it with the gate's moves.
#pragma once

#include <rapidcheck.h>

#include <ostream>

#include "oracles/case_text.h"
#include "properties/minimize.h"
#include "properties/op_properties.h"

namespace bytegate {

// How RapidCheck shows a case that falsifies a property.
inline void showValue(const Case& c, std::ostream& os) {
  os << write_case(c);
}

// Simpler valid cases, the simplest first; lazily, since each costs a copy.
inline rc::Shrinkable<Case> shrinkable_case(const Case& c) {
  return rc::shrinkable::shrinkRecur(c, [](const Case& larger) {
    auto moves = rc::seq::fromContainer(moves_of(larger));
    return rc::seq::mapMaybe(std::move(moves), [larger](const Move& move) {
      std::optional<Case> simpler = move(larger);
      // What follows from something else may have undone the move.
      if (!simpler || *simpler == larger || invalid_reason(*simpler)) return rc::Maybe<Case>();
      return rc::Maybe<Case>(std::move(*simpler));
    });
  });
}

// Cases as the gate draws them; `properties` must outlive the generator.
inline rc::Gen<Case> gen_case(const OpProperties& properties) {
  return [&properties](const rc::Random& random, int) {
    Draw draw(rc::Random(random).next());
    return shrinkable_case(properties.generate(draw));
  };
}

}  // namespace bytegate
