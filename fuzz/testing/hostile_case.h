// Cases for hostile candidates: small ones in which what they do can be seen.
#pragma once

#include <memory>
#include <string>

#include "kernels/backend.h"
#include "kernels/simt/sanitizer.h"
#include "kernels/testing/hostile_candidate.h"
#include "properties/op_properties.h"
#include "properties/verdict.h"

namespace bytegate {

// As often as each hostile candidate must get the same verdict; sanitizers make a run take long.
constexpr int kHostileRuns = simt::sanitizer::kActive ? 3 : 20;

// The first small case that the operation's generator draws in which the tensor has elements.
Case case_with_tensor(const OpProperties& properties, int tensor);
// One of paged_mqa_metadata that needs a workspace.
Case case_with_workspace();

// The origins of kHostileRuns checks of the case on an isolated host backend, each with a candidate
// of its own: the one origin that they all have ("" is a pass), or the first two that differ.
std::string origin_of_runs(const Case& c, Hostility hostility, int tensor,
                           const BackendOptions& options = {});

}  // namespace bytegate
