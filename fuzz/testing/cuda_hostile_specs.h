// Every hostile candidate on the GPU, and what it gets: from the check of one case, and from a
// gate.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "kernels/testing/cuda_hostility.h"
#include "oracles/case.h"

namespace bytegate {

struct CudaHostileSpec {
  CudaHostility hostility = CudaHostility::kNone;
  std::string_view op = "paged_mqa_metadata";
  // The check of cuda_hostile_case() in this mode.
  Mode mode = Mode::kPlain;
  std::string_view origin = {};
  // A gate of so many generated cases, enough to draw what shows it: its findings have the first of
  // these flaws, and no other than these; "untested" is what is not run again after many losses.
  int64_t gate_cases = 0;
  std::vector<std::string_view> flaws = {};
};

// One for each hostility but kNone.
std::span<const CudaHostileSpec> cuda_hostile_specs();

// A small case of the operation, with a workspace, a table of several rows and, where the mode
// replays, inputs that change.
Case cuda_hostile_case(std::string_view op, Mode mode);

}  // namespace bytegate
