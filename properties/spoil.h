// Cases whose inputs hold what no contract allows and no host can see: negative lengths, indices
// far outside, lengths that do not add up. What comes of them is open, but for this: it ends, and
// touches nothing else.
#pragma once

#include <cstdint>

#include "oracles/case.h"
#include "properties/draw.h"

namespace bytegate {

// One in so many generated cases is spoiled.
constexpr int64_t kSpoiledOneIn = 16;

// Overwrites some elements of the inputs of a valid case, few or many and of every step or of some,
// as the description alone suggests it, and lets it expect to be survived. Elements that share an
// address stay equal. False, and nothing is changed, when the case has no input element
// or what was drawn leaves it valid.
bool spoil(Case& c, Draw& draw);

// The same for one case in kSpoiledOneIn, drawn apart from what the case itself was drawn from: all
// others stay as they are.
void spoil_some(Case& c, uint64_t case_seed);

}  // namespace bytegate
