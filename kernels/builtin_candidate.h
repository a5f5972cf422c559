// The candidates that are linked in. Each is a list of launchers, one per operation; everything
// else about the C interface is the same for all of them.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include "kernels/call_reader.h"
#include "kernels/candidate.h"
#include "kernels/simt/executor.h"

namespace bytegate {

struct OpLauncher {
  std::string_view op;
  // Status as bytegate_candidate.workspace_bytes; null: none is needed.
  int32_t (*workspace_bytes)(CallReader& call, uint64_t& bytes) = nullptr;
  // Status as bytegate_candidate.run.
  int32_t (*run_on_host)(CallReader& call, simt::Executor& executor) = nullptr;
  int32_t (*run_on_cuda)(CallReader& call) = nullptr;  // null: not built in
};

// bytegate's production kernels.
const bytegate_candidate& production_candidate();
// The plain single-block kernel that production replaced: what speed is compared with.
const bytegate_candidate& baseline_candidate();

// Named access for the command line: "production", "baseline"; null for another name.
const bytegate_candidate* builtin_candidate(std::string_view name);
// Whether the candidate of that name takes every case, as production does: a verdict that says
// nothing of one is a failure then.
bool takes_every_case(std::string_view candidate);

// The status and message of a launch on the executor.
int32_t report_launch(CallReader& call, const simt::Status& status);

// One launcher per operation; the ops' own files define them.
OpLauncher paged_mqa_metadata_launcher();
OpLauncher paged_mqa_metadata_baseline_launcher();

// All of the DSA metadata operations; as the baseline, their eager chains.
constexpr size_t kNumDsaOps = 8;
std::array<OpLauncher, kNumDsaOps> dsa_launchers();
std::array<OpLauncher, kNumDsaOps> dsa_baseline_launchers();

}  // namespace bytegate
