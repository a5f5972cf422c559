// A metamorphic relation: how the outputs of a case follow from those of another one, so that a
// candidate can be judged without any oracle.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "oracles/case.h"
#include "properties/draw.h"

namespace bytegate {

struct Relation {
  std::string_view name;  // "insert_empty_request"; the origin is "invariant:NAME"
  // A valid case that is related to `c`; nothing where the relation does not apply to it.
  std::optional<Case> (*follow_up)(const Case& c, Draw& draw) = nullptr;
  // What the two outputs break, or nothing.
  std::optional<std::string> (*broken)(const Case& c, const Outputs& outputs, const Case& related,
                                       const Outputs& related_outputs) = nullptr;
};

}  // namespace bytegate
