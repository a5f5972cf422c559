// What a gate of the production kernels promises to have reached, and what a run did not.
#pragma once

#include <string>
#include <vector>

#include "fuzz/tally.h"

namespace bytegate {

// Why the generated cases are less than a gate promises, one line each. With at least half of the
// op's gate_cases drawn:
//   - each path has passed one case in a hundred of gate_cases, and 100 at least;
//   - cases passed of every class, every variant, every dtype that a tensor may have, and of every
//     optional tensor both with and without it;
//   - every tensor that may have strides passed compact and strided, as an input also repeated;
//   - cases passed of every listed value of a scalar, where gate_cases are enough to draw each;
//   - cases were survived whose elements are outside the contract, where the op has inputs.
// A tensor is taken for optional when it was in some case.
std::vector<std::string> unmet_promises(const OpProperties& properties, const Tally& generated);

// Which modes of the backend no case passed in: of those that half of the op's gate_cases draw 16
// times or more, and of those that its generator draws.
std::vector<std::string> unmet_modes(const OpProperties& properties, BackendKind backend,
                                     const Tally& generated);

// Which relations no case was held to, with at least a twentieth of the op's gate_cases drawn: of a
// run that follows every case up.
std::vector<std::string> unmet_relations(const OpProperties& properties, const Tally& generated);

}  // namespace bytegate
