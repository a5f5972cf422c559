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
//   - cases passed of every possible cell of every product of classes, and, however few were drawn,
//     none of a cell that is said to be impossible;
//   - every tensor that may have strides passed compact and strided, as an input also repeated;
//   - cases passed of every listed value of a scalar, where gate_cases are enough to draw each;
//   - cases were survived whose elements are outside the contract, where the op has inputs.
// A tensor is taken for optional when it was in some case.
std::vector<std::string> unmet_promises(const OpProperties& properties, const Tally& generated);

// How much of the products of classes the generated cases reached.
struct CellCoverage {
  std::string product;  // "rows x num_sm"
  int64_t num_promised = 0;
  int64_t num_reached = 0;
  std::vector<std::string> unmet;   // "1 row with 1 SM": promised, and of no case that passed
  std::vector<std::string> denied;  // said to be impossible, and of some case that passed
};
// One entry for each of the op's products.
std::vector<CellCoverage> cell_coverage(const OpProperties& properties, const Tally& generated);

// Which modes of the backend no case passed in: of those that half of the op's gate_cases draw 16
// times or more, and of those that its generator draws.
std::vector<std::string> unmet_modes(const OpProperties& properties, BackendKind backend,
                                     const Tally& generated);

// Which relations no case was held to, with at least a twentieth of the op's gate_cases drawn: of a
// run that follows every case up.
std::vector<std::string> unmet_relations(const OpProperties& properties, const Tally& generated);

}  // namespace bytegate
