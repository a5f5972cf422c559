// Reads a bytegate_call of a DSA metadata operation.
#pragma once

#include "kernels/call_reader.h"
#include "kernels/dsa_metadata.h"
#include "kernels/dsa_refresh.h"

namespace bytegate {

// Scalars, sizes and inputs. Whether they are inside the contract is for dsa_call_error to say.
DsaParams read_dsa_inputs(CallReader& call, DsaMode mode);
// The outputs and the workspace of a call whose inputs are inside the contract.
void read_dsa_outputs(CallReader& call, DsaParams& params, DsaEntry entry);
// What only a refresh has.
void read_dsa_schedule(CallReader& call, DsaRefreshParams& params);
// The chain that the caller forces, or the fused one; fails on an unknown name.
DsaChain read_dsa_chain(CallReader& call);

}  // namespace bytegate
