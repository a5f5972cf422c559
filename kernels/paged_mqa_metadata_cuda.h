// The GPU launches of `paged_mqa_metadata`. No arithmetic on data, no checks: the front door has
// done those.
#pragma once

#include <string>

#include "kernels/paged_mqa_metadata.h"

namespace bytegate {

// Launches on `stream` (a cudaStream_t) of the current device; the text of the error, if any.
std::string launch_paged_mqa_metadata_on_cuda(const PagedMqaMetadataArgs& args,
                                              PagedMqaMetadataPath path, void* stream);
std::string launch_paged_mqa_metadata_baseline_on_cuda(const PagedMqaMetadataArgs& args,
                                                       void* stream);

}  // namespace bytegate
