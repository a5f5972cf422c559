// A candidate for the cuda backend that computes what production computes, and does one thing
// beside it that none may do. Works on any operation, from the call alone.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "kernels/candidate_handle.h"

namespace bytegate {

enum class CudaHostility : uint8_t {
  kNone,
  // On the first tensor, which is an input.
  kReadAfter,
  kReadBefore,
  kWriteInput,
  kLoadWide,  // 16 bytes at once, wherever they are
  // On the last tensor that has elements, which is an output.
  kWriteAfter,
  kWriteBefore,
  kWriteGap,           // on the last tensor that has one
  kLeaveLast,          // the last element keeps what it held
  kLeaveLastLater,     // the same from the second replay of a graph on
  kRepeatFirstReplay,  // all of it is as after the first replay
  kAddOldOutput,
  kWrongWhenUnaligned,
  kWrongSecondTime,
  // On the workspace.
  kAddOldWorkspace,
  kReadAfterWorkspace,
  kWriteAfterWorkspace,
  kWriteBeforeWorkspace,
  kWriteAfterSection,
  kTakeShortWorkspace,
  // On the stream.
  kLegacyStream,
  kReadLate,         // writes all again, late, on a stream of its own
  kRememberCapture,  // writes where the capture before had its output
  kShareScratch,     // results go through a buffer that is the same for every stream
  // In a kernel.
  kLoop,
  kTrap,
  kLoadMisaligned,
  kGoAstray,  // writes to an address of nobody
  kPrintOnDevice,
  // On the host.
  kAbort,
  kExitZero,
  kPrint,
  kTakeAllMemory,  // of the device, for good
  kNumHostilities,
};

// "read_after"; nothing for another name.
std::string_view cuda_hostility_name(CudaHostility hostility);
std::optional<CudaHostility> cuda_hostility_of_name(std::string_view name);

// `section` is the place of the workspace section that kWriteAfterSection is about; -1: each in
// turn.
std::unique_ptr<Candidate> open_hostile_on_cuda(CudaHostility hostility, int section = -1);
// The table of one whose hostility is the name of the library it is in.
const bytegate_candidate& hostile_cuda_library_candidate();

}  // namespace bytegate
