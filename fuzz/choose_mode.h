// How generated cases are launched: a mode for each, from the table in oracles/launch_mode.h.
#pragma once

#include "oracles/case.h"
#include "properties/draw.h"

namespace bytegate {

// Whether launching cases of the operation in this mode differs from plain launches on the backend.
bool has_mode(const Op& op, Mode mode, BackendKind backend);

// Gives a plain case one of the modes that its operation and the backend have, mostly plain.
void choose_mode(Case& c, BackendKind backend, Draw& draw);

}  // namespace bytegate
