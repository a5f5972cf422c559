// Graph refresh: the metadata, then the schedule of the lengths it has written, into buffers whose
// addresses never change. One stream, no synchronisation: safe to capture and to replay.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "kernels/dsa_metadata.h"
#include "kernels/paged_mqa_metadata.h"

namespace bytegate {

struct DsaRefreshParams {
  DsaParams metadata;                    // with the workspace of the whole call
  int64_t num_sm = 0;                    // 1 .. kMaxNumSm
  int64_t remainder = 0;                 // a Remainder
  int32_t* schedule_metadata = nullptr;  // [num_sm + 1, 2]
};

size_t dsa_refresh_workspace_bytes(const DsaRefreshParams& params, DsaChain chain);
// Those of the chain, and the schedule's.
std::vector<DsaSection> dsa_refresh_sections(const DsaRefreshParams& params, DsaChain chain);
// Why the call is outside the contract, naming the field; nothing when it is inside.
std::optional<std::string> dsa_refresh_error(const DsaRefreshParams& params, DsaChain chain);

// The second half of the refresh, of a call that has been checked.
struct DsaScheduleCall {
  PagedMqaMetadataArgs args;
  PagedMqaMetadataPath path;
};
DsaScheduleCall dsa_schedule_call(const DsaRefreshParams& params, DsaChain chain);

}  // namespace bytegate
