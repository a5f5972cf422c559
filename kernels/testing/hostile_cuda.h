// A candidate for the operation of kernels/cuda_test_kernels.h that does one thing that none may
// do, most of them while every byte of its output is right in a plain launch.
#pragma once

#include <cstdint>

#include "kernels/candidate.h"

namespace bytegate {

// Value of the scalar `behaviour`. `stray_idx` is the buffer that it is done to, where there is a
// choice: 0 values, 1 offsets, 2 table, 3 the workspace.
enum class HostileCuda : int64_t {
  kNone = 100,
  kReadAfter,
  kReadBefore,
  kWriteAfter,
  kWriteBefore,
  kWriteGap,  // between the rows of `table`
  kWriteInput,
  kLeaveLast,        // the last element of `table`
  kAddOldWorkspace,  // what it depends on: the workspace as it was
  kAddOldOutput,     // the last element of `table` as it was
  kTakeShort,        // does not look at how large the workspace is
  kLegacyStream,     // launches on the default stream
  kForgottenStream,  // launches late on a stream of its own, which nobody waits for
  kReadLate,         // writes all again, late, on a stream of its own
  kLoadWide,         // 16 bytes of `values` at a time, wherever they are
  kRememberAddress,  // writes where `table` was at the first capture
  kCountLaunches,    // every second launch is wrong
  kShareScratch,     // sums go through a buffer that is the same for every stream
  kLoopForever,
  kTrap,
  kLoadMisaligned,
  kGoAstray,  // writes to an address of nobody
  kPrint,     // on the host
  kPrintOnDevice,
  kTakeAllMemory,  // of the device, for good
  kAbort,
};

// Wants as many bytes of workspace as the scalar `workspace_bytes` says.
const bytegate_candidate& hostile_cuda_candidate();

}  // namespace bytegate
