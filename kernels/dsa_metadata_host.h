// Launches of the DSA metadata kernels on the SIMT executor.
#pragma once

#include "kernels/dsa_metadata.h"
#include "kernels/simt/executor.h"

namespace bytegate {

simt::Status launch_dsa_fused_on_host(simt::Executor& executor, DsaMode mode, const DsaArgs& args);
simt::Status launch_dsa_eager_on_host(simt::Executor& executor, DsaMode mode, const DsaArgs& args,
                                      const DsaEagerWorkspace& workspace);

}  // namespace bytegate
