// Cases of the DSA metadata operations from the steps of a served trace.
#pragma once

#include "oracles/dsa_metadata.h"
#include "properties/draw.h"
#include "properties/trace/served_batch.h"

namespace bytegate {

// As many neighbouring requests of the batch as keep the tables small enough to check; pool rows
// keep their order, and slots are those of the run.
Case dsa_case_of_batch(const Op& op, const trace::ServedBatch& batch, Draw& draw);

}  // namespace bytegate
