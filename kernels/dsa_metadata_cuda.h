// Launches of the DSA metadata kernels on a GPU. Each answers with the error, or with "".
#pragma once

#include <string>

#include "kernels/dsa_metadata.h"

namespace bytegate {

std::string launch_dsa_fused_on_cuda(DsaMode mode, const DsaArgs& args, void* stream);
std::string launch_dsa_eager_on_cuda(DsaMode mode, const DsaArgs& args,
                                     const DsaEagerWorkspace& workspace, void* stream);

}  // namespace bytegate
