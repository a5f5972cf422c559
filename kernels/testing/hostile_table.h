// The table of a candidate that is production but for what its run does.
#pragma once

#include <cstdint>

#include "kernels/builtin_candidate.h"
#include "kernels/candidate.h"

namespace bytegate {

// State: what the candidate keeps; `inner` is the state of production.
template <typename State>
struct HostileTable {
  static void close(void* opaque) {
    State* state = static_cast<State*>(opaque);
    production_candidate().close(state->inner);
    delete state;
  }
  static int32_t supports(void* opaque, bytegate_call* call) {
    return production_candidate().supports(static_cast<State*>(opaque)->inner, call);
  }
  static int32_t workspace_bytes(void* opaque, bytegate_call* call, uint64_t* bytes) {
    return production_candidate().workspace_bytes(static_cast<State*>(opaque)->inner, call, bytes);
  }

  // With `name`, `backends`, `open` and `run` still to be set.
  static bytegate_candidate without_acts() {
    bytegate_candidate table = {};
    table.interface_version = BYTEGATE_INTERFACE_VERSION;
    table.version = "test";
    table.paths = production_candidate().paths;
    table.close = close;
    table.supports = supports;
    table.workspace_bytes = workspace_bytes;
    return table;
  }
};

}  // namespace bytegate
