// The launches of `paged_mqa_metadata`, once per compiler. No arithmetic on data, no checks: the
// front door has done those.
#pragma once

#include "kernels/paged_mqa_metadata.h"
#include "kernels/simt/executor.h"

namespace bytegate {

simt::Status launch_paged_mqa_metadata_on_host(simt::Executor& executor,
                                               const PagedMqaMetadataArgs& args,
                                               PagedMqaMetadataPath path);
simt::Status launch_paged_mqa_metadata_baseline_on_host(simt::Executor& executor,
                                                        const PagedMqaMetadataArgs& args);

}  // namespace bytegate
